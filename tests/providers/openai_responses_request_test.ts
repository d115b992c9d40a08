import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { ToolCall } from "../../src/model/content.ts";
import { responsesRequest } from "../../src/providers/formats/openai_responses_request.ts";
import {
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";
import { assistant, toolResult, user } from "../support/transcript_builder.ts";

const model = testModel("openai-responses");
const thinker = testModel("openai-responses", { reasoning: true });
const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Hm." }],
  encrypted_content: "sealed",
} as const;
const thought = {
  type: "thinking",
  thinking: "Hm.",
  thinkingSignature: JSON.stringify(reasoning),
} as const;

Deno.test("responsesRequest() replays reasoning to the same model only, and only before what it led to", () => {
  const types = (...content: Parameters<typeof assistant>[1]) => {
    const messages = [
      user("hi"),
      assistant(thinker, content),
      user("go on"),
    ];
    return [thinker, { ...thinker, id: "other" }].map((to) =>
      responsesRequest(to, { messages }, {}).input
        .map((item) => item.type ?? ("role" in item ? item.role : ""))
        .slice(1, -1).join(" ")
    );
  };
  assert.deepEqual(types(thought, "a"), ["reasoning assistant", "assistant"]);
  assert.deepEqual(types("a", thought), ["assistant", "assistant"]);
  assert.deepEqual(types(thought, thought, "a", thought), [
    "reasoning reasoning assistant",
    "assistant",
  ]);
  for (const foreign of ["sig", "[]", '{"id":"rs"}', '{"__proto__":{}}']) {
    assert.deepEqual(
      types({ ...thought, thinkingSignature: foreign }, "a"),
      ["assistant", "assistant"],
    );
  }
});

Deno.test("responsesRequest() says again which message was commentary, to the same model only", async () => {
  const item = {
    type: "message",
    id: "msg_1",
    phase: "commentary",
    content: [{ type: "output_text", text: "Looking." }],
  };
  const events = [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { status: "completed" } },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const pieces = [new TextEncoder().encode(body.join(""))];
  const answer = await assembleMessage(model, readPieces(model, { pieces }))
    .result();
  const messages = [answer, user("go on")];
  const said = { role: "assistant", content: "Looking." };
  assert.deepEqual(
    [model, { ...model, id: "other" }].map((to) =>
      responsesRequest(to, { messages }, {}).input[0]
    ),
    [{ ...said, phase: "commentary" }, said],
  );
});

Deno.test("responsesRequest() sends back the reasoning and the calls of a recorded answer", async () => {
  const pieces = [recordedStream("responses_reasoning_and_call")];
  const answer = await assembleMessage(thinker, readPieces(thinker, { pieces }))
    .result();
  const call = answer.content.at(-1) as ToolCall;
  const messages = [user("hi"), answer, toolResult(call.id, "ok")];
  const summary = ["Two files.", "Read one."]
    .map((text) => ({ type: "summary_text", text }));
  assert.deepEqual(responsesRequest(thinker, { messages }, {}).input.slice(1), [
    { type: "reasoning", id: "rs_01", summary, encrypted_content: "gAAAAB" },
    {
      type: "reasoning",
      id: "rs_02",
      summary: [],
      encrypted_content: "gAAAAC",
    },
    {
      type: "function_call",
      call_id: "call_a",
      name: "read",
      arguments: '{"path":"né.txt"}',
    },
    { type: "function_call_output", call_id: "call_a", output: "ok" },
  ]);
});
