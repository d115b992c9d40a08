import assert from "node:assert/strict";
import {
  type CommandLine,
  readCommandLines,
} from "../../../src/cli/rpc/read_command_lines.ts";

/** Hands out bytes in pieces of that size. */
function sourceOf(
  bytes: Uint8Array,
  size = bytes.length,
): { read(buffer: Uint8Array): Promise<number | null> } {
  let at = 0;
  return {
    read(buffer) {
      if (at >= bytes.length) return Promise.resolve(null);
      const piece = bytes.subarray(at, at + Math.min(size, buffer.length));
      buffer.set(piece);
      at += piece.length;
      return Promise.resolve(piece.length);
    },
  };
}

async function linesOf(
  text: string,
  options: { size?: number; maxLineBytes?: number } = {},
): Promise<CommandLine[]> {
  const bytes = new TextEncoder().encode(text);
  const lines = readCommandLines(sourceOf(bytes, options.size), options);
  return await Array.fromAsync(lines);
}

Deno.test("readCommandLines() reads the same lines wherever the bytes are cut", async () => {
  const text =
    '{"type":"a","text":"日👧"}\r\n\n  \n{"type":"b","__proto__":{"x":1}}\n{"type":"last"}';
  const whole = await linesOf(text);
  assert.deepEqual(
    whole.map((line) => "command" in line && line.command.type),
    ["a", "b", "last"],
  );
  for (const size of [1, 2, 3, 7, 16]) {
    assert.deepEqual(await linesOf(text, { size }), whole);
  }
  assert.equal(({} as { x?: number }).x, undefined);
});

Deno.test("readCommandLines() says of each line that is not an object why, and goes on", async () => {
  const lines = await linesOf(
    '{oops\n[1]\n"a"\nnull\n12\n{"type":"ok"}\n{"cut":',
  );
  assert.deepEqual(lines.map((line) => "problem" in line), [
    ...[true, true, true, true, true],
    false,
    true,
  ]);
});

Deno.test("readCommandLines() skips a line that is too long to its end, and keeps nothing of it", async () => {
  const long = `{"type":"${"x".repeat(1000)}"}`;
  const text = `${long}\n{"type":"next"}\n${long}`;
  for (const size of [1, 100, 10_000]) {
    assert.deepEqual(await linesOf(text, { size, maxLineBytes: 500 }), [
      { problem: "the line is longer than 500 bytes" },
      { command: { type: "next" } },
      { problem: "the line is longer than 500 bytes" },
    ]);
  }
});

Deno.test("readCommandLines() takes a line of tens of megabytes, and none of more than 64 MiB", async () => {
  const image = "A".repeat(40 * 1024 * 1024);
  const [line] = await linesOf(`{"data":"${image}"}\n`);
  assert(line && "command" in line && line.command.data === image);
  const [refused, next] = await linesOf(
    `{"data":"${image}${image}"}\n{"type":"next"}`,
  );
  assert(refused && "problem" in refused);
  assert.deepEqual(next, { command: { type: "next" } });
});
