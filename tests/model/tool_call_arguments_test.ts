import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/model/content.ts";
import {
  parseToolCallArguments,
  ToolCallArgumentsStream,
} from "../../src/model/tool_call_arguments.ts";

/** JSON values with odd names, lone surrogates and escapes. */
const jsonValue = fc.letrec<{ value: JsonValue }>((tie) => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(
      "\ud83d",
      "\udc00x",
      "😀",
      '"\\/\b\f\n\r\t',
      "\u0000",
      "\u2028",
      "\\u0041",
    ),
  );
  const name = fc.oneof(
    fc.constantFrom("__proto__", "constructor", "", "0", "a"),
    text,
  );
  return {
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.oneof(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.constantFrom(null, true, false, -0, 1e300),
      ),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) =>
        Object.fromEntries(members) as JsonObject
      ),
    ),
  };
}).value;

const jsonObject = fc.dictionary(
  fc.oneof(fc.constantFrom("__proto__", "toString", "a"), fc.string()),
  jsonValue,
  { maxKeys: 4, noNullPrototype: true },
);

/** JSON text as several serializers write it. */
const jsonText = fc.tuple(
  jsonObject,
  fc.constantFrom(undefined, 2, "\t"),
  fc.boolean(),
)
  .map(([value, indent, isAscii]) => {
    const text = JSON.stringify(value, null, indent);
    if (!isAscii) return text;
    return text.replace(
      /[\u007f-\uffff]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  })
  // Once V8 has parsed an object with a member of this name behind others, its
  // JSON.parse takes later names that begin with an escape for it.
  .filter((text) => !/"\\\\"\s*:/.test(text));

/** Text that is often nearly JSON. */
const anyText = fc.oneof(
  fc.tuple(
    jsonText,
    fc.nat(),
    fc.constantFrom(
      "",
      "}",
      "]",
      ",",
      ":",
      '"',
      "\\",
      "\\x",
      "\\u12",
      "\n",
      "x",
      "1",
      "-",
      ".",
      "[",
      "{",
      "\u0001",
    ),
  )
    .map(([text, at, insert]) =>
      text.slice(0, at % (text.length + 1)) + insert +
      text.slice(at % (text.length + 1))
    ),
  fc.array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      "a",
      "1",
      "\\",
      "u",
      "null",
      " ",
      "-",
    ),
  )
    .map((parts) => parts.join("")),
  jsonValue.map((value) => JSON.stringify(value)),
);

const cuts = fc.array(fc.integer({ min: 1, max: 7 }), {
  minLength: 1,
  maxLength: 20,
});

function* pieces(text: string, lengths: number[]): Iterable<string> {
  for (let at = 0, i = 0; at < text.length; i++) {
    const length = lengths[i % lengths.length] as number;
    yield text.slice(at, at + length);
    at += length;
  }
}

Deno.test("ToolCallArgumentsStream equals JSON.parse, documents cut anywhere", () => {
  fc.assert(
    fc.property(jsonText, cuts, (text, lengths) => {
      const stream = new ToolCallArgumentsStream();
      let last: JsonObject = {};
      for (const piece of pieces(text, lengths)) last = stream.append(piece);
      const expected = JSON.parse(text);
      if (text.length <= 512) assert.deepEqual(last, expected);
      assert.deepEqual(stream.finish(), { arguments: expected });
    }),
    { numRuns: 1000 },
  );
});

