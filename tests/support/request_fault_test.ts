import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import { patched } from "./patched.ts";
import { findRequestFault } from "./request_fault.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

const headers = {
  "x-api-key": "k",
  "anthropic-version": "2023-06-01",
  "x-goog-api-key": "k",
};
/** A schema that strict tools may have. */
const schema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};
const reference = {
  type: "object",
  properties: { a: { $ref: "#/$defs/a", description: "d" } },
};
const text = (text: string) => ({ type: "text", text });
const say = (role: string, ...content: Json[]) => ({ role, content });
const use = (id: string) => ({
  id,
  type: "function",
  function: { name: "read", arguments: "{}" },
});
const result = (id: string) => ({
  ...say("tool"),
  tool_call_id: id,
  content: "ok",
});
const toolUse = (id: string) => ({
  type: "tool_use",
  id,
  name: "read",
  input: {},
});
const toolResult = (id: string) => ({
  type: "tool_result",
  tool_use_id: id,
  content: [text("ok")],
});
const inputText = (text: string) => ({ type: "input_text", text });
const functionCall = (call_id: string) => ({
  type: "function_call",
  call_id,
  name: "read",
  arguments: "{}",
});
const output = (call_id: string, output: Json = "ok") => ({
  type: "function_call_output",
  call_id,
  output,
});
const part = (text: string) => ({ text });
const turn = (role: string, ...parts: Json[]) => ({ role, parts });
const call = (id: string) => ({
  functionCall: { id, name: "read", args: {} },
});
const response = (id: string) => ({
  functionResponse: { id, name: "read", response: { output: "ok" } },
});
const image = { inlineData: { mimeType: "image/png", data: "AA" } };
const url = "data:image/png;base64,AA";

/** A request of each format with everything that is allowed. */
const WHOLE: Record<Api, Json> = {
  "openai-completions": {
    model: "m",
    stream: true,
    max_completion_tokens: 1,
    tool_choice: "auto",
    tools: [{
      type: "function",
      function: { name: "read", strict: true, parameters: schema },
    }],
    messages: [
      { role: "system", content: "s" },
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [use("a"), use("b")] },
      result("b"),
      result("a"),
      say("user", { type: "image_url", image_url: { url } }),
      { role: "assistant", content: "fine" },
    ],
  },
  "openai-responses": {
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
      strict: true,
    }],
    input: [
      say("user", inputText("hi")),
      { type: "reasoning", id: "rs", summary: [], encrypted_content: "sealed" },
      { role: "assistant", content: "Looking." },
      functionCall("a"),
      functionCall("b"),
      output("b"),
      output("a", [inputText("see"), { type: "input_image", image_url: url }]),
      say("user", inputText("and?")),
    ],
  },
  "anthropic-messages": {
    model: "m",
    stream: true,
    max_tokens: 2000,
    thinking: { type: "enabled", budget_tokens: 1024 },
    system: [text("s")],
    tools: [{
      name: "read",
      strict: true,
      input_schema: { ...schema, required: [] },
    }],
    messages: [
      say("user", text("hi")),
      say(
        "assistant",
        { type: "thinking", thinking: "", signature: "s" },
        toolUse("a"),
        toolUse("b"),
      ),
      say("user", toolResult("a"), toolResult("b"), text("go on")),
      say("assistant", text("fine")),
    ],
  },
  "google-generative-ai": {
    systemInstruction: { parts: [part("s")] },
    tools: [{
      functionDeclarations: [{ name: "read", parametersJsonSchema: reference }],
    }],
    toolConfig: { functionCallingConfig: { mode: "AUTO" } },
    generationConfig: {
      maxOutputTokens: 1,
      temperature: 0,
      thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" },
    },
    contents: [
      turn("user", part("hi"), image),
      turn(
        "model",
        { text: "Hm.", thought: true },
        { ...call("a"), thoughtSignature: "s" },
        call("b"),
      ),
      turn("user", response("b"), {
        functionResponse: { ...response("a").functionResponse, parts: [image] },
      }, image),
      turn("model", part("fine")),
    ],
  },
};

