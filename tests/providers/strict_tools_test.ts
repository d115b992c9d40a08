import fc from "fast-check";
import assert from "node:assert/strict";
import type { Api, Model } from "../../src/model/model.ts";
import { ModelError } from "../../src/model/model_error.ts";
import type {
  ConstrainedSampling,
  JsonSchema,
  Tool,
} from "../../src/model/tool.ts";
import { anthropicRequest } from "../../src/providers/formats/anthropic_messages_request.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { completionsRequest } from "../../src/providers/formats/openai_completions_request.ts";
import { responsesRequest } from "../../src/providers/formats/openai_responses_request.ts";
import { findPreset } from "../../src/providers/presets.ts";
import { wellFormedJson } from "../../src/providers/json_value.ts";
import { createMemoryOperations } from "../../src/operations/memory_operations.ts";
import {
  createEditToolDefinition,
  createReadToolDefinition,
} from "../../src/tools/factories.ts";
import { testModel } from "../support/recorded_stream.ts";
import { findRequestFault } from "../support/request_fault.ts";
import { user } from "../support/transcript_builder.ts";

const openai = homeModel("openai-completions", "openai", "gpt-5.1");
const responses = homeModel("openai-responses", "openai", "gpt-5.1");
const anthropic = homeModel(
  "anthropic-messages",
  "anthropic",
  "claude-sonnet-4-5-20250929",
);

const prefer = { type: "json_schema", strict: "prefer" } as const;
const required = { type: "json_schema", strict: "require" } as const;
/** Fits both providers. */
const schema = objectOf({ path: { type: "string" } });

for (const model of [openai, responses, anthropic]) {
  Deno.test(`${model.api} requests to ${model.provider} make a tool strict that asks for it and fits`, () => {
    for (const wish of [prefer, required]) {
      assert.deepEqual(strictIn(model, [tool(schema, wish)]), ["tool"]);
    }
    for (const wish of [false, undefined] as const) {
      assert.deepEqual(strictIn(model, [tool(schema, wish)]), []);
    }
    const grammar = { type: "grammar", variants: { openai_regex: "a" } };
    assert.deepEqual(
      strictIn(model, [tool(schema, grammar as ConstrainedSampling)]),
      [],
    );
  });

  Deno.test(`${model.api} requests to ${model.provider} make no tool strict at another address`, () => {
    const elsewhere = { ...model, baseUrl: "http://127.0.0.1:1/v1" };
    assert.deepEqual(strictIn(elsewhere, [tool(schema, prefer)]), []);
    assert.throws(
      () => strictIn(elsewhere, [tool(schema, required)]),
      refusal(
        /^Tool "tool" requires strict arguments: the model is not known/,
      ),
    );
  });
}

/** Why a schema fits neither provider. */
const misfits: [why: RegExp, schema: JsonSchema][] = [
  [/"additionalProperties"/, { ...schema, additionalProperties: undefined }],
  [/"a\.b" needs "additionalProperties"/, {
    ...objectOf({ a: objectOf({ b: { type: "object", properties: {} } }) }),
  }],
  [/no union/, { ...schema, anyOf: [schema] }],
  [/has no "properties"/, { type: "object", additionalProperties: false }],
  [
    /"path" has "minLength"/,
    objectOf({ path: { type: "string", minLength: 1 } }),
  ],
  [/"path" has "default"/, objectOf({ path: { type: "string", default: "" } })],
  [/"path" has "not"/, objectOf({ path: { type: "string", not: {} } })],
  [/"path" has no "type"/, objectOf({ path: {} })],
  [/"path" is not a schema/, objectOf({ path: true })],
  [/"path\[\]" is not a schema/, objectOf({ path: { type: "array" } })],
  [/unknown "format"/, objectOf({ path: { type: "string", format: "regex" } })],
  [/not a plain value/, objectOf({ path: { type: "string", enum: [{}] } })],
  [/does not describe/, { ...schema, required: ["path", "other"] }],
  [/deeper than 10 levels/, nested(10)],
];

