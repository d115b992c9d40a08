import fc from "fast-check";
import assert from "node:assert/strict";
import type { Message } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import { FORMATS } from "../../src/providers/delta_source_for.ts";
import { wellFormedJson } from "../../src/providers/json_value.ts";
import { findRequestFault } from "../support/request_fault.ts";
import { testModel } from "../support/recorded_stream.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const models: Model[] = [
  testModel("openai-completions"),
  testModel("openai-completions", { provider: "mistral", input: ["text"] }),
  testModel("openai-responses", { reasoning: true }),
  testModel("anthropic-messages", { reasoning: true }),
  testModel("google-generative-ai", { id: "gemini-3-x", reasoning: true }),
  testModel("google-generative-ai", { id: "gemini-2.5-x", provider: "google" }),
];

const ids = fc.constantFrom(
  "a",
  "b",
  "same",
  "",
  "call|x",
  "y".repeat(80),
  "é",
);
const words = fc.constantFrom("", " \n", "text", "\ud83d half", "é😀 ");
const picture = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;
const userBlocks = fc.array(
  fc.oneof(
    words.map((text) => ({ type: "text" as const, text })),
    fc.constant(picture),
  ),
  { maxLength: 3 },
);
const answerBlocks = fc.array(
  fc.oneof(
    words,
    fc.tuple(ids, fc.constantFrom("read", "a.b", "", "1st"), words).map(
      ([id, name, value]) => toolCall(id, name, { value }),
    ),
    fc.record({
      type: fc.constant("thinking" as const),
      thinking: words,
      thinkingSignature: fc.constantFrom(
        "",
        "sig",
        "reasoning_content",
        '{"type":"reasoning","id":"rs","encrypted_content":"sealed"}',
      ),
    }),
  ),
  { maxLength: 4 },
);

/** Any order of any messages, as crashes, aborts, edits and compaction leave them. */
function transcripts(model: Model): fc.Arbitrary<Message[]> {
  return fc.array(
    fc.oneof(
      words.map((text) => user(text)),
      userBlocks.map((blocks) => user(blocks)),
      fc.tuple(
        answerBlocks,
        fc.constantFrom("stop", "toolUse", "aborted", "error", "length"),
      )
        .map(([blocks, stopReason]) =>
          assistant(model, blocks, { stopReason } as object)
        ),
      fc.tuple(ids, userBlocks, fc.boolean())
        .map(([id, blocks, isError]) => toolResult(id, blocks, { isError })),
    ),
    { maxLength: 12 },
  );
}

for (const model of models) {
  Deno.test(`${model.api} requests of ${model.provider} are never refused, whatever the transcript`, async () => {
    const { wireFormat } = await FORMATS[model.api]();
    const property = fc.property(transcripts(model), (messages) => {
      // The last word is the user's, as in every request of a session.
      const context = { messages: [...messages, user("go on")] };
      const body = wireFormat.body(model, context, { reasoning: "low" });
      const request = {
        headers: {
          "x-api-key": "k",
          "anthropic-version": "v",
          "x-goog-api-key": "k",
        },
        signedCalls: model.id.startsWith("gemini-3"),
        body: JSON.parse(wellFormedJson(body)),
      };
      assert.equal(findRequestFault(model.api, request), undefined);
    });
    fc.assert(property, { numRuns: 500 });
  });
}
