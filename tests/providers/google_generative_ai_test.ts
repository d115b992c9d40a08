import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { AssistantMessage } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import { ModelError } from "../../src/model/model_error.ts";
import type { Context } from "../../src/model/stream.ts";
import { googleGenerativeAi } from "../../src/providers/google_generative_ai.ts";
import { googleRequest } from "../../src/providers/google_generative_ai_request.ts";
import type {
  GooglePartWire,
  GoogleRequestWire,
} from "../../src/providers/google_generative_ai_wire.ts";
import {
  readPieces,
  recordedStream,
  testModel,
} from "../support/recorded_stream.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

const model = testModel("google-generative-ai", {
  id: "gemini-3-x",
  reasoning: true,
});
const before3 = { ...model, id: "gemini-2.5-flash" };
const png = {
  type: "image",
  data: "iVBORw0KGgo=",
  mimeType: "image/png",
} as const;
const inlineData = { mimeType: "image/png", data: "iVBORw0KGgo=" };
const schema = { type: "object", properties: {} } as const;
const NOT_SIGNED = "skip_thought_signature_validator";

/** A transcript with all there is. */
const context: Context = {
  systemPrompt: "You are tau.",
  tools: [{ name: "read", description: "Reads.", parameters: schema }],
  messages: [
    user([{ type: "text", text: "Look" }, png]),
    assistant(model, [
      { type: "thinking", thinking: "Hm.", thinkingSignature: "s1" },
      { type: "thinking", thinking: "Unsigned." },
      { type: "text", text: "Reading.", textSignature: "s2" },
      { ...toolCall("c|1", "read", { path: "a" }), thoughtSignature: "s3" },
      toolCall("c2", "1ls"),
    ]),
    toolResult("c2", "no such folder", { isError: true }),
    toolResult("c|1", [{ type: "text", text: "A picture" }, png]),
    user("And?"),
  ],
};