/** Changes of a right request, and why it is refused then. */
const FAULTS: Record<Api, [path: string, value: Json, why: RegExp][]> = {
  "openai-completions": [
    ["model", "", /model/],
    ["stream", false, /stream/],
    ["max_completion_tokens", 0, /max_completion_tokens/],
    ["max_tokens", 5, /given twice/],
    ["tools", [], /tools: must not be empty/],
    ["tools", undefined, /tool_choice/],
    ["tools.0.function.name", "a.b", /invalid tool name/],
    ["tools.0.function.parameters", { anyOf: [] }, /type object/],
    ["tools.0.function.parameters.additionalProperties", true, /must be false/],
    ["tools.0.function.parameters.required", [], /must include every key/],
    ["tools.0.function.parameters.properties.path", { oneOf: [] }, /'oneOf'/],
    ["tools.0.function.parameters.properties.path.minLength", 1, /minLength/],
    ["tools.0.function.parameters.properties.path", {}, /'type' key/],
    [
      "tools.0.function.parameters.properties.path.type",
      "array",
      /schema is missing/,
    ],
    ["messages", [], /must not be empty/],
    ["messages.1.content", "\ud83d", /surrogate/],
    ["messages.1.role", "system", /must be first/],
    ["messages.1.role", "human", /unknown role/],
    ["messages.1.content", " ", /content.* must not be empty/],
    ["messages.1.content", [], /content.* must not be empty/],
    ["messages.1.content", [text("")], /empty text part/],
    ["messages.5.content.0.image_url.url", "/a.png", /data URL/],
    ["messages.0", [say("user", text("a"))], /two user/],
    [
      "messages.5",
      [say("user", text("a")), say("user", text("a"))],
      /two user/,
    ],
    [
      "messages.6",
      ["a", "b"].map((content) => ({ role: "assistant", content })),
      /two assistant/,
    ],
    ["messages.6.content", " \n", /empty assistant/],
    ["messages.2.tool_calls", undefined, /empty assistant/],
    ["messages.2.tool_calls", [], /tool_calls: must not be empty/],
    ["messages.2.tool_calls.0.id", "b", /used twice/],
    ["messages.2.tool_calls.0.id", "", /id is missing/],
    ["messages.2.tool_calls.0.id", "x".repeat(65), /of wrong form/],
    ["messages.2.tool_calls.0.function.arguments", "", /JSON object/],
    ["messages.2.tool_calls.0.function.arguments", "[]", /JSON object/],
    ["messages.2.tool_calls.0.function.arguments", {}, /JSON object/],
    ["messages.2.tool_calls.0.function.name", "a b", /invalid tool name/],
    ["messages.3", undefined, /no result: b/],
    ["messages.3", [say("user", text("a"))], /no result: a/],
    ["messages.4", [result("a"), result("a")], /without a call/],
    ["messages.4.content", [], /must be a string/],
    ["messages.6", [result("a")], /without a call/],
  ],
  "openai-responses": [
    ["model", "", /model/],
    ["stream", false, /stream/],
    ["store", true, /store/],
    ["instructions", " ", /instructions/],
    ["max_output_tokens", 15, /at least 16/],
    ["reasoning", {}, /effort is missing/],
    ["include", undefined, /encrypted content/],
    ["tools", [], /tools: must not be empty/],
    ["tools", undefined, /tool_choice/],
    ["tools.0.type", "custom", /must be function/],
    ["tools.0.strict", undefined, /strict is missing/],
    ["tools.0.parameters.additionalProperties", true, /must be false/],
    ["input", [], /input: must not be empty/],
    ["input.0", "hi", /must hold objects/],
    ["input.0", { type: "thought" }, /unknown type/],
    ["input.0.role", "system", /unknown role/],
    ["input.0.content", [], /content.* must not be empty/],
    ["input.0.content.0.text", " ", /empty text part/],
    ["input.0.content.0.text", "\ud83d", /surrogate/],
    ["input.0.content.0.type", "text", /unknown type/],
    ["input.6.output.1.image_url", "/a.png", /data URL/],
    ["input.1.id", undefined, /id is missing/],
    ["input.1.summary", undefined, /summary is missing/],
    ["input.1.encrypted_content", null, /not stored/],
    ["input.2", [say("user", inputText("hi"))], /without its required/],
    ["input.2.content", "", /content.* must not be empty/],
    ["input.3.call_id", undefined, /id is missing/],
    ["input.3.call_id", "x".repeat(65), /of wrong form/],
    ["input.3.call_id", "b", /used twice: b/],
    ["input.3.id", "fc_1", /not stored/],
    ["input.3.name", "a.b", /invalid tool name/],
    ["input.3.arguments", "[]", /not a JSON object/],
    ["input.4", [functionCall("b"), output("c")], /without a call/],
    ["input.5", undefined, /no result: b/],
    ["input.5", [say("user", inputText("hi"))], /no result: a, b/],
    ["input.5", [output("b"), output("b")], /without a call/],
    ["input.5.output", "", /output must not be empty/],
    ["input.6.output", [], /content.* must not be empty/],
    ["input.7", [functionCall("c")], /no result: c/],
  ],
  "anthropic-messages": [
    ["max_tokens", undefined, /max_tokens/],
    ["max_tokens", 1024, /less than max_tokens/],
    ["thinking.budget_tokens", 10, /at least 1024/],
    ["temperature", 0, /temperature/],
    ["system.0.text", "", /system/],
    ["tool_choice", { type: "auto" }, /accepted/],
    ["tools.0.input_schema.additionalProperties", true, /must be false/],
    ["tools.0.input_schema.properties.path.maximum", 1, /'maximum'/],
    ["tools.0.input_schema.type", undefined, /'type' key/],
    ["tools", strictTools(21, schema), /too many strict tools/],
    [
      "tools",
      strictTools(9, { ...schema, properties: { a: schema, b: schema } }),
      /accepted/,
    ],
    [
      "tools",
      strictTools(13, { ...schema, properties: { a: schema, b: schema } }),
      /too many optional/,
    ],
    [
      "tools",
      strictTools(17, {
        ...schema,
        properties: { path: { type: ["string", "null"] } },
      }),
      /too many .* union/,
    ],
    ["tools", [{ name: "x", input_schema: {} }], /type object/],
    ["messages.0", [say("assistant", text("a"))], /beginning with user/],
    ["messages.0.role", "tool", /alternate/],
    ["messages.0.content", [], /content.* must not be empty/],
    ["messages.0.content.0.text", " ", /non-empty/],
    [
      "messages.0.content",
      Array(5).fill({ ...text("a"), cache_control: { type: "ephemeral" } }),
      /cache_control/,
    ],
    [
      "messages.3",
      [say("user", text("a")), say("user", text("a"))],
      /alternate/,
    ],
    ["messages.1.content.0.signature", undefined, /without signature/],
    ["messages.1.content.1.id", "a|b", /of wrong form/],
    ["messages.1.content.1.id", "b", /used twice/],
    ["messages.1.content.1.input", "{}", /JSON object/],
    ["messages.1.content.1.name", "a.b", /invalid tool name/],
    ["messages.2.content.1", undefined, /no result: b/],
    ["messages.2.content.0", [text("x"), toolResult("a")], /must come first/],
    [
      "messages.2.content.0",
      [toolResult("a"), toolResult("a")],
      /without a call/,
    ],
    ["messages.2.content.0.content", [], /tool_result: must not be empty/],
    ["messages.0.content", [toolResult("a")], /without a call/],
    ["messages.3.content", [toolUse("c")], /no result: c/],
    ["messages.3.content.0.text", "a ", /trailing whitespace/],
  ],
  "google-generative-ai": [
    ["model", "m", /Unknown name "model"/],
    ["systemInstruction.parts.0.text", " ", /systemInstruction: empty text/],
    ["tools", undefined, /tool_choice/],
    ["tools.0.functionDeclarations.0.name", "1st", /invalid 1st/],
    ["tools.0.functionDeclarations.0.parameters", {}, /dialect/],
    [
      "tools.0.functionDeclarations.0.parametersJsonSchema",
      {},
      /type object/,
    ],
    [
      "tools.0.functionDeclarations.0.parametersJsonSchema.properties.a.type",
      "string",
      /alongside type/,
    ],
    ["generationConfig.maxOutputTokens", 0, /maxOutputTokens/],
    ["generationConfig.thinkingConfig.thinkingBudget", 1, /exclude/],
    [
      "generationConfig.thinkingConfig.thinkingLevel",
      "MINIMAL",
      /not supported/,
    ],
    ["contents", [], /contents: must not be empty/],
    ["contents.0", undefined, /role user/],
    ["contents.0", [turn("user", image), turn("user", image)], /role model/],
    ["contents.3.role", "assistant", /role model/],
    ["contents.0.parts", [], /parts: must not be empty/],
    ["contents.0.parts.0.text", " ", /empty text/],
    ["contents.0.parts.0.text", "\ud83d", /lone surrogate/],
    ["contents.0.parts.0", {}, /of no kind/],
    ["contents.0.parts.1.text", "a", /or of several/],
    ["contents.0.parts.1.inlineData.mimeType", "image/gif", /MIME type/],
    ["contents.0.parts.0", call("a"), /call of the user/],
    ["contents.0.parts.0", response("a"), /without a call/],
    ["contents.3.parts.0", response("a"), /response of the model/],
    ["contents.3.parts.0", call("c"), /no result: c/],
    ["contents.1.parts.1.functionCall.id", "b", /used twice/],
    ["contents.1.parts.1.functionCall.id", undefined, /id is missing/],
    ["contents.1.parts.1.functionCall.args", "{}", /JSON object/],
    ["contents.1.parts.1.functionCall.name", "a.b", /invalid tool name/],
    ["contents.2.parts.0", undefined, /no result: b/],
    [
      "contents.2.parts.0.functionResponse.name",
      "ls",
      /without a call: b ls/,
    ],
    ["contents.2.parts.0.functionResponse.id", "c", /without a call: c/],
    ["contents.2.parts.0.functionResponse.response", "ok", /output or error/],
    ["contents.2.parts.0", [part("x"), response("b")], /come first/],
  ],
};

