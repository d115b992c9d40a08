import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import type { JsonSchema } from "../../src/model/tool.ts";
import {
  ToolArgumentsError,
  validateToolArguments,
  validateValue,
} from "../../src/model/validate_arguments.ts";

/** An object schema with one required property `v`. */
const v = (schema: JsonSchema) => Type.Object({ v: schema as never });
const optional = (schema: JsonSchema) => ({
  type: "object",
  properties: { v: schema },
});

const read = Type.Object({
  path: Type.String(),
  offset: Type.Optional(Type.Number()),
});
const edits = Type.Object({
  edits: Type.Array(
    Type.Object({ oldText: Type.String(), newText: Type.String() }),
  ),
});
const tree = {
  type: "object",
  required: ["v"],
  properties: { v: { $ref: "#/$defs/node" } },
  $defs: {
    node: {
      type: "object",
      required: ["n"],
      properties: { n: { type: "integer" }, child: { $ref: "#/$defs/node" } },
    },
  },
};
const shape = Type.Union([
  Type.Object({ kind: Type.Literal("circle"), radius: Type.Number() }),
  Type.Object({ kind: Type.Literal("square"), side: Type.Number() }),
]);

/** What comes of arguments: the outcome, or the lines that tell the faults. "Ours" marks where the reference converts otherwise. */
const TABLE: [
  name: string,
  schema: JsonSchema,
  input: unknown,
  outcome: unknown,
][] = [
  ["string from number", read, { path: 12345 }, { path: "12345" }],
  ["string from boolean", read, { path: true }, { path: "true" }],
  ["ours: string not from null", read, { path: null }, [
    "path: Expected string, got null",
  ]],
  ["string not from object", read, { path: {} }, [
    "path: Expected string, got object",
  ]],
  ["string not from array", read, { path: ["a"] }, [
    "path: Expected string, got array",
  ]],
  ["number from string", read, { path: "a", offset: "20" }, {
    path: "a",
    offset: 20,
  }],
  ["optional null is dropped", read, { path: "a", offset: null }, {
    path: "a",
  }],
  ["extra members are kept", read, { path: "a", x: null, y: 1 }, {
    path: "a",
    x: null,
    y: 1,
  }],
  ["missing", read, { offset: "x" }, [
    "path: Expected required property",
    "offset: Expected number, got string",
  ]],
  ["padded number", v(Type.Number()), { v: " 5 " }, { v: 5 }],
  ["exponent", v(Type.Number()), { v: "1e3" }, { v: 1000 }],
  ["hexadecimal", v(Type.Number()), { v: "0x10" }, { v: 16 }],
  ["empty number", v(Type.Number()), { v: "" }, { v: 0 }],
  ["number from null", v(Type.Number()), { v: null }, { v: 0 }],
  ["number from boolean", v(Type.Number()), { v: true }, { v: 1 }],
  ["number from a boolean's text", v(Type.Number()), { v: "false" }, { v: 0 }],
  ["number not from Infinity", v(Type.Number()), { v: "Infinity" }, [
    "v: Expected number, got string",
  ]],
  ["integer from fraction", v(Type.Integer()), { v: 3.7 }, { v: 3 }],
  ["integer from text", v(Type.Integer()), { v: "3.7" }, { v: 3 }],
  ["negative integer", v(Type.Integer()), { v: "-3.7" }, { v: -3 }],
  ["integer not from a word", v(Type.Integer()), { v: "three" }, [
    "v: Expected integer, got string",
  ]],
  ["integer not from object", v(Type.Integer()), { v: {} }, [
    "v: Expected integer, got object",
  ]],
  ["boolean from TRUE", v(Type.Boolean()), { v: "TRUE" }, { v: true }],
  ["boolean from text 0", v(Type.Boolean()), { v: "0" }, { v: false }],
  ["boolean from text 1", v(Type.Boolean()), { v: "1" }, { v: true }],
  ["boolean from 0", v(Type.Boolean()), { v: 0 }, { v: false }],
  ["boolean from null", v(Type.Boolean()), { v: null }, { v: false }],
  ["boolean not from 2", v(Type.Boolean()), { v: 2 }, [
    "v: Expected boolean, got integer",
  ]],
  ["boolean not from yes", v(Type.Boolean()), { v: "yes" }, [
    "v: Expected boolean, got string",
  ]],
  ["array wraps", v(Type.Array(Type.String())), { v: "x" }, { v: ["x"] }],
  ["array wraps and converts", v(Type.Array(Type.String())), { v: 5 }, {
    v: ["5"],
  }],
  ["ours: array of strings not from null", v(Type.Array(Type.String())), {
    v: null,
  }, ["v.0: Expected string, got null"]],
  [
    "array of strings not from object",
    v(Type.Array(Type.String())),
    { v: {} },
    ["v.0: Expected string, got object"],
  ],
  ["ours: array from JSON", v(Type.Array(Type.String())), { v: '["a","b"]' }, {
    v: ["a", "b"],
  }],
  ["array from what is no JSON", v(Type.Array(Type.String())), { v: "[a" }, {
    v: ["[a"],
  }],
  ["array not from a JSON object", v(Type.Array(Type.String())), {
    v: '{"a":1}',
  }, { v: ['{"a":1}'] }],
  ["ours: object from JSON", edits, {
    edits: '[{"oldText":"a\nb","newText":1}]',
  }, {
    edits: [{ oldText: "a\nb", newText: "1" }],
  }],
  ["array of objects from one JSON object", edits, {
    edits: '{"oldText":"a","newText":"b"}',
  }, {
    edits: [{ oldText: "a", newText: "b" }],
  }],
  ["array of objects from one object", edits, {
    edits: { oldText: "a", newText: "b" },
  }, {
    edits: [{ oldText: "a", newText: "b" }],
  }],
  ["object not from text", v(Type.Object({})), { v: "a" }, [
    "v: Expected object, got string",
  ]],
  ["object not from a JSON array", v(Type.Object({})), { v: "[1]" }, [
    "v: Expected object, got string",
  ]],
  ["path into an array", edits, { edits: [{ oldText: "a" }] }, [
    "edits.0.newText: Expected required property",
  ]],
  ["constant from text", v(Type.Literal(5)), { v: "5" }, { v: 5 }],
  ["constant from number", v(Type.Literal("5")), { v: 5 }, { v: "5" }],
  ["other constant", v(Type.Literal("a")), { v: "b" }, ['v: Expected "a"']],
  ["enum from text", v({ enum: [1, 2] }), { v: "2" }, { v: 2 }],
  ["enum", v({ enum: ["a", "b"] }), { v: "c" }, [
    'v: Expected one of "a", "b"',
  ]],
  [
    "ours: union of literals names all",
    v(Type.Union([Type.Literal("a"), Type.Literal("b")])),
    { v: "c" },
    [
      'v: Expected one of "a", "b"',
    ],
  ],
  ["literals or null", v(Type.Union([Type.Literal("a"), Type.Null()])), {
    v: 1,
  }, ['v: Expected one of "a", null']],
  [
    "first branch that converts",
    v(Type.Union([Type.Number(), Type.String()])),
    { v: true },
    { v: 1 },
  ],
  ["branch that fits as it is", v(Type.Union([Type.Number(), Type.String()])), {
    v: "1",
  }, { v: "1" }],
  ["union of types", v(Type.Union([Type.Number(), Type.String()])), { v: {} }, [
    "v: Expected number or string, got object",
  ]],
  [
    "near branch tells",
    v({ anyOf: [{ type: "number" }, { type: "string", minLength: 3 }] }),
    { v: "ab" },
    [
      "v: Expected at least 3 characters",
    ],
  ],
  [
    "nullable keeps null",
    optional({ anyOf: [{ type: "string" }, { type: "null" }] }),
    { v: null },
    { v: null },
  ],
  ["nullable from text", v(Type.Union([Type.Integer(), Type.Null()])), {
    v: "5",
  }, { v: 5 }],
  ["type list", v({ type: ["integer", "null"] }), { v: "5" }, { v: 5 }],
  [
    "type list keeps null",
    optional({ type: ["integer", "null"] }),
    { v: null },
    { v: null },
  ],
  ["type list of nothing that fits", v({ type: ["integer", "null"] }), {
    v: "x",
  }, [
    "v: Expected integer or null, got string",
  ]],
  ["tagged union converts", v(shape), { v: { kind: "square", side: "2" } }, {
    v: { kind: "square", side: 2 },
  }],
  ["tagged union tells of the meant branch", v(shape), {
    v: { kind: "square", side: "x" },
  }, [
    "v.side: Expected number, got string",
  ]],
  ["tagged union names all tags", v(shape), {
    v: { kind: "line", side: 1, radius: 1 },
  }, [
    'v.kind: Expected one of "circle", "square"',
  ]],
  ["allOf converts", { allOf: [read, v(Type.Integer())] }, {
    path: 1,
    v: "2",
    offset: null,
  }, { path: "1", v: 2 }],
  ["oneOf converts", v({ oneOf: [{ type: "integer" }, { type: "object" }] }), {
    v: "5",
  }, { v: 5 }],
  [
    "oneOf that fits twice",
    v({ oneOf: [{ type: "integer" }, { type: "number" }] }),
    { v: 5 },
    [
      "v: Expected to match only one schema of oneOf",
    ],
  ],
  ["reference, recursive", tree, {
    v: { n: "1", child: { n: "2", child: null } },
  }, { v: { n: 1, child: { n: 2 } } }],
  ["reference, fault", tree, { v: { n: 1, child: {} } }, [
    "v.child.n: Expected required property",
  ]],
  [
    "default is not applied",
    optional({ type: "string", default: "x" }),
    {},
    {},
  ],
  [
    "members by schema",
    { type: "object", additionalProperties: { type: "integer" } },
    { a: "1" },
    { a: 1 },
  ],
  [
    "members by pattern",
    { type: "object", patternProperties: { "^x": { type: "integer" } } },
    { x1: "1", y: "1" },
    {
      x1: 1,
      y: "1",
    },
  ],
  [
    "unknown property",
    Type.Object({ a: Type.Optional(Type.String()) }, {
      additionalProperties: false,
    }),
    {
      a: null,
      b: 1,
    },
    ["b: Unknown property"],
  ],
  [
    "unmatched pattern",
    {
      type: "object",
      patternProperties: { "^x": {} },
      additionalProperties: false,
    },
    { x: 1, y: 1 },
    ["y: Unknown property"],
  ],
  ["tuple converts", v(Type.Tuple([Type.Integer(), Type.String()])), {
    v: ["1", 2],
  }, { v: [1, "2"] }],
  [
    "short text, in code points",
    v(Type.String({ minLength: 2 })),
    { v: "😀" },
    ["v: Expected at least 2 characters"],
  ],
  ["long text", v(Type.String({ maxLength: 2 })), { v: "abc" }, [
    "v: Expected at most 2 characters",
  ]],
  ["pattern", v(Type.String({ pattern: "^a.$" })), { v: "b😀" }, [
    "v: Expected to match ^a.$",
  ]],
  [
    "pattern, in code points",
    v(Type.String({ pattern: "^a.$" })),
    { v: "a😀" },
    { v: "a😀" },
  ],
  ["minimum", v(Type.Number({ minimum: 1 })), { v: "0" }, ["v: Expected >= 1"]],
  ["maximum", v(Type.Number({ maximum: 1 })), { v: 2 }, ["v: Expected <= 1"]],
  ["exclusive minimum", v(Type.Number({ exclusiveMinimum: 1 })), { v: 1 }, [
    "v: Expected > 1",
  ]],
  ["exclusive maximum", v(Type.Number({ exclusiveMaximum: 1 })), { v: 1 }, [
    "v: Expected < 1",
  ]],
  ["multiple", v(Type.Number({ multipleOf: 2 })), { v: 3 }, [
    "v: Expected a multiple of 2",
  ]],
  ["multiple of a fraction", v(Type.Number({ multipleOf: 0.1 })), { v: 0.3 }, {
    v: 0.3,
  }],
  ["few items", v(Type.Array(Type.Any(), { minItems: 2 })), { v: "a" }, [
    "v: Expected at least 2 items",
  ]],
  ["unique items", v(Type.Array(Type.Any(), { uniqueItems: true })), {
    v: [{ a: 1, b: 2 }, { b: 2, a: 1 }],
  }, [
    "v: Expected unique items",
  ]],
  ["few properties", v({ type: "object", minProperties: 1 }), { v: {} }, [
    "v: Expected at least 1 properties",
  ]],
  ["not", v({ not: { type: "string" } }), { v: "a" }, [
    "v: Must not match the schema in not",
  ]],
  ["the schema false", v(false as never), { v: 1 }, ["v: No value is allowed"]],
  ["the schema true", v(true as never), { v: null }, { v: null }],
  ["format is an annotation", v(Type.String({ format: "email" })), { v: "x" }, {
    v: "x",
  }],
  ["array in place of the arguments", read, ["a"], [
    "root: Expected object, got array",
  ]],
  ["text in place of the arguments", read, "a", [
    "root: Expected object, got string",
  ]],
  ["ours: JSON in place of the arguments", read, '{"path":1}', { path: "1" }],
  [
    "names of the prototype are names",
    {
      type: "object",
      required: ["constructor"],
      properties: { toString: { type: "string" } },
    },
    {},
    ["constructor: Expected required property"],
  ],
];