for (const [why, misfit] of misfits) {
  Deno.test(`strictTools() leaves a tool as it is whose schema does not fit, or refuses: ${why.source}`, () => {
    for (const model of [openai, anthropic]) {
      assert.deepEqual(strictIn(model, [tool(misfit, prefer)]), []);
      assert.throws(
        () => strictIn(model, [tool(misfit, required)]),
        refusal(why),
      );
    }
  });
}

Deno.test("strictTools() follows each provider where they differ", () => {
  const optional = { ...schema, required: [] };
  const limited = objectOf({ n: { type: "number", minimum: 1 } });
  const recursive = objectOf({ node: { $ref: "#/$defs/node" } }, {
    $defs: { node: objectOf({ next: { $ref: "#/$defs/node" } }) },
  });
  for (const one of [limited, recursive]) {
    assert.deepEqual(strictIn(openai, [tool(one, required)]), ["tool"]);
    assert.deepEqual(strictIn(anthropic, [tool(one, prefer)]), []);
  }
  assert.deepEqual(strictIn(openai, [tool(optional, prefer)]), []);
  assert.deepEqual(strictIn(anthropic, [tool(optional, required)]), ["tool"]);
});

Deno.test("strictTools() makes no tool strict for Claude models before 4.5", () => {
  for (
    const [id, strict] of [
      ["claude-3-7-sonnet-20250219", []],
      ["claude-sonnet-4-20250514", []],
      ["claude-opus-4-1-20250805", []],
      ["claude-haiku-4-5-20251001", ["tool"]],
      ["claude-opus-4-6", ["tool"]],
      ["claude-sonnet-5", ["tool"]],
    ] as const
  ) {
    const tools = [tool(schema, prefer)];
    assert.deepEqual(strictIn({ ...anthropic, id }, tools), strict, id);
  }
});

Deno.test("strictTools() serves tools that require it first, up to the provider's limits", () => {
  const many = Array.from(
    { length: 20 },
    (_, i) => tool(schema, prefer, `t${i}`),
  );
  const last = tool(schema, required, "last");
  assert.deepEqual(strictIn(anthropic, [...many, last]), [
    ...many.slice(0, 19).map(({ name }) => name),
    "last",
  ]);
  const demanding = many.map((one) => ({
    ...one,
    constrainedSampling: required,
  }));
  assert.throws(
    () => strictIn(anthropic, [...demanding, last]),
    refusal(/"last".*at most 20 strict tools/),
  );
  const options = { ...objectOf(properties(24)), required: [] };
  assert.deepEqual(
    strictIn(anthropic, [
      tool(options, prefer, "a"),
      tool(options, prefer, "b"),
    ]),
    ["a"],
  );
});

Deno.test("strictTools() takes whatever a host says for a wish, and names from the prototype as names", () => {
  const odd = ["json_schema", 1, null, {}, { type: "json_schema", strict: 1 }];
  for (const wish of odd) {
    assert.deepEqual(
      strictIn(openai, [tool(schema, wish as unknown as ConstrainedSampling)]),
      [],
    );
  }
  const text =
    '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}';
  const names = objectOf(JSON.parse(text));
  assert.deepEqual(strictIn(openai, [tool(names, required)]), ["tool"]);
});

Deno.test("built-in tools are sent without strict while their schemas leave properties open", () => {
  const operations = createMemoryOperations({});
  const tools = [
    createReadToolDefinition("/", { operations }),
    createEditToolDefinition("/", { operations }),
  ];
  for (const model of [openai, anthropic]) {
    assert.deepEqual(strictIn(model, tools), []);
  }
});

