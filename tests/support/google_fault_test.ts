import assert from "node:assert/strict";
import { findRequestFault } from "./request_fault.ts";

type Json = Record<string, unknown>;

const text = (words: string) => ({ text: words });
const call = (id: unknown, name = "read", args: unknown = {}) => ({
  functionCall: { id, name, args },
});
const response = (id: string, name = "read", more: Json = {}) => ({
  functionResponse: { id, name, response: { output: "ok" }, ...more },
});
const say = (role: string, ...parts: unknown[]) => ({ role, parts });
const image = { inlineData: { mimeType: "image/png", data: "AA" } };
const declare = (parametersJsonSchema: unknown, more: Json = {}) => ({
  tools: [{
    functionDeclarations: [{ name: "read", parametersJsonSchema, ...more }],
  }],
});
const thinking = (thinkingConfig: Json) => ({
  generationConfig: { thinkingConfig },
});

/** A request with everything that is allowed. */
const whole: Json = {
  systemInstruction: { parts: [text("s")] },
  ...declare({
    type: "object",
    properties: { a: { $ref: "#/$defs/a", description: "d" } },
  }),
  toolConfig: { functionCallingConfig: { mode: "AUTO" } },
  generationConfig: {
    maxOutputTokens: 1,
    temperature: 0,
    thinkingConfig: { includeThoughts: true, thinkingLevel: "LOW" },
  },
  contents: [
    say("user", text("hi"), image),
    say(
      "model",
      { text: "Hm.", thought: true },
      { ...call("a"), thoughtSignature: "s" },
      call("b"),
    ),
    say(
      "user",
      response("b"),
      response("a", "read", { parts: [image] }),
      image,
    ),
    say("model", text("fine")),
  ],
};

const contents = (...list: unknown[]) => ({ contents: list });
const ask = say("user", text("hi"));

const faults: [why: RegExp, changes: Json][] = [
  [/Unknown name "model"/, { model: "m" }],
  [/systemInstruction: empty text/, {
    systemInstruction: { parts: [text(" ")] },
  }],
  [/contents: must not be empty/, contents()],
  [/role user/, contents(say("model", text("a")))],
  [/role model/, contents(ask, ask)],
  [/role model/, contents(ask, say("assistant", text("a")))],
  [/empty parts/, contents(say("user"))],
  [/empty text/, contents(say("user", text(" ")))],
  [/of no kind/, contents(say("user", {}))],
  [/or of several/, contents(say("user", { ...image, text: "a" }))],
  [
    /MIME type/,
    contents(say("user", { inlineData: { mimeType: "image/gif", data: "A" } })),
  ],
  [/call of the user/, contents(say("user", call("a")))],
  [/response of the model/, contents(ask, say("model", response("a")))],
  [/no responses/, contents(ask, say("model", call("a")))],
  [
    /number of function responses/,
    contents(
      ask,
      say("model", call("a"), call("b")),
      say("user", response("a")),
    ),
  ],
  [
    /without its call: a ls/,
    contents(ask, say("model", call("a")), say("user", response("a", "ls"))),
  ],
  [
    /without its call: b/,
    contents(ask, say("model", call("a")), say("user", response("b"))),
  ],
  [/without its call/, contents(say("user", response("a")))],
  [
    /come first/,
    contents(
      ask,
      say("model", call("a")),
      say("user", text("x"), response("a")),
    ),
  ],
  [
    /output or error/,
    contents(
      ask,
      say("model", call("a")),
      say("user", response("a", "read", { response: "ok" })),
    ),
  ],
  [
    /used twice/,
    contents(
      ask,
      say("model", call("a"), call("a")),
      say("user", response("a")),
    ),
  ],
  [/no id/, contents(ask, say("model", call(undefined)))],
  [/args/, contents(ask, say("model", call("a", "read", "{}")))],
  [/invalid tool name/, contents(ask, say("model", call("a", "a.b")))],
  [/type object/, declare({})],
  [/invalid 1st/, declare({ type: "object" }, { name: "1st" })],
  [/dialect/, declare({ type: "object" }, { parameters: {} })],
  [
    /alongside type/,
    declare({
      type: "object",
      properties: { a: { $ref: "#/$defs/a", type: "string" } },
    }),
  ],
  [/toolConfig/, { tools: undefined }],
  [/maxOutputTokens/, { generationConfig: { maxOutputTokens: 0 } }],
  [/exclude/, thinking({ thinkingLevel: "LOW", thinkingBudget: 1 })],
  [/not supported/, thinking({ thinkingLevel: "MINIMAL" })],
  [/lone surrogate/, contents(say("user", text("\ud83d")))],
];

function fault(changes: Json, more: Json = {}): string | undefined {
  const body = JSON.parse(JSON.stringify({ ...whole, ...changes }));
  const headers = { "x-goog-api-key": "k" };
  const api = "google-generative-ai";
  return findRequestFault(api, { headers, body, ...more });
}

Deno.test("findRequestFault() accepts what Google accepts", () => {
  assert.equal(fault({}, { signedCalls: true }), undefined);
});

for (const [i, [why, changes]] of faults.entries()) {
  Deno.test(`findRequestFault() refuses a broken rule of google-generative-ai: ${why.source} (${i})`, () => {
    assert.match(fault(changes) ?? "accepted", why);
  });
}

Deno.test("findRequestFault() wants Google's header, and signatures where it is told so", () => {
  assert.match(fault({}, { headers: {} }) ?? "accepted", /x-goog-api-key/);
  const unsigned = contents(
    ask,
    say("model", call("a")),
    say("user", response("a")),
  );
  assert.equal(fault(unsigned), undefined);
  assert.match(
    fault(unsigned, { signedCalls: true }) ?? "accepted",
    /missing a thought_signature/,
  );
});
