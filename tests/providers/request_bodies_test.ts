import assert from "node:assert/strict";
import type { Message } from "../../src/model/message.ts";
import type { Api, Model } from "../../src/model/model.ts";
import type { Context, StreamOptions } from "../../src/model/stream.ts";
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

/** The first line of a fixture: a request in no format. Answers that name no model are of the one that is asked. */
interface Given {
  /** The formats, and how the test's model differs in them. */
  models: Partial<Record<Api, Partial<Model>>>;
  options: StreamOptions;
  context: Omit<Context, "messages"> & { messages: Partial<Message>[] };
}

const FOLDER = new URL("../fixtures/requests/", import.meta.url);
const HEADERS = {
  "x-api-key": "k",
  "anthropic-version": "v",
  "x-goog-api-key": "k",
};

async function bodyOf(
  model: Model,
  context: Context,
  options: StreamOptions = {},
) {
  const { wireFormat } = await FORMATS[model.api]();
  return wellFormedJson(wireFormat.body(model, context, options));
}

for (const { name } of Deno.readDirSync(FOLDER)) {
  const [first = "", ...lines] = Deno.readTextFileSync(new URL(name, FOLDER))
    .trimEnd().split("\n");
  const { models, options, context }: Given = JSON.parse(first);
  for (const line of lines) {
    const [api, body] = line.split(/ (.*)/s) as [Api, string];

    // A changed byte costs a provider's prompt cache of each session.
    Deno.test(`${api} makes the bytes of ${name}, and no provider refuses them`, async () => {
      const model = testModel(api, models[api]);
      const messages = context.messages.map((message) =>
        message.role === "assistant"
          ? assistant(model, message.content ?? [], message)
          : { timestamp: 0, ...message } as Message
      );
      const made = await bodyOf(model, { ...context, messages }, options);
      assert.deepEqual(JSON.parse(made), JSON.parse(body));
      assert.equal(made, body);
      const request = { headers: HEADERS, body: JSON.parse(body) };
      assert.equal(findRequestFault(api, request), undefined);
    });
  }
  Deno.test(`${name} has a body of each of its formats`, () => {
    assert.deepEqual(
      lines.map((line) => line.split(" ")[0]),
      Object.keys(models),
    );
  });
}

/** Members of a body that depend on the model: its id, the limit of tokens, and what is sent then. */
const THINKING: [Api, id: string, maxTokens: number, expected: object][] = [
  ["anthropic-messages", "claude-sonnet-4-5", 40_000, budget(16_384)],
  ["anthropic-messages", "claude-opus-4-20250514", 10_000, budget(8976)],
  ["anthropic-messages", "claude-3-7-sonnet-latest", 2048, budget(1024)],
  ["anthropic-messages", "claude-sonnet-4-5", 2047, { temperature: 0 }],
  ["anthropic-messages", "claude-opus-4-6", 2047, effort()],
  ["anthropic-messages", "claude-sonnet-5", 2047, effort()],
  ["anthropic-messages", "claude-fable-5-2", 2047, effort()],
  ["google-generative-ai", "gemini-3.8-flash", 100, { thinkingLevel: "HIGH" }],
  ["google-generative-ai", "gemini-2.5-pro", 65_536, {
    thinkingBudget: 24_576,
  }],
  ["google-generative-ai", "gemini-2.5-pro", 9024, { thinkingBudget: 8000 }],
  ["google-generative-ai", "gemini-2.5-pro", 1500, {}],
];

function budget(budget_tokens: number): object {
  return { thinking: { type: "enabled", budget_tokens } };
}

function effort(): object {
  return {
    thinking: { type: "adaptive", display: "summarized" },
    output_config: { effort: "high" },
  };
}

for (const [api, id, maxTokens, expected] of THINKING) {
  Deno.test(`${api} asks ${id} for thinking as it expects it, with ${maxTokens} tokens`, async () => {
    const body = JSON.parse(
      await bodyOf(
        testModel(api, { id, reasoning: true }),
        { messages: [user("a")] },
        { reasoning: "high", maxTokens, temperature: 0 },
      ),
    );
    const { thinking, output_config, temperature, generationConfig } = body;
    const { includeThoughts, ...config } = generationConfig?.thinkingConfig ??
      {};
    assert.equal(includeThoughts, generationConfig && true);
    assert.deepEqual(
      JSON.parse(
        JSON.stringify({ thinking, output_config, temperature, ...config }),
      ),
      expected,
    );
  });
}

Deno.test("openai-completions uses each provider's words", async () => {
  const ask = async (provider: string) => {
    const model = testModel("openai-completions", {
      provider,
      reasoning: true,
    });
    const call = toolCall("call_0123456789", "ls");
    const messages = [
      user("hi"),
      assistant(model, [call]),
      toolResult(call.id, "ok"),
    ];
    const options = { reasoning: "xhigh", sessionId: "s1" } as const;
    const body = JSON.parse(await bodyOf(model, { messages }, options));
    return [
      body.max_completion_tokens ?? `old ${body.max_tokens}`,
      body.reasoning_effort,
      body.prompt_cache_key,
      body.messages[1].tool_calls[0].id,
    ];
  };
  const none = undefined;
  const id = "call_0123456789";
  assert.deepEqual(await ask("openai"), [4096, "xhigh", "s1", id]);
  assert.deepEqual(await ask("lab"), [4096, "high", none, id]);
  assert.deepEqual(await ask("deepseek"), ["old 4096", "high", none, id]);
  assert.deepEqual(await ask("mistral"), [
    "old 4096",
    "high",
    none,
    id.slice(6),
  ]);
});

Deno.test("openai-responses keeps to the lowest limit that its server takes", async () => {
  const messages = [user("hi")];
  const body = await bodyOf(testModel("openai-responses"), { messages }, {
    maxTokens: 1,
  });
  assert.equal(JSON.parse(body).max_output_tokens, 16);
});

Deno.test("google-generative-ai signs the first call for Gemini 3 and later, where it has no signature", async () => {
  const from = testModel("google-generative-ai", { id: "another" });
  const messages = [
    user("a"),
    assistant(from, [toolCall("c1", "ls"), toolCall("c2", "ls")]),
  ];
  const rows: [id: string, isSigned: boolean][] = [
    ["gemini-4", true],
    ["gemini-flash-latest", true],
    ["gemini-2.5-flash", false],
    ["gemma-4", false],
  ];
  for (const [id, isSigned] of rows) {
    const body = await bodyOf({ ...from, id }, { messages });
    const signatures = [...body.matchAll(/"thoughtSignature":"(.*?)"/g)];
    assert.deepEqual(
      signatures.map(([, signature]) => signature),
      isSigned ? ["skip_thought_signature_validator"] : [],
      id,
    );
  }
});
