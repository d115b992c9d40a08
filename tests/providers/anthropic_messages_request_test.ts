import assert from "node:assert/strict";
import type { Context } from "../../src/model/stream.ts";
import { anthropicRequest } from "../../src/providers/anthropic_messages_request.ts";
import type { AnthropicRequestWire } from "../../src/providers/anthropic_messages_request.ts";
import { testModel } from "../support/recorded_stream.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const model = testModel("anthropic-messages", {
  id: "claude-sonnet-4-5",
  reasoning: true,
  maxTokens: 20_000,
});
const cached = { cache_control: { type: "ephemeral" } } as const;
const png = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;
const pngBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" },
} as const;
const schema = { type: "object", properties: {} } as const;

Deno.test("anthropicRequest() builds the whole body", () => {
  const context: Context = {
    systemPrompt: "You are tau.",
    tools: [
      { name: "read", description: "Reads.", parameters: schema },
      { name: "ls", description: "Lists.", parameters: schema },
    ],
    messages: [
      user("Look"),
      assistant(model, [
        { type: "thinking", thinking: "Hm.", thinkingSignature: "sig" },
        {
          type: "thinking",
          thinking: "",
          thinkingSignature: "data",
          redacted: true,
        },
        "Reading.",
        toolCall("c|1", "read", { path: "a.png" }),
        toolCall("c2", "ls"),
      ]),
      toolResult("c|1", [{ type: "text", text: "A picture" }, png]),
      toolResult("c2", "no such folder", { isError: true }),
      user([{ type: "text", text: "And?" }]),
    ],
  };
  const expected: AnthropicRequestWire = {
    model: "claude-sonnet-4-5",
    max_tokens: 20_000,
    stream: true,
    temperature: 0.5,
    tool_choice: { type: "none" },
    system: [{ type: "text", text: "You are tau.", ...cached }],
    tools: [
      { name: "read", description: "Reads.", input_schema: schema },
      { name: "ls", description: "Lists.", input_schema: schema, ...cached },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "Look" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "sig" },
          { type: "redacted_thinking", data: "data" },
          { type: "text", text: "Reading." },
          {
            type: "tool_use",
            id: "c_1",
            name: "read",
            input: { path: "a.png" },
          },
          { type: "tool_use", id: "c2", name: "ls", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "c_1",
            content: [{ type: "text", text: "A picture" }, pngBlock],
          },
          {
            type: "tool_result",
            tool_use_id: "c2",
            content: [{ type: "text", text: "no such folder" }],
            is_error: true,
          },
          { type: "text", text: "And?", ...cached },
        ],
      },
    ],
  };
  const options = { temperature: 0.5, toolChoice: "none" } as const;
  assert.deepEqual(anthropicRequest(model, context, options), expected);
});

Deno.test("anthropicRequest() begins with a user message when the transcript does not", () => {
  const context: Context = { messages: [assistant(model, ["I"]), user("b")] };
  assert.deepEqual(
    anthropicRequest(model, context, {}).messages.map((message) =>
      message.role
    ),
    ["user", "assistant", "user"],
  );
});

Deno.test("anthropicRequest() asks for thinking as the model expects it", () => {
  const ask = (id: string, maxTokens: number) => {
    const { thinking, output_config, temperature } = anthropicRequest(
      { ...model, id },
      { messages: [user("a")] },
      { reasoning: "high", maxTokens, temperature: 0 },
    );
    return { thinking, output_config, temperature };
  };
  const budget = (budget_tokens: number) => ({
    thinking: { type: "enabled", budget_tokens },
    output_config: undefined,
    temperature: undefined,
  });
  assert.deepEqual(ask("claude-sonnet-4-5", 40_000), budget(16_384));
  assert.deepEqual(ask("claude-opus-4-20250514", 10_000), budget(8976));
  assert.deepEqual(ask("claude-3-7-sonnet-latest", 2048), budget(1024));
  assert.deepEqual(ask("claude-sonnet-4-5", 2047), {
    thinking: undefined,
    output_config: undefined,
    temperature: 0,
  });
  for (const id of ["claude-opus-4-6", "claude-sonnet-5", "claude-fable-5-2"]) {
    assert.deepEqual(ask(id, 2047), {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "high" },
      temperature: undefined,
    });
  }
});
