import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import { findRequestFault } from "./request_fault.ts";

type Json = Record<string, unknown>;

const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01" };
const schema = { type: "object", properties: {} };

const use = (id: unknown, args: unknown = "{}", name = "read") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const result = (id: string) => ({
  role: "tool",
  tool_call_id: id,
  content: "ok",
});
const ask = { role: "user", content: "hi" };

/** A request with everything that is allowed. */
const completions: Json = {
  model: "m",
  stream: true,
  max_completion_tokens: 1,
  tool_choice: "auto",
  tools: [{ type: "function", function: { name: "read", parameters: schema } }],
  messages: [
    { role: "system", content: "s" },
    ask,
    { role: "assistant", content: null, tool_calls: [use("a"), use("b")] },
    result("b"),
    result("a"),
    {
      role: "user",
      content: [{
        type: "image_url",
        image_url: { url: "data:image/png;base64,AA" },
      }],
    },
    { role: "assistant", content: "fine" },
  ],
};

const text = (words: string) => ({ type: "text", text: words });
const toolUse = (id: string, name = "read", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const toolResult = (id: string) => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text("ok")],
});
const say = (role: string, ...content: unknown[]) => ({ role, content });

const anthropic: Json = {
  model: "m",
  stream: true,
  max_tokens: 2000,
  thinking: { type: "enabled", budget_tokens: 1024 },
  system: [text("s")],
  tools: [{ name: "read", input_schema: schema }],
  messages: [
    say("user", text("hi")),
    say(
      "assistant",
      { type: "thinking", thinking: "", signature: "s" },
      toolUse("a"),
    ),
    say("user", toolResult("a"), text("go on")),
    say("assistant", text("fine")),
  ],
};

const message = (...content: unknown[]) => ({ role: "user", content });
const inputText = (text: string) => ({ type: "input_text", text });
const reasoning = {
  type: "reasoning",
  id: "rs",
  summary: [],
  encrypted_content: "sealed",
};
const functionCall = (call_id: unknown, args: unknown = "{}") => ({
  type: "function_call",
  call_id,
  name: "read",
  arguments: args,
});
const output = (call_id: string, output: unknown = "ok") => ({
  type: "function_call_output",
  call_id,
  output,
});

const responses: Json = {
  model: "m",
  stream: true,
  store: false,
  instructions: "s",
  max_output_tokens: 16,
  reasoning: { effort: "low" },
  include: ["reasoning.encrypted_content"],
  tool_choice: "auto",
  tools: [{
    type: "function",
    name: "read",
    parameters: schema,
    strict: false,
  }],
  input: [
    message(inputText("hi")),
    reasoning,
    { role: "assistant", content: "Looking." },
    functionCall("a"),
    functionCall("b"),
    output("b"),
    output("a", [
      inputText("see"),
      { type: "input_image", image_url: "data:image/png;base64,AA" },
    ]),
    message(inputText("and?")),
  ],
};

/** A schema that fits both formats' strict tools, and the other words of a tool. */
const strict = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};
const words = { name: "read", strict: true };

Deno.test("findRequestFault() accepts what the providers accept", () => {
  assert.equal(fault("openai-completions", {}), undefined);
  assert.equal(fault("openai-responses", {}), undefined);
  assert.equal(fault("anthropic-messages", {}), undefined);
  const wire = { ...words, parameters: strict };
  const tools = [{ type: "function", function: wire }];
  assert.equal(fault("openai-completions", { tools }), undefined);
  assert.equal(
    fault("openai-responses", { tools: [{ type: "function", ...wire }] }),
    undefined,
  );
  const optional = { ...strict, required: [] };
  assert.equal(
    fault("anthropic-messages", {
      tools: [{ ...words, input_schema: optional }],
    }),
    undefined,
  );
});

const mark = { cache_control: { type: "ephemeral" } };
const messages = (...list: unknown[]) => ({ messages: list });
const input = (...list: unknown[]) => ({ input: list });

