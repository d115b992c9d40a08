import assert from "node:assert/strict";
import { LineMatcher } from "../../src/tools/line_matcher.ts";
import { LINEAR_REGEX } from "../../src/sandbox/kernel_flags.ts";

function matcher(
  ...given: ConstructorParameters<typeof LineMatcher>
): LineMatcher {
  return new LineMatcher(...given);
}

Deno.test("LineMatcher says where a match begins, and takes escapes that only other dialects allow", () => {
  assert.equal(matcher("b+c").find("aabbc"), 2);
  assert.equal(matcher("b+c").find("aabb"), -1);
  assert.equal(matcher("É", { ignoreCase: true }).find("xé"), 1);
  assert.equal(matcher("[x](", { literal: true }).find("a [x](y)"), 2);
  assert.equal(matcher("(?<=a)b(?!c)").find("abcab"), 4);
  assert.equal(matcher('\\"a\\-b\\"\\@\\ \\_').find('"a-b"@ _'), 0);
  assert.equal(matcher("[\\-\\'\\w]+\\\\-").find("a\\-"), 0);
});

Deno.test("LineMatcher explains a pattern that is none", () => {
  for (
    const pattern of [
      ...["[x](", "a**", "(?<n>", "\\p{Nope}", "x{2,1}", "a".repeat(10_001)],
      "(".repeat(5000) + ")".repeat(5000),
      "(?:a{1000}){100000}",
    ]
  ) assert.throws(() => matcher(pattern), { name: "ToolError" }, pattern);
  assert.throws(() => matcher("[x]("), {
    message:
      "Invalid regular expression /[x](/: Unterminated group. The syntax is that of JavaScript; to search for the text as it is, set literal to true",
  });
});

Deno.test("LineMatcher leaves lines out that are too long for backtracking", () => {
  const find = matcher("(?<!x)a+b");
  assert.equal(find.find("a".repeat(100) + "b"), 0);
  assert.equal(find.find("a".repeat(100_000) + "b"), undefined);
  assert.equal(find.maxLineLength, 3162);
  for (const pattern of ["(a+)+\\1", "(a+)+b"]) {
    assert.throws(
      () => matcher(pattern),
      /Cannot search for .* could take for ever/,
    );
  }
});

Deno.test("LineMatcher searches longer lines linearly where V8 can", async () => {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-prompt", "--quiet"],
      `--v8-flags=${LINEAR_REGEX.join(",")}`,
      new URL("./line_matcher_child.ts", import.meta.url).pathname,
    ],
    env: { NO_COLOR: "1" },
    stderr: "null",
  }).output();
  const report = new TextDecoder().decode(stdout);
  assert.ok(success, report);
  assert.match(report, /4 passed/);
});

Deno.test("mayMatch() only says no where no line matches", () => {
  const text = "one\r\ntwo foo\nthree\n";
  for (
    const pattern of [
      ...["foo$", "^two", "one$", "\\bfoo\\b", "e{2}", "[^x]t", "a*"],
      ...["(?-m:^two)", "(?i-sm:FOO$)"],
    ]
  ) assert.ok(matcher(pattern).mayMatch(text), pattern);
  assert.equal(matcher("four").mayMatch(text), false);
  // A line ends where the text goes on: only the lines can tell.
  assert.ok(matcher("foo(?!\\s)").mayMatch(text));
});
