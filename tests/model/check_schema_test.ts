import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import { checkSchema } from "../../src/model/compile_schema.ts";
import { SchemaError } from "../../src/model/schema_error.ts";
import { validateValue } from "../../src/model/validate_arguments.ts";

/** Schemas that are refused, and where the fault is. */
const REFUSED: [schema: unknown, path: string][] = [
  [5, "#"],
  [{ type: "object", properties: { a: { if: {} } } }, "#/properties/a/if"],
  [
    { properties: { "a/b~": { contains: {} } } },
    "#/properties/a~1b~0/contains",
  ],
  [{ items: { dependentSchemas: {} } }, "#/items/dependentSchemas"],
  [{ items: [{ propertyNames: {} }] }, "#/items/0/propertyNames"],
  [
    { prefixItems: [{}, { unevaluatedProperties: false }] },
    "#/prefixItems/1/unevaluatedProperties",
  ],
  [
    { additionalProperties: { dependentRequired: {} } },
    "#/additionalProperties/dependentRequired",
  ],
  [
    { patternProperties: { "^a": { dependencies: {} } } },
    "#/patternProperties/^a/dependencies",
  ],
  [{ anyOf: [{}, { $dynamicRef: "#a" }] }, "#/anyOf/1/$dynamicRef"],
  [
    { allOf: [{ oneOf: [{ not: { minContains: 1 } }] }] },
    "#/allOf/0/oneOf/0/not/minContains",
  ],
  [
    { $defs: { unused: { unevaluatedItems: false } } },
    "#/$defs/unused/unevaluatedItems",
  ],
  [{ $ref: "#/$defs/none" }, "#/$ref"],
  [{ $ref: "#/$defs/__proto__", $defs: {} }, "#/$ref"],
  [{ $ref: "#anchor" }, "#/$ref"],
  [{ $ref: "#/%" }, "#/$ref"],
  [{ $ref: "https://example.invalid/schema" }, "#/$ref"],
  [{ $ref: "#/$defs/a", $defs: { a: 5 } }, "#/$defs/a"],
  [{ $ref: "#" }, "#"],
  [{
    $defs: {
      a: { anyOf: [{ $ref: "#/$defs/b" }] },
      b: { not: { $ref: "#/$defs/a" } },
    },
    properties: { x: { $ref: "#/$defs/a" } },
  }, "#"],
  [{ type: "text" }, "#/type"],
  [{ type: [] }, "#/type"],
  [{ type: ["string", "Date"] }, "#/type"],
  [Type.Object({ a: Type.Date() }), "#/properties/a/type"],
  [{ enum: "a" }, "#/enum"],
  [{ required: true }, "#/required"],
  [{ properties: [] }, "#/properties"],
  [{ properties: { a: null } }, "#/properties/a"],
  [{ anyOf: [] }, "#/anyOf"],
  [{ items: null }, "#/items"],
  [{ pattern: "(" }, "#/pattern"],
  [{ pattern: 5 }, "#/pattern"],
  [{ patternProperties: { "[": {} } }, "#/patternProperties"],
  [{ minLength: "3" }, "#/minLength"],
  [{ maxItems: -1 }, "#/maxItems"],
  [{ minProperties: 0.5 }, "#/minProperties"],
  [{ exclusiveMinimum: true }, "#/exclusiveMinimum"],
  [{ multipleOf: 0 }, "#/multipleOf"],
  [{ uniqueItems: 1 }, "#/uniqueItems"],
];

Deno.test("checkSchema() refuses what it cannot check, with the place", () => {
  for (const [schema, path] of REFUSED) {
    assert.throws(() => checkSchema(schema), (error) => {
      assert.ok(error instanceof SchemaError, String(error));
      assert.equal(error.path, path, JSON.stringify(schema));
      assert.ok(error.message.endsWith(` (at ${path})`), error.message);
      return true;
    }, JSON.stringify(schema));
  }
});

Deno.test("checkSchema() ignores annotations and words that JSON Schema does not know", () => {
  checkSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "a",
    $comment: "",
    title: 5,
    description: "",
    default: { if: 1 },
    examples: [],
    deprecated: true,
    readOnly: true,
    writeOnly: true,
    format: "uri",
    contentEncoding: "base64",
    contentMediaType: "image/png",
    "x-order": 1,
    markdownDescription: "",
    properties: { if: {}, contains: {}, $ref: {}, type: { type: "string" } },
    enum: [{ if: 1 }],
    const: { then: 1 },
  });
  for (const schema of [true, false, {}]) checkSchema(schema);
});

Deno.test("checkSchema() refuses without overflow, a schema nested too deeply", () => {
  let schema: unknown = {};
  for (let i = 0; i < 100_000; i++) schema = { items: schema };
  assert.throws(() => checkSchema(schema), SchemaError);
});

Deno.test("checkSchema() takes schema objects that hold themselves", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { child: schema, n: { type: "integer" } };
  checkSchema(schema);
  assert.deepEqual(validateValue(schema, { child: { child: { n: "x" } } }), [
    { path: "child.child.n", message: "Expected integer, got string" },
  ]);
});

Deno.test("checkSchema() follows references to places and to ids, TypeBox's among them", () => {
  const tree = Type.Recursive((This) =>
    Type.Object({ n: Type.Integer(), nodes: Type.Array(This) })
  );
  const module = Type.Module({
    A: Type.Object({ b: Type.Optional(Type.Ref("B")) }),
    B: Type.Object({ a: Type.Ref("A"), n: Type.Integer() }),
  });
  const cases: [schema: object, value: unknown, path: string][] = [
    [tree, { n: 1, nodes: [{ n: "x", nodes: [] }] }, "nodes.0.n"],
    [
      module.Import("A"),
      { b: { a: { b: { a: {}, n: "x" } }, n: 1 } },
      "b.a.b.n",
    ],
    [
      {
        properties: {
          "a b": { type: "string" },
          c: { $ref: "#/properties/a%20b" },
        },
      },
      { c: 1 },
      "c",
    ],
    [
      {
        definitions: { "x/y": { type: "string" } },
        items: { $ref: "#/definitions/x~1y" },
      },
      [1],
      "0",
    ],
    [
      { properties: { a: { $ref: "#" } }, required: ["b"] },
      { b: 1, a: {} },
      "a.b",
    ],
  ];
  for (const [schema, value, path] of cases) {
    checkSchema(schema);
    assert.deepEqual(validateValue(schema, value).map((fault) => fault.path), [
      path,
    ]);
  }
});