const faults: [api: Api, why: RegExp, changes: Json][] = [
  ["openai-completions", /model/, { model: "" }],
  ["openai-completions", /stream/, { stream: false }],
  ["openai-completions", /must not be empty/, { messages: [] }],
  [
    "openai-completions",
    /surrogate/,
    messages({ role: "user", content: "\ud83d" }),
  ],
  ["openai-completions", /max_completion_tokens/, { max_completion_tokens: 0 }],
  ["openai-completions", /given twice/, { max_tokens: 5 }],
  ["openai-completions", /tools: must not be empty/, { tools: [] }],
  ["openai-completions", /tool_choice/, { tools: undefined }],
  ["openai-completions", /type object/, {
    tools: [{
      type: "function",
      function: { name: "x", parameters: { anyOf: [] } },
    }],
  }],
  ["openai-completions", /invalid tool name/, {
    tools: [{
      type: "function",
      function: { name: "a.b", parameters: schema },
    }],
  }],
  [
    "openai-completions",
    /must be first/,
    messages(ask, { role: "system", content: "s" }),
  ],
  [
    "openai-completions",
    /unknown role/,
    messages({ role: "human", content: "s" }),
  ],
  [
    "openai-completions",
    /empty content/,
    messages({ role: "user", content: " " }),
  ],
  [
    "openai-completions",
    /empty content/,
    messages({ role: "user", content: [] }),
  ],
  [
    "openai-completions",
    /empty text part/,
    messages({ role: "user", content: [text("")] }),
  ],
  ["openai-completions", /two user/, messages(ask, ask)],
  [
    "openai-completions",
    /two assistant/,
    messages(ask, { role: "assistant", content: "a" }, {
      role: "assistant",
      content: "b",
    }),
  ],
  [
    "openai-completions",
    /empty assistant/,
    messages(ask, { role: "assistant", content: " \n" }),
  ],
  ["openai-completions", /without a call/, messages(ask, result("a"))],
  [
    "openai-completions",
    /no result: b/,
    calls([use("a"), use("b")], result("a")),
  ],
  ["openai-completions", /no result: a/, calls([use("a")], ask, result("a"))],
  [
    "openai-completions",
    /without a call/,
    calls([use("a")], result("a"), result("a")),
  ],
  [
    "openai-completions",
    /used twice/,
    calls([use("a"), use("a")], result("a")),
  ],
  ["openai-completions", /id is missing/, calls([use("")])],
  ["openai-completions", /too long/, calls([use("x".repeat(65))])],
  ["openai-completions", /JSON object/, calls([use("a", "")])],
  ["openai-completions", /JSON object/, calls([use("a", "[]")])],
  ["openai-completions", /JSON object/, calls([use("a", {})])],
  ["openai-completions", /invalid tool name/, calls([use("a", "{}", "a b")])],
  ["openai-completions", /tool_calls must not be empty/, calls([])],
  ...[
    [/must be false/, { ...strict, additionalProperties: undefined }],
    [/must include every key/, { ...strict, required: [] }],
    [/'oneOf'/, { ...strict, properties: { path: { oneOf: [] } } }],
    [/'minLength'/, {
      ...strict,
      properties: { path: { type: "string", minLength: 1 } },
    }],
    [/'type' key/, { ...strict, properties: { path: {} } }],
    [/is missing/, { ...strict, properties: { path: { type: "array" } } }],
  ].map(([why, parameters]): (typeof faults)[number] => [
    "openai-completions",
    why as RegExp,
    { tools: [{ type: "function", function: { ...words, parameters } }] },
  ]),
  ...[
    [/must be false/, [{ ...strict, additionalProperties: true }]],
    [/'maximum'/, [{
      ...strict,
      properties: { path: { type: "number", maximum: 1 } },
    }]],
    [/too many strict tools/, Array(21).fill(strict)],
    [
      /too many optional/,
      Array(9).fill({
        ...strict,
        properties: { a: strict, b: strict, c: strict },
      }),
    ],
    [
      /too many .* union/,
      Array(17).fill({
        ...strict,
        properties: { path: { type: ["string", "null"] } },
      }),
    ],
  ].map(([why, schemas]): (typeof faults)[number] => [
    "anthropic-messages",
    why as RegExp,
    {
      tools: (schemas as Json[]).map((input_schema, i) => ({
        name: `t${i}`,
        strict: true,
        input_schema,
      })),
    },
  ]),
  ["anthropic-messages", /max_tokens/, { max_tokens: undefined }],
  ["anthropic-messages", /less than max_tokens/, { max_tokens: 1024 }],
  ["anthropic-messages", /at least 1024/, {
    thinking: { type: "enabled", budget_tokens: 10 },
  }],
  ["anthropic-messages", /temperature/, { temperature: 0 }],
  ["anthropic-messages", /system/, { system: [text("")] }],
  ["anthropic-messages", /cache_control/, {
    messages: [say("user", ...Array(5).fill({ ...text("a"), ...mark }))],
  }],
  ["anthropic-messages", /type object/, {
    tools: [{ name: "x", input_schema: {} }],
  }],
  [
    "anthropic-messages",
    /first message/,
    messages(say("assistant", text("a"))),
  ],
  [
    "anthropic-messages",
    /alternate/,
    messages(say("user", text("a")), say("user", text("a"))),
  ],
  ["anthropic-messages", /unknown role/, messages(say("tool", text("a")))],
  ["anthropic-messages", /empty content/, messages(say("user"))],
  ["anthropic-messages", /non-empty/, messages(say("user", text(" ")))],
  ["anthropic-messages", /pattern/, uses([toolUse("a|b")], toolResult("a|b"))],
  [
    "anthropic-messages",
    /unique/,
    uses([toolUse("a"), toolUse("a")], toolResult("a")),
  ],
  [
    "anthropic-messages",
    /input/,
    uses([toolUse("a", "read", "{}")], toolResult("a")),
  ],
  [
    "anthropic-messages",
    /without tool_result: b/,
    uses([toolUse("a"), toolUse("b")], toolResult("a")),
  ],
  [
    "anthropic-messages",
    /must come first/,
    uses([toolUse("a")], text("x"), toolResult("a")),
  ],
  [
    "anthropic-messages",
    /without tool_use/,
    uses([toolUse("a")], toolResult("a"), toolResult("a")),
  ],
  [
    "anthropic-messages",
    /without tool_use/,
    messages(say("user", toolResult("a"))),
  ],
  [
    "anthropic-messages",
    /without tool_result/,
    messages(say("user", text("a")), say("assistant", toolUse("a"))),
  ],
  [
    "anthropic-messages",
    /without signature/,
    uses([{ type: "thinking", thinking: "x" }], text("x")),
  ],
  [
    "anthropic-messages",
    /trailing whitespace/,
    messages(say("user", text("a")), say("assistant", text("a "))),
  ],
  ["openai-responses", /model/, { model: "" }],
  ["openai-responses", /stream/, { stream: false }],
  ["openai-responses", /surrogate/, input(message(inputText("\ud83d")))],
  ["openai-responses", /input: must not be empty/, { input: [] }],
  ["openai-responses", /store/, { store: true }],
  ["openai-responses", /instructions/, { instructions: " " }],
  ["openai-responses", /at least 16/, { max_output_tokens: 15 }],
  ["openai-responses", /effort is missing/, { reasoning: {} }],
  ["openai-responses", /encrypted content/, { include: undefined }],
  ["openai-responses", /tools: must not be empty/, { tools: [] }],
  ["openai-responses", /tool_choice/, { tools: undefined }],
  ["openai-responses", /must be function/, { tools: [{ type: "custom" }] }],
  ["openai-responses", /strict is missing/, {
    tools: [{ type: "function", name: "read", parameters: schema }],
  }],
  ["openai-responses", /must be false/, {
    tools: [{ type: "function", ...words, parameters: schema }],
  }],
  ["openai-responses", /must be an object/, input("hi")],
  ["openai-responses", /unknown type/, input({ type: "thought" })],
  ["openai-responses", /unknown role/, input({ role: "system", content: "s" })],
  ["openai-responses", /empty content/, input(message())],
  ["openai-responses", /empty text part/, input(message(inputText(" ")))],
  ["openai-responses", /unknown type/, input(message(text("hi")))],
  [
    "openai-responses",
    /data URL/,
    input(message({ type: "input_image", image_url: "/a.png" })),
  ],
  [
    "openai-responses",
    /empty content/,
    input({ role: "assistant", content: "" }),
  ],
  ["openai-responses", /without its required/, input(reasoning)],
  [
    "openai-responses",
    /without its required/,
    input(reasoning, message(inputText("hi"))),
  ],
  [
    "openai-responses",
    /not stored/,
    input({ ...reasoning, encrypted_content: null }, functionCall("a")),
  ],
  ["openai-responses", /id is missing/, input({ ...reasoning, id: undefined })],
  [
    "openai-responses",
    /summary is missing/,
    input({ ...reasoning, summary: undefined }),
  ],
  ["openai-responses", /no tool output found.*: a/, input(functionCall("a"))],
  [
    "openai-responses",
    /before the output/,
    input(functionCall("a"), message(inputText("hi")), output("a")),
  ],
  [
    "openai-responses",
    /no function call found/,
    input(output("a"), functionCall("a")),
  ],
  [
    "openai-responses",
    /no function call found/,
    input(functionCall("a"), output("a"), output("a")),
  ],
  [
    "openai-responses",
    /used twice: a/,
    input(functionCall("a"), output("a"), functionCall("a"), output("a")),
  ],
  ["openai-responses", /call_id is missing/, input(functionCall(undefined))],
  ["openai-responses", /too long/, input(functionCall("x".repeat(65)))],
  [
    "openai-responses",
    /not stored/,
    input({ ...functionCall("a"), id: "fc_1" }),
  ],
  [
    "openai-responses",
    /invalid tool name/,
    input({ ...functionCall("a"), name: "a.b" }),
  ],
  ["openai-responses", /not a JSON object/, input(functionCall("a", "[]"))],
  [
    "openai-responses",
    /empty output/,
    input(functionCall("a"), output("a", "")),
  ],
  [
    "openai-responses",
    /empty content/,
    input(functionCall("a"), output("a", [])),
  ],
];

