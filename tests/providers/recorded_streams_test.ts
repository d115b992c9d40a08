import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { AssistantMessage } from "../../src/model/message.ts";
import {
  apiOf,
  joinDeltas,
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";

/** A message in short: its blocks as lines, its end, its tokens. */
interface Outcome {
  blocks: string[];
  stop: string;
  kind?: string;
  /** input / output / cacheRead / cacheWrite (/ reasoning) */
  usage: number[];
}

const names = [
  ...Deno.readDirSync(new URL("../fixtures/streams", import.meta.url)),
].map((file) => file.name.replace(/\.sse$/, "")).sort();

for (const name of names) {
  const bytes = recordedStream(name);
  const model = testModel(apiOf(name));
  const expected = outcomeIn(bytes);

  Deno.test(`readAnswer() reads ${name} as the outcome says`, async () => {
    const stream = assembleMessage(
      model,
      readPieces(model, { pieces: [bytes] }),
    );
    assert.deepEqual(outcomeOf(await stream.result()), expected);
  });

  Deno.test(`readAnswer() gives the same deltas of ${name}, cut in two at every byte`, async () => {
    const read = async (pieces: Uint8Array[]) =>
      joinDeltas(await Array.fromAsync(readPieces(model, { pieces })));
    const whole = await read([bytes]);
    for (let at = 1; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      assert.deepEqual(await read(pieces), whole, `cut at byte ${at}`);
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await read(single), whole, "byte by byte");
  });

  Deno.test(`readAnswer() never completes ${name} before its end, ended at every byte`, async () => {
    const terminal = terminalOffset(name, bytes);
    for (let at = 0; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at)];
      const stream = assembleMessage(model, readPieces(model, { pieces }));
      const message = await stream.result();
      const { blocks, stop } = outcomeOf(message);
      if (at < terminal) {
        assert.equal(stop, "error", `${stop} at byte ${at}`);
      } else if (expected.kind === undefined) {
        assert.equal(stop, expected.stop, `at byte ${at}`);
      }
      for (const block of blocks) {
        if (block.startsWith("call ")) {
          assert(expected.blocks.includes(block), `${block} at byte ${at}`);
        }
      }
    }
  });
}

/** The outcome that a recorded stream has in its first line, which is a comment to SSE. */
function outcomeIn(bytes: Uint8Array): Outcome {
  const [line = ""] = new TextDecoder().decode(bytes).split("\n");
  assert.match(line, /^: \{/, "the first line says what is expected");
  return JSON.parse(line.slice(2));
}

/** The length of the shortest beginning that holds the event that completes the answer. */
function terminalOffset(name: string, bytes: Uint8Array): number {
  const text = new TextDecoder().decode(bytes);
  const pattern = name.includes("anthropic")
    ? /data: \{"type":"message_stop"\}/
    : name.includes("responses")
    ? /data: \{"type":"response\.(completed|incomplete)".*/
    : name.includes("google")
    ? /data: .*"finishReason":"[A-Z_]+".*/
    : /data: .*"finish_reason":"[a-z_]+".*/;
  const match = pattern.exec(text);
  if (!match) return bytes.length;
  const end = text.slice(0, match.index + match[0].length);
  return new TextEncoder().encode(end).length;
}

function outcomeOf(message: AssistantMessage): Outcome {
  const { input, output, cacheRead, cacheWrite, reasoning } = message.usage;
  const stop = [message.stopReason, message.rawStopReason]
    .filter((word) => word !== undefined).join(" ");
  return {
    blocks: message.content.map((block) => {
      if (block.type === "text") return `text ${block.text}`;
      if (block.type === "thinking") {
        const word = block.redacted ? "redacted" : "thinking";
        return `${word} ${block.thinking} [${block.thinkingSignature}]`;
      }
      const args = block.argumentsError === undefined
        ? JSON.stringify(block.arguments)
        : "unparsed";
      return `call ${block.id} ${block.name} ${args}`;
    }),
    stop,
    ...(message.errorKind === undefined ? {} : { kind: message.errorKind }),
    usage: [
      input,
      output,
      cacheRead,
      cacheWrite,
      ...(reasoning === undefined ? [] : [reasoning]),
    ],
  };
}
