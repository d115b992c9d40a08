import assert from "node:assert/strict";
import fc from "fast-check";
import type { AssistantDelta } from "../../src/model/stream.ts";
import {
  AnswerCollector,
  mapAnswer,
  streamedAgain,
} from "../../src/host/recorded_answer.ts";

function collected(deltas: AssistantDelta[]): readonly AssistantDelta[] {
  const collector = new AnswerCollector();
  for (const delta of deltas) collector.add(delta);
  return collector.deltas;
}

Deno.test("AnswerCollector puts the pieces of each block together, also of blocks that grow side by side", () => {
  const given: AssistantDelta[] = [
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: "sec" },
    { type: "toolcall_start", contentIndex: 1, id: "c", toolName: "ls" },
    { type: "toolcall_delta", contentIndex: 1, delta: '{"a"' },
    { type: "text_delta", contentIndex: 0, delta: "ret" },
    { type: "toolcall_delta", contentIndex: 1, delta: ":1}" },
    { type: "text_end", contentIndex: 0 },
    { type: "toolcall_end", contentIndex: 1 },
  ];
  const before = structuredClone(given);
  assert.deepEqual(collected(given), [
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: "secret" },
    { type: "toolcall_start", contentIndex: 1, id: "c", toolName: "ls" },
    { type: "toolcall_delta", contentIndex: 1, delta: '{"a":1}' },
    { type: "text_end", contentIndex: 0 },
    { type: "toolcall_end", contentIndex: 1 },
  ]);
  assert.deepEqual(given, before, "what was given is left as it is");
});

Deno.test("streamedAgain() gives the same text in pieces that hold whole characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), (delta) => {
      const pieces = [
        ...streamedAgain([{ type: "text_delta", contentIndex: 0, delta }]),
      ].flat().map((piece) => "delta" in piece ? piece.delta : "");
      assert.equal(pieces.join(""), delta);
      for (const piece of pieces) {
        assert.equal(piece.isWellFormed(), true);
        assert(piece.length <= 25);
      }
    }),
  );
});

Deno.test("mapAnswer() looks into arguments, whose text is JSON", () => {
  const secret = 'say "a\\b"';
  const map = (text: string) => text.replaceAll(secret, "X");
  const mapped = (delta: string) =>
    mapAnswer([{ type: "toolcall_delta", contentIndex: 0, delta }], map);
  const [changed, untouched, broken] = [
    JSON.stringify({ b: [secret], [secret]: 1 }),
    '{ "b":  1.0 }',
    `{"b": ${secret}`,
  ].map(mapped).map(([delta]) => (delta as { delta: string }).delta);
  assert.equal(changed, '{"b":["X"],"X":1}');
  assert.equal(untouched, '{ "b":  1.0 }');
  assert.equal(broken, '{"b": X');
  const contentSignature = JSON.stringify({ summary: [secret] });
  assert.deepEqual(
    mapAnswer(
      [{ type: "thinking_end", contentIndex: 0, contentSignature }],
      map,
    ),
    [{
      type: "thinking_end",
      contentIndex: 0,
      contentSignature: '{"summary":["X"]}',
    }],
  );
});