for (const [name, schema, input, outcome] of TABLE) {
  Deno.test(`validateToolArguments() converts or explains, ${name}`, () => {
    const toolCall = { arguments: input as never };
    const before = structuredClone(input);
    if (Array.isArray(outcome)) {
      assert.deepEqual(
        faults(() =>
          validateToolArguments({ name: "t", parameters: schema }, toolCall)
        ),
        outcome,
      );
    } else {
      const plain = JSON.parse(JSON.stringify(schema));
      for (const parameters of [schema, plain]) {
        assert.deepEqual(
          validateToolArguments({ name: "t", parameters }, toolCall),
          outcome,
        );
      }
    }
    assert.deepEqual(input, before);
  });
}

Deno.test("validateToolArguments() explains all faults and shows what was received", () => {
  const toolCall = { arguments: { offset: "x" } };
  assert.throws(
    () => validateToolArguments({ name: "read", parameters: read }, toolCall),
    new ToolArgumentsError(`Validation failed for tool "read":
  - path: Expected required property
  - offset: Expected number, got string

Received arguments:
{
  "offset": "x"
}`),
  );
});

Deno.test("validateToolArguments() gives the parser's error first", () => {
  const toolCall = {
    arguments: {},
    argumentsError: "Unexpected end of JSON input",
  };
  assert.throws(
    () =>
      validateToolArguments({ name: "read", parameters: {} }, toolCall, {
        path: "a",
      }),
    new ToolArgumentsError(
      'Invalid arguments for tool "read": Unexpected end of JSON input',
    ),
  );
});

