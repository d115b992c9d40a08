import assert from "node:assert/strict";
import { SchemaError } from "../../src/model/schema_error.ts";
import { toWireSchema } from "../../src/model/wire_schema.ts";

Deno.test("toWireSchema() leaves an ordinary schema as it is", () => {
  const schema = {
    type: "object",
    properties: { path: { type: "string", minLength: 1 } },
    required: ["path"],
    additionalProperties: false,
  };
  assert.deepEqual(toWireSchema(schema), { schema, isLooser: false });
});

Deno.test("toWireSchema() takes no schema at all for one of no parameters", () => {
  assert.deepEqual(toWireSchema({}), {
    schema: { type: "object", properties: {} },
    isLooser: false,
  });
});

Deno.test("toWireSchema() joins alternatives at the top", () => {
  const { schema, isLooser } = toWireSchema({
    anyOf: [
      {
        type: "object",
        properties: { a: { type: "string" }, both: { type: "string" } },
        required: ["a", "both"],
      },
      {
        type: "object",
        properties: { b: { type: "number" }, both: { type: "number" } },
        required: ["b", "both"],
      },
    ],
  });
  assert.equal(isLooser, true);
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      a: { type: "string" },
      both: { anyOf: [{ type: "string" }, { type: "number" }] },
      b: { type: "number" },
    },
    required: ["both"],
  });
});

Deno.test("toWireSchema() joins what stands beside alternatives, and allOf", () => {
  const { schema } = toWireSchema({
    type: "object",
    description: "What to do",
    properties: { id: { type: "string" } },
    required: ["id"],
    allOf: [{ properties: { n: { type: "number" } }, required: ["n"] }],
    oneOf: [{ properties: { x: {} } }, { properties: { y: {} } }],
  });
  assert.deepEqual(schema, {
    description: "What to do",
    type: "object",
    properties: { id: { type: "string" }, n: { type: "number" }, x: {}, y: {} },
    required: ["id", "n"],
  });
});

Deno.test("toWireSchema() writes out references", () => {
  const { schema } = toWireSchema({
    $ref: "#/$defs/A",
    $defs: {
      A: {
        type: "object",
        properties: {
          x: { $ref: "#/$defs/B" },
          list: { type: "array", items: { $ref: "#/$defs/B", title: "One" } },
          $ref: { type: "string" },
        },
      },
      B: { type: "string" },
    },
  });
  assert.deepEqual(schema, {
    type: "object",
    properties: {
      x: { type: "string" },
      list: { type: "array", items: { type: "string", title: "One" } },
      $ref: { type: "string" },
    },
  });
});

const refused: [string, unknown, RegExp][] = [
  ["text", { type: "string" }, /schema of an object, got one of string/],
  ["nothing", undefined, /schema of an object/],
  ["true", true, /schema of an object/],
  [
    "a schema that contains itself",
    { type: "object", properties: { n: { $ref: "#" } } },
    /contains itself.*\(at #\/properties\/n\/\$ref\)/,
  ],
  [
    "a keyword with an unknown meaning",
    { type: "object", if: {} },
    /"if" is not supported/,
  ],
  [
    "alternatives that are no objects",
    { anyOf: [{ type: "object" }, { type: "number" }] },
    /\(at #\/anyOf\/1\)/,
  ],
  ["a value that is no JSON", { type: "object", n: 1n }, /not JSON/],
  [
    "references that fan out",
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/d0" } },
      $defs: Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`d${i}`, {
          type: "object",
          properties: i === 19 ? {} : {
            a: { $ref: `#/$defs/d${i + 1}` },
            b: { $ref: `#/$defs/d${i + 1}` },
          },
        }]),
      ),
    },
    /too large/,
  ],
];

for (const [what, schema, text] of refused) {
  Deno.test(`toWireSchema() refuses ${what}`, () => {
    assert.throws(() => toWireSchema(schema), (error) => {
      assert(error instanceof SchemaError);
      assert.match(error.message, text);
      return true;
    });
  });
}