Deno.test("deltaSourceFor() gives a source that ends in an error of kind refused, before anything is sent", async () => {
  const context = {
    messages: [user("hi")],
    tools: [tool({ type: "object", properties: {} }, required)],
  };
  const deltas = [];
  for await (
    const batch of (await deltaSourceFor(openai.api))(openai, context, {
      apiKey: "k",
    })
  ) {
    deltas.push(...batch);
  }
  assert.deepEqual(deltas, [{
    type: "error",
    reason: "error",
    errorKind: "refused",
    errorMessage:
      'Tool "tool" requires strict arguments: the schema needs "additionalProperties": false',
  }]);
});

Deno.test("strictTools() never makes a tool strict that the provider would refuse, whatever its schema", () => {
  const { schemas } = fc.letrec<{ schemas: JsonSchema }>((tie) => ({
    schemas: fc.oneof(
      { maxDepth: 4 },
      { weight: 3, arbitrary: fc.constant({ type: "string" }) },
      fc.record({
        type: fc.constantFrom("string", "number", ["string", "null"]),
        minimum: fc.constant(1),
        default: fc.constant(1),
        minLength: fc.constant(1),
      }, { requiredKeys: ["type"] }),
      fc.record({ type: fc.constant("array"), items: tie("schemas") }),
      fc.record({
        anyOf: fc.array(tie("schemas"), { minLength: 1, maxLength: 2 }),
      }),
      fc.tuple(
        fc.dictionary(fc.constantFrom("a", "b", "c"), tie("schemas")),
        fc.boolean(),
        fc.constantFrom(false, false, false, true, undefined),
      ).map(([properties, all, additionalProperties]) => ({
        ...objectOf(properties),
        ...(all
          ? {}
          : { required: ["a"].filter((name) => name in properties) }),
        additionalProperties,
      })),
    ),
  }));
  let made = 0;
  fc.assert(
    fc.property(fc.array(schemas, { maxLength: 30 }), (list) => {
      const tools = list.map((one, i) =>
        tool(objectOf({ one }), prefer, `t${i}`)
      );
      made += strictIn(openai, tools).length +
        strictIn(anthropic, tools).length;
    }),
    { numRuns: 200 },
  );
  assert.ok(made > 100, `only ${made} were made strict`);
});

/** Names of the tools that a request makes strict; the request is one that the provider takes. */
function strictIn(model: Model, tools: Tool[]): string[] {
  const build = model.api === "anthropic-messages"
    ? anthropicRequest
    : model.api === "openai-responses"
    ? responsesRequest
    : completionsRequest;
  const built = build(model, { messages: [user("hi")], tools }, {});
  const body = JSON.parse(wellFormedJson(built));
  const headers = { "x-api-key": "k", "anthropic-version": "v" };
  assert.equal(findRequestFault(model.api, { headers, body }), undefined);
  return (body.tools ?? [])
    .map((one: { function?: object }) => one.function ?? one)
    .filter((one: { strict?: boolean }) => one.strict)
    .map((one: { name: string }) => one.name);
}

function homeModel(api: Api, provider: string, id: string): Model {
  const baseUrl = findPreset(provider)?.baseUrl ?? "";
  return testModel(api, { provider, id, baseUrl });
}

function tool(
  parameters: JsonSchema,
  constrainedSampling?: ConstrainedSampling,
  name = "tool",
): Tool {
  const words = { name, description: "Does it.", parameters };
  return constrainedSampling === undefined
    ? words
    : { ...words, constrainedSampling };
}

/** A schema that is closed, with all its properties required. */
function objectOf(properties: object, more: object = {}): JsonSchema {
  return {
    type: "object",
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  };
}

function properties(count: number): object {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, { type: "string" }]),
  );
}

function nested(levels: number): JsonSchema {
  return levels === 0
    ? { type: "string" }
    : objectOf({ inner: nested(levels - 1) });
}

function refusal(why: RegExp): (error: unknown) => boolean {
  return (error) =>
    error instanceof ModelError && error.kind === "refused" &&
    why.test(error.message);
}