Deno.test("validateToolArguments() takes prepared arguments in place of the call's, and copies both", () => {
  const toolCall = { arguments: { path: "wrong" } };
  const prepared = {
    path: 1,
    offset: undefined,
    f: () => 0,
    nested: { a: [1] },
  };
  const args = validateToolArguments(
    { name: "read", parameters: read },
    toolCall,
    prepared,
  );
  assert.deepEqual(args, { path: "1", nested: { a: [1] } });
  assert.notEqual(args.nested, prepared.nested);
  const own = validateToolArguments(
    { name: "read", parameters: read },
    toolCall,
  );
  assert.deepEqual(own, toolCall.arguments);
  assert.notEqual(own, toolCall.arguments);
});

Deno.test("validateToolArguments() bounds what it tells, many faults in long arguments", () => {
  const parameters = Type.Object({ v: Type.Array(Type.Integer()) });
  const v = Array.from({ length: 5000 }, () => "x".repeat(100));
  const message = messageOf(() =>
    validateToolArguments({ name: "t", parameters }, { arguments: { v } })
  );
  assert.equal(message.match(/Expected integer, got string/g)?.length, 20);
  assert.ok(message.includes("  - … and 4980 more\n\nReceived arguments:\n{"));
  assert.match(message, /\n… \d+ more characters$/);
  assert.ok(message.length < 6000);
});