for (const [i, [api, why, changes]] of faults.entries()) {
  Deno.test(`findRequestFault() refuses a broken rule of ${api}: ${why.source} (${i})`, () => {
    assert.match(fault(api, changes) ?? "accepted", why);
  });
}

Deno.test("findRequestFault() wants Anthropic's headers", () => {
  for (const name of Object.keys(headers)) {
    const request = { headers: { ...headers, [name]: "" }, body: anthropic };
    assert.match(
      findRequestFault("anthropic-messages", request) ?? "accepted",
      new RegExp(name),
    );
  }
});

Deno.test("findRequestFault() follows its flags", () => {
  const twice = { ...completions, messages: [ask, ask] };
  assert.equal(
    findRequestFault("openai-completions", {
      headers,
      body: twice,
      strictAlternation: false,
    }),
    undefined,
  );
  const tool = { name: "x", input_schema: { type: "object", anyOf: [] } };
  const body = { ...anthropic, tools: [tool] };
  assert.equal(
    findRequestFault("anthropic-messages", { headers, body }),
    undefined,
  );
  assert.match(
    findRequestFault("anthropic-messages", {
      headers,
      body,
      strictSchemas: true,
    }) ?? "accepted",
    /anyOf/,
  );
});

function fault(api: Api, changes: Json): string | undefined {
  const whole = api === "openai-completions"
    ? completions
    : api === "openai-responses"
    ? responses
    : anthropic;
  return findRequestFault(api, { headers, body: { ...whole, ...changes } });
}

function calls(tool_calls: unknown[], ...after: unknown[]): Json {
  return messages(
    ask,
    { role: "assistant", content: null, tool_calls },
    ...after,
  );
}

function uses(blocks: unknown[], ...answer: unknown[]): Json {
  return messages(
    say("user", text("a")),
    say("assistant", ...blocks),
    say("user", ...answer),
  );
}
