import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { AssistantMessage } from "../../src/model/message.ts";
import { ModelError } from "../../src/model/model_error.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { googleRequest } from "../../src/providers/formats/google_generative_ai_request.ts";
import {
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { user } from "../support/transcript_builder.ts";

const model = testModel("google-generative-ai", {
  id: "gemini-3-x",
  reasoning: true,
});
Deno.test("googleRequest() refuses a tool that must be strict, and changes no schema in place", () => {
  const parameters = {
    type: "object",
    properties: { a: { $ref: "#/$defs/a", type: "string" } },
    $defs: { a: { type: "string" } },
  };
  const before = structuredClone(parameters);
  const tool = { name: "t", description: "d", parameters };
  const messages = [user("a")];
  googleRequest(model, { messages, tools: [tool] }, {});
  assert.deepEqual(parameters, before);
  const strict = { type: "json_schema", strict: "require" } as const;
  const tools = [{ ...tool, constrainedSampling: strict }];
  assert.throws(
    () => googleRequest(model, { messages, tools }, {}),
    (error) => error instanceof ModelError && error.kind === "refused",
  );
});

Deno.test("GoogleReader keeps the signatures of text and calls", async () => {
  const read = (name: string): Promise<AssistantMessage> =>
    assembleMessage(
      model,
      readPieces(model, { pieces: [recordedStream(name)] }),
    ).result();
  const text = await read("google_text");
  assert.deepEqual(text.content, [
    { type: "text", text: "né 你好😀", textSignature: "EqQB" },
  ]);
  assert.equal(text.responseId, "resp-1");
  const calls = await read("google_thinking_and_calls");
  assert.deepEqual(
    calls.content.map((block) =>
      block.type === "toolCall" ? block.thoughtSignature : undefined
    ),
    [undefined, undefined, "EmwK", undefined],
  );
});

Deno.test("GoogleReader answers a call whose arguments are no object by an error, not by a guess", async () => {
  const call = { functionCall: { name: "ls", args: [1] } };
  const chunk = {
    candidates: [{ content: { parts: [call] }, finishReason: "STOP" }],
  };
  const bytes = new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
  const message = await assembleMessage(
    model,
    readPieces(model, { pieces: [bytes] }),
  ).result();
  const block = message.content[0];
  assert(block?.type === "toolCall");
  assert.deepEqual(block.arguments, {});
  assert.notEqual(block.argumentsError, undefined);
});

Deno.test("GoogleReader says why an answer was withheld, in few words", async () => {
  const finishMessage = "no ".repeat(10_000);
  const chunk = { candidates: [{ finishReason: "SPII", finishMessage }] };
  const bytes = new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`);
  const message = await assembleMessage(
    model,
    readPieces(model, { pieces: [bytes] }),
  ).result();
  assert.equal(message.errorKind, "content_filter");
  assert.match(message.errorMessage ?? "", /withheld the answer \(SPII\): no/);
  assert((message.errorMessage ?? "").length < 400);
});

Deno.test("deltaSourceFor() of Google's format sends the key as a header alone, and the id of the model as one part of the path", async () => {
  await using double = startProviderDouble({
    api: "google-generative-ai",
    script: [say("Yes.")],
  });
  const id = "gemini-3/../x?key=1#é";
  const source = await deltaSourceFor(model.api);
  const deltas = source(
    { ...model, id, baseUrl: `${double.url}/` },
    { messages: [user("a")] },
    { apiKey: "secret-key" },
  );
  const message = await assembleMessage(model, deltas).result();
  assert.equal(message.errorMessage, undefined);
  const [request] = double.requests;
  assert.equal(request?.headers["x-goog-api-key"], "secret-key");
  assert.equal(
    request?.path,
    `/v1beta/models/${encodeURIComponent(id)}:streamGenerateContent?alt=sse`,
  );
});