Deno.test("validateToolArguments() treats names of prototypes as data", () => {
  const args = JSON.parse('{"__proto__":{"polluted":"1"},"constructor":"2"}');
  const parameters = {
    type: "object",
    additionalProperties: false,
    properties: JSON.parse(
      '{"__proto__":{"properties":{"polluted":{"type":"integer"}}},"constructor":{"type":"integer"}}',
    ),
  };
  const converted = validateToolArguments({ name: "t", parameters }, {
    arguments: args,
  });
  assert.deepEqual(Object.entries(converted), [["__proto__", { polluted: 1 }], [
    "constructor",
    2,
  ]]);
  assert.equal(({} as Record<string, unknown>).polluted, undefined);
  assert.deepEqual(
    faults(() =>
      validateToolArguments(
        {
          name: "t",
          parameters: { type: "object", additionalProperties: false },
        },
        { arguments: args },
      )
    ),
    ["__proto__: Unknown property", "constructor: Unknown property"],
  );
});

Deno.test("validateToolArguments() ends with a fault, values nested too deeply", () => {
  const parameters = {
    type: "object",
    properties: {
      a: { $ref: "#" },
      b: {
        anyOf: [{ $ref: "#" }, {
          type: "array",
          items: { $ref: "#/properties/b" },
        }],
      },
    },
  };
  const nested = (depth: number, wrap: (value: unknown) => unknown) => {
    let value: unknown = {};
    for (let i = 0; i < depth; i++) value = wrap(value);
    return value;
  };
  const validate = (value: unknown) =>
    validateToolArguments({ name: "t", parameters }, { arguments: {} }, value);
  assert.ok(validate(nested(200, (a) => ({ a }))));
  for (const depth of [250, 990, 5000, 100_000]) {
    for (
      const wrap of [
        (a: unknown) => ({ a }),
        (b: unknown) => ({ b }),
        (b: unknown) => ({ b: [b] }),
      ]
    ) {
      try {
        validate(nested(depth, wrap));
      } catch (error) {
        assert.ok(error instanceof ToolArgumentsError, String(error));
      }
    }
  }
  const loop: Record<string, unknown> = {};
  loop.a = loop;
  assert.throws(() => validate(loop), ToolArgumentsError);
  const text = "[".repeat(100_000) + "]".repeat(100_000);
  const list = Type.Object({ v: Type.Array(Type.Any()) });
  assert.deepEqual(
    validateToolArguments({ name: "t", parameters: list }, {
      arguments: { v: text },
    }),
    { v: [text] },
  );
});

