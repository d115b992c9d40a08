import assert from "node:assert/strict";
import {
  type Key,
  KeyDecoder,
} from "../../../src/cli/line_mode/key_decoder.ts";

function keysOf(pieces: readonly (string | Uint8Array)[]): string[] {
  const decoder = new KeyDecoder();
  const keys = pieces.flatMap((piece) =>
    decoder.push(
      typeof piece === "string" ? new TextEncoder().encode(piece) : piece,
    )
  );
  return joined(keys);
}

/** Names, and texts that follow each other as one. */
function joined(keys: readonly Key[]): string[] {
  const all: string[] = [];
  let isText = false;
  for (const key of keys) {
    if ("name" in key) all.push(`<${key.name}>`);
    else if (key.text === "") continue;
    else if (isText) all.push(`${all.pop() ?? ""}${key.text}`);
    else all.push(key.text);
    isText = "text" in key;
  }
  return all;
}

const EVERYTHING =
  "aé日👩‍👧\r\n\t\x7f\x1b[A\x1bOB\x1b[1;5C\x1b[3~\x1b\r\x1bb\x1b[200~one\r\ntwo\r\rthree \x1b[31m\x03\x1b[201~z\x03\x1b[99;9Zq\x04";
const KEYS_OF_EVERYTHING = [
  "aé日👩‍👧",
  "<enter>",
  "<newline>",
  "<tab>",
  "<backspace>",
  "<up>",
  "<down>",
  "<word_right>",
  "<delete>",
  "<newline>",
  "<word_left>",
  "one\ntwo\n\nthree \x1b[31m\x03z",
  "<interrupt>",
  "q",
  "<end_of_input>",
];

Deno.test("KeyDecoder.push() tells the same keys wherever the bytes are cut", () => {
  assert.deepEqual(keysOf([EVERYTHING]), KEYS_OF_EVERYTHING);
  const bytes = new TextEncoder().encode(EVERYTHING);
  for (let cut = 1; cut < bytes.length; cut++) {
    assert.deepEqual(
      keysOf([bytes.subarray(0, cut), bytes.subarray(cut)]),
      KEYS_OF_EVERYTHING,
      `cut at ${cut}`,
    );
  }
  assert.deepEqual(
    keysOf(Array.from(bytes, (byte) => Uint8Array.of(byte))),
    KEYS_OF_EVERYTHING,
  );
});

Deno.test("KeyDecoder.push() hears Ctrl-C behind a lone escape, and behind a sequence that is none", () => {
  assert.deepEqual(keysOf(["\x1b\x03"]), ["<interrupt>"]);
  assert.deepEqual(keysOf(["\x1b", "\x03"]), ["<interrupt>"]);
  assert.deepEqual(keysOf(["\x1b\x1b[A"]), ["<up>"]);
  assert.deepEqual(keysOf(["\x1b[12\x03"]).at(-1), "<interrupt>");
  assert.deepEqual(
    keysOf([`\x1b[${"1;".repeat(1000)}`, "\x03"]).at(-1),
    "<interrupt>",
  );
  assert.deepEqual(keysOf(["\x1b👧a"]), ["a"]);
});

Deno.test("KeyDecoder.push() hands on a paste that never ends, and acts on nothing in it", () => {
  const pasted = keysOf(["\x1b[200~", "a\x03\x04\x1b[2J", "b".repeat(5000)]);
  assert.equal(pasted.length, 1);
  assert(pasted[0]?.startsWith("a\x03\x04\x1b[2Jbbb"));
  assert((pasted[0]?.length ?? 0) > 5000 - 6);
});

Deno.test("KeyDecoder.push() shows bytes that are no text as a sign", () => {
  assert.deepEqual(keysOf([Uint8Array.of(0x61, 0xff, 0x62)]), ["a\ufffdb"]);
});
