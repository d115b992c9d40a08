import assert from "node:assert/strict";
import { isPlainSchema } from "../../../src/host/kernel/plain_schema.ts";

Deno.test("isPlainSchema() takes schemas whose check is linear, and nothing that could hang the host", () => {
  const plain = {
    type: "object",
    properties: {
      a: { type: "string", maxLength: 3 },
      b: { type: "array", items: { enum: [1, 2] } },
    },
    required: ["a"],
    additionalProperties: false,
  };
  assert(isPlainSchema(plain));
  for (
    const part of [
      { type: "string", pattern: "^(a+)+$" },
      { patternProperties: { "(a+)+": {} } },
      { $ref: "#/$defs/x" },
      { anyOf: [{ type: "string" }] },
      { uniqueItems: true },
      { not: {} },
      7,
    ]
  ) {
    assert(
      !isPlainSchema({ type: "object", properties: { a: part } }),
      JSON.stringify(part),
    );
  }
  let deep: object = {};
  for (let level = 0; level < 5000; level++) deep = { items: deep };
  assert(!isPlainSchema(deep));
});