Deno.test("validateToolArguments() ends soon, a recursive union that nothing fits", () => {
  const node = (kind: string) => ({
    type: "object",
    required: ["kind", "child"],
    properties: {
      kind: { enum: [kind, "c"] },
      child: { $ref: "#/properties/v" },
      n: { type: "integer" },
    },
  });
  const parameters = {
    type: "object",
    required: ["v"],
    properties: { v: { anyOf: [node("a"), node("b"), node("d")] } },
  };
  let v: unknown = "no object";
  for (let i = 0; i < 200; i++) v = { kind: "c", child: v, n: "1" };
  const started = performance.now();
  assert.throws(
    () =>
      validateToolArguments({ name: "t", parameters }, {
        arguments: { v } as never,
      }),
    ToolArgumentsError,
  );
  assert.ok(performance.now() - started < 5000);
});

Deno.test("validateToolArguments() does not wrap for ever, a schema of arrays of itself", () => {
  const parameters = {
    type: "object",
    properties: { v: { type: "array", items: { $ref: "#/properties/v" } } },
  };
  assert.throws(
    () =>
      validateToolArguments({ name: "t", parameters }, { arguments: { v: 5 } }),
    ToolArgumentsError,
  );
});

Deno.test("validateToolArguments() gives an object, a schema that allows others", () => {
  assert.deepEqual(
    faults(() =>
      validateToolArguments({ name: "t", parameters: {} }, { arguments: {} }, [
        1,
      ])
    ),
    ["root: Expected object, got array"],
  );
});

Deno.test("validateValue() checks and converts nothing", () => {
  assert.deepEqual(validateValue(read, { path: 1, offset: null }), [
    { path: "path", message: "Expected string, got integer" },
    { path: "offset", message: "Expected number, got null" },
  ]);
  assert.deepEqual(validateValue(read, 5), [{
    path: "root",
    message: "Expected object, got integer",
  }]);
  assert.deepEqual(validateValue(read, { path: "a", offset: 0.5 }), []);
});

function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    assert.ok(error instanceof ToolArgumentsError, String(error));
    return error.message;
  }
  assert.fail("nothing was thrown");
}

/** The lines of an error that tell of faults, without their dashes. */
function faults(call: () => unknown): string[] {
  const [list = ""] = messageOf(call).split("\n\n");
  return list.split("\n").slice(1).map((line) => line.replace(/^ {2}- /, ""));
}
