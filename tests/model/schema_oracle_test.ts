// Independent validators must agree with ours on schemas and values that are
// made at random from the supported keywords.
import assert from "node:assert/strict";
import { Kind, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import {
  validateToolArguments,
  validateValue,
} from "../../src/model/validate_arguments.ts";

const names = fc.constantFrom("a", "b", "ab", "constructor", "__proto__");
/** Both oracles overlook a property `__proto__` of a schema. */
const schemaNames = names.filter((name) => name !== "__proto__");
const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    "",
    "a",
    "ab",
    "b1",
    "5",
    "true",
    "null",
  ),
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom(0.5, 2.5),
);
const anyValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(names, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const count = fc.integer({ min: 0, max: 3 });
const pattern = fc.constantFrom("^a", "b$", "^[a-z]+$", "1");

/** Schemas for ajv, which takes all keywords anywhere. */
const anySchema =
  fc.letrec<{ schema: object | boolean; object: object }>((tie) => {
    const schema = tie("schema");
    const list = fc.array(schema, { minLength: 1, maxLength: 3 });
    const type = fc.constantFrom(
      "null",
      "boolean",
      "integer",
      "number",
      "string",
      "array",
      "object",
    );
    const keywords = {
      type: fc.oneof(
        type,
        fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
      ),
      enum: fc.uniqueArray(anyValue, {
        minLength: 1,
        maxLength: 3,
        selector: (value) => JSON.stringify(value),
      }),
      const: anyValue,
      properties: fc.dictionary(schemaNames, schema, {
        maxKeys: 3,
        noNullPrototype: true,
      }),
      required: fc.uniqueArray(schemaNames, { maxLength: 2 }),
      additionalProperties: schema,
      patternProperties: fc.dictionary(pattern, schema, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      minProperties: count,
      maxProperties: count,
      items: schema,
      prefixItems: list,
      minItems: count,
      maxItems: count,
      uniqueItems: fc.boolean(),
      minLength: count,
      maxLength: count,
      pattern,
      minimum: fc.integer({ min: -2, max: 3 }),
      maximum: fc.integer({ min: -2, max: 3 }),
      exclusiveMinimum: fc.integer({ min: -2, max: 3 }),
      exclusiveMaximum: fc.integer({ min: -2, max: 3 }),
      multipleOf: fc.constantFrom(1, 2, 0.5),
      anyOf: list,
      oneOf: list,
      allOf: list,
      not: schema,
      $ref: fc.constantFrom("#/$defs/x", "#/$defs/y"),
    };
    const one = fc.constantFrom(
      ...Object.keys(keywords) as (keyof typeof keywords)[],
    )
      .chain((keyword) =>
        fc.record({ [keyword]: keywords[keyword] as fc.Arbitrary<unknown> })
      );
    return {
      schema: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc.oneof(fc.boolean(), fc.record({ type })),
        fc.array(one, { minLength: 1, maxLength: 3 }).map((parts) =>
          Object.assign({}, ...parts)
        ),
      ),
      object: fc.record({
        type: fc.constant("object"),
        properties: keywords.properties,
        required: keywords.required,
        $defs: fc.record({
          x: fc.record({ items: schema, properties: keywords.properties }),
          y: fc.record({ type: keywords.type }),
        }),
      }, { requiredKeys: ["type", "$defs"] }),
    };
  }).object;

Deno.test("validateValue() agrees with ajv", () => {
  let valid = 0;
  let compared = 0;
  fc.assert(
    fc.property(
      anySchema,
      fc.array(anyValue, { minLength: 4, maxLength: 8 }),
      (schema, values) => {
        let check: (value: unknown) => unknown;
        try {
          check = answering(
            new Ajv2020({
              strict: false,
              ownProperties: true,
              validateSchema: false,
            }).compile(schema),
          );
        } catch (error) {
          // A reference loop, which both refuse.
          assert.throws(() => validateValue(schema, {}), String(error));
          return;
        }
        if (isLoop(schema)) return;
        for (const value of values) {
          compared++;
          const expected = check(value) === true;
          if (expected) valid++;
          assert.equal(validateValue(schema, value).length === 0, expected);
          if (
            typeof value === "object" && value !== null && !Array.isArray(value)
          ) {
            assertConverted(schema, value, check);
          }
        }
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(valid > compared / 20, `${valid} of ${compared} are valid`);
});

/** Leaves out what the oracle has no answer to: the code that it makes of a few schemas fails. */
function answering(
  check: (value: unknown) => unknown,
): (value: unknown) => unknown {
  return (value) => {
    try {
      return check(value);
    } catch (error) {
      assert(error instanceof TypeError, String(error));
      fc.pre(false);
    }
  };
}

/** What comes out of a conversion fits; what fits comes out as it was. */
function assertConverted(
  schema: object,
  value: object,
  check: (value: unknown) => unknown,
): void {
  let converted;
  try {
    converted = validateToolArguments({ name: "t", parameters: schema }, {
      arguments: value as never,
    });
  } catch (error) {
    assert.equal((error as Error).name, "ToolArgumentsError", String(error));
    assert.ok(!check(value));
    return;
  }
  assert.ok(check(converted));
  if (check(value)) assert.deepEqual(converted, value);
}

/** Ours refuses a schema that applies itself to the same value; ajv would overflow. */
function isLoop(schema: object): boolean {
  try {
    validateValue(schema, {});
    return false;
  } catch (error) {
    assert.match(String(error), /applies itself/);
    return true;
  }
}

const typeboxSchema = fc.letrec<{ schema: TSchema }>((tie) => {
  const schema = tie("schema");
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(
        fc.constantFrom<TSchema>(
          Type.Null(),
          Type.Boolean(),
          Type.Any(),
          Type.Never(),
        ),
        fc.record({ minimum: count, maximum: count }, { requiredKeys: [] }).map(
          (options) => Type.Integer(options),
        ),
        fc.record({
          exclusiveMinimum: count,
          multipleOf: fc.constantFrom(1, 2),
        }, { requiredKeys: [] })
          .map((options) => Type.Number(options)),
        fc.record({ minLength: count, maxLength: count, pattern }, {
          requiredKeys: [],
        })
          .map((options) => Type.String(options)),
        fc.constantFrom<string | number | boolean>("a", "5", 5, true).map((
          value,
        ) => Type.Literal(value)),
      ),
      fc.tuple(
        schema,
        fc.record({ minItems: count, uniqueItems: fc.boolean() }, {
          requiredKeys: [],
        }),
      )
        .map(([item, options]) => Type.Array(item, options)),
      list.map((items) => Type.Tuple(items)),
      fc.tuple(
        fc.dictionary(schemaNames, fc.tuple(schema, fc.boolean()), {
          maxKeys: 3,
          noNullPrototype: true,
        }),
        fc.constantFrom({}, { additionalProperties: false }, {
          additionalProperties: Type.Integer(),
        }),
      ).map(([members, options]) =>
        Type.Object(
          Object.fromEntries(
            Object.entries(members).map(([name, [member, isOptional]]) => [
              name,
              isOptional || Value.Check(member, undefined)
                ? Type.Optional(member)
                : member,
            ]),
          ),
          options,
        )
      ),
      schema.map((member) =>
        Type.Record(Type.String({ pattern: "^a" }), member)
      ),
      list.map((branches) => Type.Union(branches)),
      list.map((parts) => Type.Intersect(parts)),
      schema.map((part) => Type.Not(part)),
    ),
  };
}).schema;

Deno.test("validateValue() agrees with TypeBox", () => {
  let valid = 0;
  let compared = 0;
  fc.assert(
    fc.property(
      typeboxSchema,
      fc.array(anyValue, { minLength: 4, maxLength: 8 }),
      (schema, values) => {
        for (const value of values) {
          // It would find this one in the prototype of the value.
          if (JSON.stringify(schema).includes("constructor")) continue;
          compared++;
          const expected = Value.Check(schema, value);
          if (expected) valid++;
          assert.equal(validateValue(schema, value).length === 0, expected);
          const plain = JSON.parse(JSON.stringify(schema));
          assert.equal(Object.hasOwn(plain, Kind), false);
          assert.deepEqual(
            validateValue(plain, value),
            validateValue(schema, value),
          );
        }
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(valid > compared / 20, `${valid} of ${compared} are valid`);
});

Deno.test("validateValue() differs from TypeBox on purpose", () => {
  // Lengths count characters, not UTF-16 units, as JSON Schema has it.
  const long = Type.String({ minLength: 2 });
  assert.equal(Value.Check(long, "😀"), true);
  assert.equal(validateValue(long, "😀").length, 1);
  // A property must be the value's own.
  const built = Type.Object({ constructor: Type.Any() });
  assert.equal(Value.Check(built, {}), true);
  assert.equal(validateValue(built, {}).length, 1);
  // A required property must be there, also when its value may be anything.
  const any = Type.Object({ a: Type.Union([Type.Any(), Type.String()]) });
  assert.equal(Value.Check(any, {}), true);
  assert.equal(validateValue(any, {}).length, 1);
});

Deno.test("validateValue() differs from ajv on purpose", () => {
  // A decimal fraction is a multiple when it is one on paper.
  const schema = { multipleOf: 0.1 };
  assert.equal(new Ajv2020().validate(schema, 0.3), false);
  assert.deepEqual(validateValue(schema, 0.3), []);
});
