import assert from "node:assert/strict";
import type { Context } from "../../src/model/stream.ts";
import { completionsRequest } from "../../src/providers/openai_completions_request.ts";
import type { CompletionsRequestWire } from "../../src/providers/openai_completions_request.ts";
import { testModel } from "../support/recorded_stream.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const model = testModel("openai-completions");
const png = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;
const pngPart = {
  type: "image_url",
  image_url: { url: "data:image/png;base64,iVBORw0KGgo=" },
} as const;
const read = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
};

Deno.test("completionsRequest() builds the whole body", () => {
  const context: Context = {
    systemPrompt: "You are tau.",
    tools: [read],
    messages: [
      user([{ type: "text", text: "Look" }, { type: "text", text: "here" }]),
      assistant(model, [
        {
          type: "thinking",
          thinking: "Hm.",
          thinkingSignature: "reasoning_content",
        },
        toolCall("c1", "read", { path: "a.png" }),
        toolCall("c2", "ls"),
      ]),
      toolResult("c1", [{ type: "text", text: "A picture" }, png]),
      toolResult("c2", "a.png", { isError: true }),
      user("And?"),
      assistant(model, ["Done."]),
      user([{ type: "text", text: "This:" }, png]),
    ],
  };
  const expected: CompletionsRequestWire = {
    model: "test-model",
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 100,
    temperature: 0,
    tool_choice: "none",
    tools: [{ type: "function", function: read }],
    messages: [
      { role: "system", content: "You are tau." },
      { role: "user", content: "Look\n\nhere" },
      {
        role: "assistant",
        content: null,
        reasoning_content: "Hm.",
        tool_calls: [
          {
            id: "c1",
            type: "function",
            function: { name: "read", arguments: '{"path":"a.png"}' },
          },
          {
            id: "c2",
            type: "function",
            function: { name: "ls", arguments: "{}" },
          },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "A picture" },
      { role: "tool", tool_call_id: "c2", content: "a.png" },
      {
        role: "user",
        content: [
          { type: "text", text: "Image of read:" },
          pngPart,
          { type: "text", text: "And?" },
        ],
      },
      { role: "assistant", content: "Done." },
      { role: "user", content: [{ type: "text", text: "This:" }, pngPart] },
    ],
  };
  const options = {
    maxTokens: 100,
    temperature: 0,
    toolChoice: "none",
  } as const;
  assert.deepEqual(completionsRequest(model, context, options), expected);
});

Deno.test("completionsRequest() leaves out what was not asked for", () => {
  const context: Context = { messages: [user("hi")], tools: [] };
  assert.deepEqual(
    completionsRequest(model, context, {
      toolChoice: "auto",
      reasoning: "high",
    }),
    {
      model: "test-model",
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 4096,
      messages: [{ role: "user", content: "hi" }],
    },
  );
});

Deno.test("completionsRequest() uses each provider's words", () => {
  const messages = [
    user("hi"),
    assistant(model, [toolCall("call_0123456789", "ls")]),
  ];
  const ask = (provider: string) => {
    const thinker = testModel("openai-completions", {
      provider,
      reasoning: true,
    });
    const body = completionsRequest(thinker, { messages }, {
      reasoning: "xhigh",
      sessionId: "s1",
    });
    const answer = body.messages[1] as { tool_calls?: { id: string }[] };
    return [
      body.max_completion_tokens,
      body.max_tokens,
      body.reasoning_effort,
      body.prompt_cache_key,
      answer.tool_calls?.[0]?.id,
    ];
  };
  const none = undefined;
  assert.deepEqual(ask("openai"), [
    4096,
    none,
    "xhigh",
    "s1",
    "call_0123456789",
  ]);
  assert.deepEqual(ask("lab"), [4096, none, "high", none, "call_0123456789"]);
  assert.deepEqual(ask("deepseek"), [
    none,
    4096,
    "high",
    none,
    "call_0123456789",
  ]);
  assert.deepEqual(ask("mistral"), [none, 4096, "high", none, "123456789"]);
});
