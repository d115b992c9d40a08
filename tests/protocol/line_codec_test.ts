import assert from "node:assert/strict";
import {
  encodeLine,
  LineDecoder,
  LineTooLongError,
  type ProtocolLine,
} from "../../src/protocol/line_codec.ts";

const TOKEN = "6f9b1a52-7d3e-4c0b-9a57-3d1c2b4e5f60";

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** What a decoder makes of pieces; neighbouring foreign texts count as one. */
function decode(
  pieces: Uint8Array[],
  decoder = new LineDecoder(TOKEN),
): ProtocolLine[] {
  const lines = pieces.flatMap((piece) => decoder.push(piece));
  return joinForeign([...lines, ...decoder.finish()]);
}

function joinForeign(lines: ProtocolLine[]): ProtocolLine[] {
  const joined: ProtocolLine[] = [];
  for (const line of lines) {
    const last = joined.at(-1);
    if (line.kind === "foreign" && last?.kind === "foreign") {
      joined[joined.length - 1] = {
        kind: "foreign",
        text: last.text + line.text,
      };
    } else joined.push(line);
  }
  return joined;
}

Deno.test("LineDecoder.push() reads the same lines wherever the bytes are cut", () => {
  const bytes = bytesOf(
    encodeLine(TOKEN, { n: 1, text: "né 你好😀\n" }) + "\n" + "printed 😀\n" +
      "no end: " + encodeLine(TOKEN, [2]) + encodeLine(TOKEN, null) + "rest é",
  );
  const expected: ProtocolLine[] = [
    { kind: "message", value: { n: 1, text: "né 你好😀\n" } },
    { kind: "foreign", text: "printed 😀no end: " },
    { kind: "message", value: [2] },
    { kind: "message", value: null },
    { kind: "foreign", text: "rest é" },
  ];
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
    assert.deepEqual(decode(pieces), expected, `cut at ${at}`);
  }
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
  assert.deepEqual(decode(single), expected);
});

Deno.test("LineDecoder.push() keeps nothing of a chunk that is used again", () => {
  const decoder = new LineDecoder(TOKEN);
  const buffer = bytesOf(encodeLine(TOKEN, "first").slice(0, -3));
  assert.deepEqual(decoder.push(buffer), []);
  buffer.fill(120);
  assert.deepEqual(decoder.push(bytesOf('t"\n')), [
    { kind: "message", value: "first" },
  ]);
});

Deno.test("LineDecoder.push() hands on foreign text that has no line break", () => {
  const decoder = new LineDecoder(TOKEN);
  let text = "";
  for (let i = 0; i < 100; i++) {
    for (const line of decoder.push(bytesOf("é".repeat(5000)))) {
      assert.equal(line.kind, "foreign");
      if (line.kind === "foreign") text += line.text;
    }
  }
  assert(text.length > 400_000, "it is held back");
  assert.doesNotMatch(text, /[^é]/);
});

Deno.test("LineDecoder.push() finds a long message wherever its token is cut", () => {
  const message = { text: "x".repeat(200_000) };
  for (const foreign of ["", "printed: ", "p".repeat(70_000)]) {
    const bytes = bytesOf(foreign + encodeLine(TOKEN, message));
    for (let cut = 0; cut <= TOKEN.length + 1; cut++) {
      const at = foreign.length + cut;
      const pieces = [bytes.subarray(0, at)];
      for (let from = at; from < bytes.length; from += 65_536) {
        pieces.push(bytes.subarray(from, from + 65_536));
      }
      assert.deepEqual(decode(pieces), [
        ...(foreign === "" ? [] : [{ kind: "foreign", text: foreign }]),
        { kind: "message", value: message },
      ], `${foreign.length} characters before, token cut at ${cut}`);
    }
  }
});

Deno.test("LineDecoder.push() refuses a message that is too long", () => {
  const decoder = new LineDecoder(TOKEN, { maxBytes: 100_000 });
  decoder.push(bytesOf(`${TOKEN} "`));
  assert.throws(() => {
    for (let i = 0; i < 30; i++) decoder.push(bytesOf("x".repeat(5000)));
  }, LineTooLongError);
});

Deno.test("LineDecoder.push() takes for foreign what follows a token and is no JSON", () => {
  for (const rest of ["", "{", "{'a':1}", "undefined", '{"a":1} {"b":2}']) {
    assert.deepEqual(decode([bytesOf(`${TOKEN} ${rest}\n`)]), [
      { kind: "foreign", text: `${TOKEN} ${rest}` },
    ]);
  }
});

Deno.test("LineDecoder.finish() drops half a message and keeps a whole one", () => {
  const line = encodeLine(TOKEN, { text: "secret" }).trimEnd();
  assert.deepEqual(decode([bytesOf(line)]), [
    { kind: "message", value: { text: "secret" } },
  ]);
  for (let length = TOKEN.length + 1; length < line.length; length++) {
    assert.deepEqual(decode([bytesOf(line.slice(0, length))]), []);
  }
});

Deno.test("LineDecoder.push() takes another run's token for foreign text", () => {
  const line = encodeLine("another-token", { type: "end" });
  assert.deepEqual(decode([bytesOf(line)]), [
    { kind: "foreign", text: line.trimEnd() },
  ]);
});

Deno.test("LineDecoder learns the token from the first line", () => {
  const decoder = new LineDecoder();
  const lines = decode([
    bytesOf(encodeLine(TOKEN, { type: "start" }) + "print\n"),
    bytesOf(encodeLine(TOKEN, { type: "ping" })),
  ], decoder);
  assert.equal(decoder.token, TOKEN);
  assert.deepEqual(lines, [
    { kind: "message", value: { type: "start" } },
    { kind: "foreign", text: "print" },
    { kind: "message", value: { type: "ping" } },
  ]);
});
