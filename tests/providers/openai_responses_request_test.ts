import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { ToolCall } from "../../src/model/content.ts";
import type { Context } from "../../src/model/stream.ts";
import {
  responsesRequest,
  type ResponsesRequestWire,
} from "../../src/providers/openai_responses_request.ts";
import {
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const model = testModel("openai-responses");
const thinker = testModel("openai-responses", { reasoning: true });
const png = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;
const pngPart = {
  type: "input_image",
  detail: "auto",
  image_url: "data:image/png;base64,iVBORw0KGgo=",
} as const;
const read = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};
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

Deno.test("responsesRequest() builds the whole body", () => {
  const context: Context = {
    systemPrompt: "You are tau.",
    tools: [read],
    messages: [
      user([{ type: "text", text: "Look" }, { type: "text", text: "here" }]),
      assistant(thinker, [
        thought,
        "Looking.",
        toolCall("c1", "read", { path: "a.png" }),
        toolCall("c2", "ls"),
      ]),
      toolResult("c1", [{ type: "text", text: "A picture" }, png]),
      toolResult("c2", "a.png", { isError: true }),
      user("And?"),
      assistant(thinker, ["Done."]),
      user([{ type: "text", text: "This:" }, png]),
    ],
  };
  const expected: ResponsesRequestWire = {
    model: "test-model",
    stream: true,
    store: false,
    instructions: "You are tau.",
    max_output_tokens: 100,
    temperature: 0,
    tool_choice: "none",
    include: ["reasoning.encrypted_content"],
    reasoning: { effort: "high", summary: "auto" },
    tools: [{ type: "function", ...read, strict: false }],
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: "Look" },
          { type: "input_text", text: "here" },
        ],
      },
      { ...reasoning, summary: [...reasoning.summary] },
      { role: "assistant", content: "Looking." },
      {
        type: "function_call",
        call_id: "c1",
        name: "read",
        arguments: '{"path":"a.png"}',
      },
      { type: "function_call", call_id: "c2", name: "ls", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "c1",
        output: [{ type: "input_text", text: "A picture" }, pngPart],
      },
      { type: "function_call_output", call_id: "c2", output: "a.png" },
      { role: "user", content: [{ type: "input_text", text: "And?" }] },
      { role: "assistant", content: "Done." },
      {
        role: "user",
        content: [{ type: "input_text", text: "This:" }, pngPart],
      },
    ],
  };
  const options = {
    maxTokens: 100,
    temperature: 0,
    toolChoice: "none",
    reasoning: "xhigh",
  } as const;
  assert.deepEqual(responsesRequest(thinker, context, options), expected);
});

Deno.test("responsesRequest() leaves out what was not asked for", () => {
  const context: Context = { messages: [user("hi")], tools: [] };
  assert.deepEqual(
    responsesRequest(model, context, { toolChoice: "auto", reasoning: "high" }),
    {
      model: "test-model",
      stream: true,
      store: false,
      max_output_tokens: 4096,
      input: [{ role: "user", content: [{ type: "input_text", text: "hi" }] }],
    },
  );
});

Deno.test("responsesRequest() uses OpenAI's own words for OpenAI, and keeps its lowest limit", () => {
  const ask = (provider: string) => {
    const body = responsesRequest({ ...thinker, provider }, {
      messages: [user("hi")],
    }, { reasoning: "xhigh", sessionId: "s1", maxTokens: 1 });
    return [
      body.reasoning?.effort,
      body.prompt_cache_key,
      body.max_output_tokens,
    ];
  };
  assert.deepEqual(ask("openai"), ["xhigh", "s1", 16]);
  assert.deepEqual(ask("lab"), ["high", undefined, 16]);
});

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
