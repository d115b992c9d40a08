import assert from "node:assert/strict";
import { isProxy } from "node:util/types";
import { errorContent, safeText } from "../../src/agent/strict/safe_json.ts";

const MARKER = "\n[Tool output truncated]";

function text(output: unknown): string {
  return safeText(output, isProxy);
}

/** Fails when it runs. */
function trap(): never {
  throw new Error("code of the output's author ran");
}

const cases: { title: string; output: unknown; expected: string }[] = [
  { title: "keeps a string as it is", output: 'a "b"', expected: 'a "b"' },
  { title: "shows nothing as null", output: undefined, expected: "null" },
  { title: "shows a number", output: 1.5, expected: "1.5" },
  { title: "shows what is no number as null", output: NaN, expected: "null" },
  { title: "shows a BigInt as its digits", output: -12n, expected: '"-12"' },
  {
    title: "sorts keys by code units, whatever they look like",
    output: { b: 1, 10: 2, 9: 3, B: 4 },
    expected: '{"10":2,"9":3,"B":4,"b":1}',
  },
  {
    title: "takes objects without a prototype",
    output: Object.assign(Object.create(null), { a: [true] }),
    expected: '{"a":[true]}',
  },
  {
    title: "keeps a key that is called __proto__",
    output: JSON.parse('{"__proto__":{"x":1}}'),
    expected: '{"__proto__":{"x":1}}',
  },
  {
    title: "leaves out symbols, hidden and undefined members",
    output: Object.defineProperty({ [Symbol("s")]: 1, u: undefined }, "h", {
      value: 1,
    }),
    expected: "{}",
  },
  {
    title: "leaves accessors out without calling them",
    output: Object.defineProperty({ a: 1 }, "b", {
      get: trap,
      enumerable: true,
    }),
    expected: '{"a":1}',
  },
  {
    title: "shows an accessor in an array as null",
    output: Object.defineProperty([1, 2], 0, { get: trap, enumerable: true }),
    expected: "[null,2]",
  },
  {
    title: "shows holes as null",
    // deno-lint-ignore no-sparse-arrays -- that is the case
    output: [, 1],
    expected: "[null,1]",
  },
  {
    title: "calls no iterator or method of an array",
    output: Object.assign([1], {
      [Symbol.iterator]: trap,
      map: trap,
      join: trap,
      toString: trap,
    }),
    expected: "[1]",
  },
  {
    title: "shows an object twice that is no cycle",
    output: ((shared) => [shared, shared])({ a: 1 }),
    expected: '[{"a":1},{"a":1}]',
  },
  {
    title: "makes text well-formed",
    output: "a\ud800b",
    expected: "a\ufffdb",
  },
];
for (const { title, output, expected } of cases) {
  Deno.test(`safeText() ${title}`, () => {
    assert.equal(text(output), expected);
  });
}

Deno.test("safeText() marks cycles, in objects and arrays", () => {
  const object: Record<string, unknown> = { name: "o" };
  object.self = [object];
  assert.equal(text(object), '{"name":"o","self":["[Circular]"]}');
});

Deno.test("safeText() treats toJSON as a function that it does not take", () => {
  assert.throws(() => text({ toJSON: trap }), /holds a function/);
});

class Plain {
  a = 1;
}
const revoked = Proxy.revocable({}, {});
revoked.revoke();
for (
  const [name, output] of Object.entries({
    "a proxy": new Proxy({}, { ownKeys: trap, getPrototypeOf: trap }),
    "a proxy of an array": new Proxy([], { get: trap }),
    "a revoked proxy": revoked.proxy,
    "a map": new Map([[1, 2]]),
    "a date": new Date(0),
    "an instance": new Plain(),
    "an array of another class": new (class extends Array {})(),
    "an object whose prototype is a proxy": Object.create(
      new Proxy({}, { get: trap, getPrototypeOf: trap }),
    ),
    "an error": new Error("x"),
    "a boxed string": Object("x"),
    "a function": trap,
    "a symbol": Symbol("x"),
  })
) {
  Deno.test(`safeText() refuses ${name}, at any depth`, () => {
    assert.throws(() => text(output), TypeError);
    assert.throws(() => text({ a: [output] }), TypeError);
  });
}