function strictTools(count: number, input_schema: Json): Json[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `t${i}`,
    strict: true,
    input_schema,
  }));
}

function fault(api: Api, body: Json, more: Json = {}): string {
  return findRequestFault(api, { headers, body, ...more }) ?? "accepted";
}

for (const [api, faults] of Object.entries(FAULTS) as [Api, Json[]][]) {
  Deno.test(`findRequestFault() accepts a right request of ${api}, and refuses each broken rule`, () => {
    assert.equal(fault(api, WHOLE[api]), "accepted");
    for (const [path, value, why] of faults) {
      const what = `${path} = ${JSON.stringify(value)}`;
      assert.match(fault(api, patched(WHOLE[api], path, value)), why, what);
    }
  });
}

Deno.test("findRequestFault() wants the headers of Anthropic and Google", () => {
  for (const name of Object.keys(headers)) {
    const api = name.includes("goog")
      ? "google-generative-ai"
      : "anthropic-messages";
    const request = { headers: { ...headers, [name]: "" }, body: WHOLE[api] };
    assert.match(findRequestFault(api, request) ?? "", new RegExp(name));
  }
});

Deno.test("findRequestFault() follows its flags", () => {
  const rows: [Api, string, Json, Json, RegExp][] = [
    [
      "openai-completions",
      "messages",
      [say("user", text("a")), say("user", text("a"))],
      { strictAlternation: false },
      /accepted/,
    ],
    [
      "anthropic-messages",
      "tools.0",
      { name: "x", input_schema: { type: "object", anyOf: [] } },
      { strictSchemas: true },
      /anyOf/,
    ],
    [
      "google-generative-ai",
      "contents.1.parts.1.thoughtSignature",
      undefined,
      { signedCalls: true },
      /missing a thought_signature/,
    ],
  ];
  for (const [api, path, value, flags, why] of rows) {
    const body = patched(WHOLE[api], path, value);
    assert.match(fault(api, body, flags), why);
    assert.notEqual(fault(api, body, flags), fault(api, body));
  }
  assert.equal(
    fault("google-generative-ai", WHOLE["google-generative-ai"], {
      signedCalls: true,
    }),
    "accepted",
  );
});