Deno.test("ToolCallArgumentsStream shows all there is, every prefix", () => {
  fc.assert(
    fc.property(jsonText, (text) => {
      const stream = new ToolCallArgumentsStream();
      for (let end = 1; end <= Math.min(text.length, 512); end++) {
        const snapshot = stream.append(text.charAt(end - 1));
        assert.deepEqual(
          snapshot,
          completed(text.slice(0, end)),
          text.slice(0, end),
        );
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("ToolCallArgumentsStream never changes what it returned", () => {
  fc.assert(
    fc.property(fc.oneof(jsonText, anyText), cuts, (text, lengths) => {
      const stream = new ToolCallArgumentsStream();
      const seen: [snapshot: JsonObject, then: string][] = [];
      for (const piece of pieces(text, lengths)) {
        const snapshot = stream.append(piece);
        seen.push([snapshot, JSON.stringify(snapshot)]);
      }
      stream.finish();
      for (const [snapshot, then] of seen) {
        assert.equal(JSON.stringify(snapshot), then);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("ToolCallArgumentsStream ends alike in any cut and never throws, text that is nearly JSON", () => {
  let failed = 0;
  fc.assert(
    fc.property(anyText, cuts, (text, lengths) => {
      const whole = parseToolCallArguments(text);
      const stream = new ToolCallArgumentsStream();
      for (const piece of pieces(text, lengths)) stream.append(piece);
      assert.deepEqual(stream.finish(), whole);
      if (whole.argumentsError !== undefined) failed++;
      const strict = parsed(text);
      if (strict !== undefined) {
        const isObject = typeof strict === "object" && strict !== null &&
          !Array.isArray(strict);
        assert.deepEqual(whole.arguments, isObject ? strict : {});
        const isAccepted = isObject || strict === null;
        assert.equal(whole.argumentsError === undefined, isAccepted);
      }
    }),
    { numRuns: 2000 },
  );
  assert.ok(failed > 500, `${failed} failed`);
});

Deno.test("ToolCallArgumentsStream keeps what came before a syntax error", () => {
  const stream = new ToolCallArgumentsStream();
  assert.deepEqual(stream.append('{"a":1,"b":[2,,'), { a: 1, b: [2] });
  assert.deepEqual(stream.append('3],"c":4}'), { a: 1, b: [2] });
  assert.deepEqual(stream.finish().arguments, {});
});

Deno.test("ToolCallArgumentsStream shows a long text in doublings, and nothing new past 64 KiB", () => {
  const text = JSON.stringify({ content: "abcdefghi\n".repeat(90_000) });
  const stream = new ToolCallArgumentsStream();
  const shown = new Set<JsonObject>();
  for (let at = 0; at < text.length; at += 512) {
    shown.add(stream.append(text.slice(at, at + 512)));
  }
  // At 512 characters, and 7 doublings.
  assert.equal(shown.size, 8);
  assert.deepEqual(stream.finish().arguments, JSON.parse(text));
});

/** Texts that are mended, and what they mean. */
const MENDED: [text: string, meaning: JsonObject][] = [
  ["", {}],
  [" \r\n\t\u00a0", {}],
  ["null", {}],
  ['{"a":"line 1\nline 2\ttab\u0000"}', { a: "line 1\nline 2\ttab\u0000" }],
  ['{"a":"C:\\windows\\x"}', { a: "C:\\windows\\x" }],
  ['{"a":"C:\\users\\u12"}', { a: "C:\\users\\u12" }],
  ['{"a":"\\u12G4\\\n\\d+"}', { a: "\\u12G4\\\n\\d+" }],
  ['{"a\\q":1}', { "a\\q": 1 }],
  ['{"a":1,"b":2,"a":3}', { a: 3, b: 2 }],
];

Deno.test("parseToolCallArguments() mends strings and takes blank text and null for no arguments", () => {
  for (const [text, meaning] of MENDED) {
    assert.deepEqual(
      parseToolCallArguments(text),
      { arguments: meaning },
      text,
    );
  }
});

/** Texts that do not parse, and why. */
const REFUSED: [text: string, error: string][] = [
  ["[1]", "Tool arguments must be a JSON object"],
  ["[]", "Tool arguments must be a JSON object"],
  ['"{}"', "Tool arguments must be a JSON object"],
  [
    '{"path":"x.txt",,}',
    "Expected double-quoted property name in JSON at position 16 (line 1 column 17)",
  ],
  ['{"a":tru}', `Unexpected token '}', "{"a":tru}" is not valid JSON`],
  [
    '{"a":1',
    "Expected ',' or '}' after property value in JSON at position 6 (line 1 column 7)",
  ],
  ['{"a":"x', "Unterminated string in JSON at position 7 (line 1 column 8)"],
  [
    '{"a":1} {',
    "Unexpected non-whitespace character after JSON at position 8 (line 1 column 9)",
  ],
  ["[".repeat(1001), "Tool arguments are nested more than 1000 levels deep"],
];

Deno.test("parseToolCallArguments() says why a text does not parse, and shows it", () => {
  for (const [text, error] of REFUSED) {
    assert.deepEqual(parseToolCallArguments(text), {
      arguments: {},
      argumentsError: `${error}\n\nReceived arguments:\n${text}`,
    });
  }
});

Deno.test("parseToolCallArguments() tells of the fault that could not be mended", () => {
  const { argumentsError } = parseToolCallArguments('{"a":"\n\\x",,}');
  assert.match(argumentsError ?? "", /^Expected double-quoted property name/);
});

Deno.test("parseToolCallArguments() shows the start of a long text, in whole characters", () => {
  const text = `{"a":"${"x".repeat(1993)}😀${"y".repeat(5000)}`;
  const { argumentsError = "" } = parseToolCallArguments(text);
  assert.ok(argumentsError.isWellFormed());
  assert.ok(
    argumentsError.endsWith(`${"x".repeat(1993)}\n… 5002 more characters`),
  );
});

Deno.test("parseToolCallArguments() bounds nesting without overflow", () => {
  const nested = (depth: number) =>
    `{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  assert.deepEqual(parseToolCallArguments(nested(999)), {
    arguments: JSON.parse(nested(999)),
  });
  for (const depth of [1000, 1_000_000]) {
    const { arguments: args, argumentsError } = parseToolCallArguments(
      nested(depth),
    );
    assert.deepEqual(args, {});
    assert.match(
      argumentsError ?? "",
      /^Tool arguments are nested more than 1000 levels deep/,
    );
  }
});

/** The value of JSON text, `undefined` for what is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The slow way to the value of a prefix: close what is open, leave out what is not complete. */
function completed(prefix: string): unknown {
  let text = prefix;
  const closers: string[] = [];
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (isInString) {
      if (c === "\\") i++;
      else if (c === '"') isInString = false;
    } else if (c === '"') isInString = true;
    else if (c === "{") closers.unshift("}");
    else if (c === "[") closers.unshift("]");
    else if (c === "}" || c === "]") closers.shift();
  }
  if (isInString) {
    text = text.replace(/(?<!\\)((?:\\\\)*)\\(u[0-9a-fA-F]{0,3})?$/, "$1") +
      '"';
  } else {text = text.replace(/[-+.\w]+\s*$/, (word) =>
      /\s$/.test(word) ? word : "");}
  const close = closers.join("");
  for (
    const candidate of [
      text,
      // A comma without what follows it, a name without a value.
      text.replace(/,\s*$/, ""),
      text.replace(/,?\s*"(?:[^"\\]|\\.)*"\s*:?\s*$/, ""),
    ]
  ) {
    const value = parsed(candidate + close);
    if (value !== undefined) return value;
  }
  return assert.fail(`cannot complete ${JSON.stringify(prefix)}`);
}