Deno.test("safeText() cuts a long string at the limit, the marker included", () => {
  assert.equal(text("x".repeat(4096)), "x".repeat(4096));
  assert.equal(text("x".repeat(4097)), "x".repeat(4096 - 24) + MARKER);
});

Deno.test("safeText() makes a cut text well-formed too", () => {
  const cut = text("\ud800" + "x".repeat(5000));
  assert.equal(cut, `\ufffd${"x".repeat(4071)}${MARKER}`);
});

Deno.test("safeText() counts code points and splits none", () => {
  assert.equal(text("😀".repeat(4096)), "😀".repeat(4096));
  const cut = text("😀".repeat(4097));
  assert.equal(cut, "😀".repeat(4096 - 24) + MARKER);
  assert.equal([...cut].length, 4096);
});

Deno.test("safeText() has one marker, however many bounds were met", () => {
  const cut = text({ a: "x".repeat(5000), b: Array(5000).fill("y") });
  assert.equal(cut.split(MARKER).length, 2);
  assert(cut.endsWith(MARKER));
  assert.equal([...cut].length, 4096);
});

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let i = 1; i < levels; i++) value = [value];
  return value;
}

Deno.test("safeText() goes 32 levels deep", () => {
  assert.equal(text(nested(32)), "[".repeat(32) + "]".repeat(32));
  assert.equal(
    text(nested(33)),
    "[".repeat(32) + '"[Left out]"' + "]".repeat(32) + MARKER,
  );
  assert(text(nested(100_000)).endsWith(MARKER));
});

Deno.test("safeText() shows 128 values", () => {
  const ones = (count: number) => `[${Array(count).fill(1).join()}]`;
  assert.equal(text(Array(127).fill(1)), ones(127));
  assert.equal(text(Array(128).fill(1)), ones(127) + MARKER);
});

Deno.test("safeText() looks at 256 members, shown or not", () => {
  const hidden = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`k${i}`, undefined]),
    );
  assert.equal(text(hidden(256)), "{}");
  assert.equal(text(hidden(257)), `{}${MARKER}`);
  assert.equal(text([hidden(200), hidden(200)]), `[{},{}]${MARKER}`);
});

Deno.test("safeText() is done at once with huge sparse arrays and many keys", () => {
  const startMs = performance.now();
  assert(text(new Array(2 ** 32 - 1)).endsWith(MARKER));
  const many = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i]),
  );
  assert(text(many).endsWith(MARKER));
  assert(performance.now() - startMs < 2_000);
});

Deno.test("safeText() cuts long strings inside and leaves out long keys", () => {
  assert.equal(text({ ["k".repeat(4097)]: 1, a: 2 }), `{"a":2}${MARKER}`);
  const cut = text(["x".repeat(5000)]);
  assert.equal(cut, `["${"x".repeat(4096 - 26)}${MARKER}`);
});

Deno.test("safeText() shows a BigInt of up to 4096 bits", () => {
  const largest = 2n ** 4096n - 1n;
  assert.equal(text(-largest), `"${-largest}"`);
  assert.equal(text(largest + 1n), `"[Left out]"${MARKER}`);
});

Deno.test("errorContent() is whole JSON within the limit, whatever the message", () => {
  const long = "x".repeat(1_000_000);
  const escapes = "\u0000".repeat(10_000);
  const emoji = "😀".repeat(4_000);
  for (const message of ["short", long, escapes, emoji, "\ud800".repeat(5e3)]) {
    const content = errorContent("CODE", message);
    assert([...content].length <= 4096, message.slice(0, 5));
    const { error } = JSON.parse(content);
    assert.equal(error.code, "CODE");
    const isCut = error.message.endsWith(MARKER);
    const kept = isCut ? error.message.slice(0, -MARKER.length) : error.message;
    assert(message.startsWith(kept) && kept.length > 0);
    assert.equal(isCut, message.length !== kept.length);
  }
});
