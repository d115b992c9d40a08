import assert from "node:assert/strict";
import { LineMatcher } from "../../src/tools/line_matcher.ts";
import { Pacer } from "../../src/tools/pacer.ts";

function matcher(
  pattern: string,
  options: { literal?: boolean; ignoreCase?: boolean } = {},
): LineMatcher {
  return new LineMatcher({
    pattern,
    literal: false,
    ignoreCase: false,
    ...options,
  });
}

async function at(
  find: LineMatcher,
  line: string,
): Promise<number | undefined> {
  return find.find(line) ?? await find.findInLong(line, new Pacer());
}

Deno.test("LineMatcher says where a match begins", async () => {
  assert.equal(await at(matcher("b+c"), "aabbc"), 2);
  assert.equal(await at(matcher("b+c"), "aabb"), -1);
  assert.equal(await at(matcher("É", { ignoreCase: true }), "xé"), 1);
  assert.equal(await at(matcher("[x](", { literal: true }), "a [x](y)"), 2);
  assert.equal(await at(matcher("(?<=a)b(?!c)"), "abcab"), 4);
});

Deno.test("LineMatcher takes escapes that only other dialects allow", async () => {
  assert.equal(await at(matcher('\\"a\\-b\\"\\@\\ \\_'), '"a-b"@ _'), 0);
  assert.equal(await at(matcher("[\\-\\'\\w]+\\\\-"), "a\\-"), 0);
});

Deno.test("LineMatcher explains a pattern that is none", () => {
  for (
    const pattern of [
      "[x](",
      "a**",
      "(?<n>",
      "\\p{Nope}",
      "x{2,1}",
      "a".repeat(10_001),
    ]
  ) {
    assert.throws(() => matcher(pattern), { name: "ToolError" }, pattern);
  }
  assert.throws(() => matcher("[x]("), {
    message:
      "Invalid regular expression /[x](/: Unterminated group. The syntax is that of JavaScript; to search for the text as it is, set literal to true",
  });
  assert.throws(() => matcher("(".repeat(5000) + ")".repeat(5000)), {
    name: "ToolError",
  });
  assert.throws(() => matcher("(?:a{1000}){100000}"), { name: "ToolError" });
});

Deno.test("LineMatcher ends on patterns with which a backtracking search would not", async () => {
  const startMs = performance.now();
  const letters = "a".repeat(5000);
  for (
    const pattern of [
      "^(a+)+$",
      "(a|a)*b",
      "(a*)*b",
      "a*a*a*b",
      "(.*)*=",
      "(?:a?){20}a{20}b",
      "(a+)+b",
    ]
  ) {
    assert.equal(await at(matcher(pattern), `${letters}!`), -1, pattern);
    assert.equal(
      await at(matcher(pattern, { ignoreCase: true }), `${letters}!`),
      -1,
      pattern,
    );
  }
  // One line of a megabyte, and one quantifier.
  assert.equal(await at(matcher("a*b"), "a".repeat(1_000_000)), -1);
  assert.ok(performance.now() - startMs < 3000);
});

Deno.test("LineMatcher leaves lines out that need backtracking and are too long for it", async () => {
  const find = matcher("(?<!x)a+b");
  assert.equal(await at(find, "a".repeat(100) + "b"), 0);
  assert.equal(await at(find, "a".repeat(100_000) + "b"), undefined);
  assert.equal(find.maxLineLength, 3162);
  assert.equal(matcher("a+b").maxLineLength, Infinity);
  assert.throws(
    () => matcher("(a+)+\\1"),
    /Cannot search for .* could take for ever/,
  );
});

Deno.test("LineMatcher hears an abort within one long line", async () => {
  const controller = new AbortController();
  const pacer = new Pacer(controller.signal);
  const line = "ab".repeat(30_000_000);
  const search = matcher("(a+b+)*c").findInLong(line, pacer);
  setTimeout(() => controller.abort(new Error("enough")), 10);
  await assert.rejects(search, /enough/);
});

Deno.test("mayMatch() only says no where no line matches", () => {
  const text = "one\r\ntwo foo\nthree\n";
  for (
    const pattern of [
      "foo$",
      "^two",
      "one$",
      "\\bfoo\\b",
      "e{2}",
      "[^x]t",
      "a*",
      "(?-m:^two)",
      "(?i-sm:FOO$)",
    ]
  ) {
    const find = matcher(pattern);
    assert.ok(find.mayMatch(text), pattern);
  }
  assert.equal(matcher("four").mayMatch(text), false);
  // A line ends where the text goes on: only the lines can tell.
  assert.ok(matcher("foo(?!\\s)").mayMatch(text));
});