Deno.test("googleRequest() builds the whole body", () => {
  const expected: GoogleRequestWire = {
    contents: [
      { role: "user", parts: [{ text: "Look" }, { inlineData }] },
      {
        role: "model",
        parts: [
          { text: "Hm.", thought: true, thoughtSignature: "s1" },
          { text: "Reading.", thoughtSignature: "s2" },
          {
            functionCall: { id: "c_1", name: "read", args: { path: "a" } },
            thoughtSignature: "s3",
          },
          { functionCall: { id: "c2", name: "_1ls", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          {
            functionResponse: {
              id: "c_1",
              name: "read",
              response: { output: "A picture" },
              parts: [{ inlineData }],
            },
          },
          {
            functionResponse: {
              id: "c2",
              name: "_1ls",
              response: { error: "no such folder" },
            },
          },
          { text: "And?" },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: "You are tau." }] },
    tools: [{
      functionDeclarations: [{
        name: "read",
        description: "Reads.",
        parametersJsonSchema: schema,
      }],
    }],
    toolConfig: { functionCallingConfig: { mode: "NONE" } },
    generationConfig: {
      maxOutputTokens: 4096,
      temperature: 0.5,
      thinkingConfig: { includeThoughts: true, thinkingLevel: "HIGH" },
    },
  };
  const options = {
    temperature: 0.5,
    toolChoice: "none",
    reasoning: "xhigh",
  } as const;
  assert.deepEqual(googleRequest(model, context, options), expected);
});

Deno.test("googleRequest() puts pictures behind all results for models before Gemini 3", () => {
  const { contents } = googleRequest(before3, context, {});
  assert.deepEqual(contents.at(-1)?.parts.map(kindOf), [
    "functionResponse",
    "functionResponse",
    "Image of read:",
    "inlineData",
    "And?",
  ]);
});

Deno.test("googleRequest() replays signatures to their own model only, and says where one is missing", () => {
  const signatures = (to: Model) =>
    googleRequest(to, context, {}).contents
      .flatMap(({ parts }) => parts)
      .map((part) => part.thoughtSignature).filter((it) => it !== undefined);
  assert.deepEqual(signatures(model), ["s1", "s2", "s3"]);
  assert.deepEqual(signatures({ ...model, id: "gemini-4" }), [NOT_SIGNED]);
  assert.deepEqual(
    signatures({ ...model, id: "gemini-flash-latest" }),
    [NOT_SIGNED],
  );
  assert.deepEqual(signatures(before3), []);
  assert.deepEqual(signatures({ ...model, id: "gemma-4" }), []);
});

Deno.test("googleRequest() asks for thinking as the model expects it", () => {
  const ask = (id: string, maxTokens: number, reasoning = true) =>
    googleRequest({ ...model, id, reasoning }, { messages: [user("a")] }, {
      reasoning: "high",
      maxTokens,
    }).generationConfig?.thinkingConfig;
  const includeThoughts = true;
  assert.deepEqual(ask("gemini-3.8-flash", 100), {
    includeThoughts,
    thinkingLevel: "HIGH",
  });
  assert.deepEqual(ask("gemini-2.5-pro", 65_536), {
    includeThoughts,
    thinkingBudget: 24_576,
  });
  assert.deepEqual(ask("gemini-2.5-pro", 9024), {
    includeThoughts,
    thinkingBudget: 8000,
  });
  assert.deepEqual(ask("gemini-2.5-pro", 1500), { includeThoughts });
  assert.equal(ask("gemini-3.8-flash", 100, false), undefined);
});

Deno.test("googleRequest() sends schemas that are accepted, and changes none in place", () => {
  const parameters = {
    type: "object",
    properties: {
      a: { $ref: "#/$defs/a", type: "string", description: "d" },
      $ref: { type: "string", minLength: 1 },
    },
    $defs: { a: { type: "string" } },
  };
  const before = structuredClone(parameters);
  const tools = [{ name: "t", description: "d", parameters }];
  const body = googleRequest(model, { messages: [user("a")], tools }, {});
  assert.deepEqual(
    body.tools?.[0]?.functionDeclarations[0]?.parametersJsonSchema,
    {
      ...parameters,
      properties: {
        ...parameters.properties,
        a: { $ref: "#/$defs/a", description: "d" },
      },
    },
  );
  assert.deepEqual(parameters, before);
  const strict = { type: "json_schema", strict: "require" } as const;
  assert.throws(
    () =>
      googleRequest(model, {
        messages: [user("a")],
        tools: [{ ...tools[0]!, constrainedSampling: strict }],
      }, {}),
    (error) => error instanceof ModelError && error.kind === "refused",
  );
});

Deno.test("googleRequest() says what stands for a GIF, and where the beginning is missing", () => {
  const gif = { ...png, mimeType: "image/gif" };
  const messages = [
    assistant(model, [toolCall("a", "read")]),
    toolResult("a", [gif]),
  ];
  assert.deepEqual(googleRequest(model, { messages }, {}).contents, [
    {
      role: "user",
      parts: [{ text: "(The beginning of the conversation was left out.)" }],
    },
    {
      role: "model",
      parts: [{
        functionCall: { id: "a", name: "read", args: {} },
        thoughtSignature: NOT_SIGNED,
      }],
    },
    {
      role: "user",
      parts: [{
        functionResponse: {
          id: "a",
          name: "read",
          response: { output: "(image omitted: the model takes no GIF)" },
        },
      }],
    },
  ]);
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

Deno.test("googleGenerativeAi() sends the key as a header alone, and the id of the model as one part of the path", async () => {
  await using double = startProviderDouble({
    api: "google-generative-ai",
    script: [say("Yes.")],
  });
  const id = "gemini-3/../x?key=1#é";
  const deltas = googleGenerativeAi(
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

function kindOf(part: GooglePartWire): string | undefined {
  return part.text ?? Object.keys(part)[0];
}
