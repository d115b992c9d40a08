// Tests of what LineMatcher finds by V8's linear search. It needs a flag that
// V8 takes at its start only, so line_matcher_test.ts runs this in a Deno of
// its own.
import assert from "node:assert/strict";
import fc from "fast-check";
import { createGrepTool } from "../../src/tools/factories.ts";
import { LineMatcher } from "../../src/tools/line_matcher.ts";
import { longestTurn } from "../support/longest_turn.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

const MB = 1024 * 1024;

/** In front of a pattern it changes no match, and makes backtracking too costly for any line. */
const ENDLESS = "(?:_*)*";

function find(pattern: string, line: string): number | undefined {
  return new LineMatcher(pattern).find(line);
}

const atom = fc.constantFrom(
  ..."abAB1. é\u212a",
  ...["[ab]", "[^a]", "\\w", "\\W", "\\d", "\\s", "\\S", "[\\]\\-a-c]"],
  ...["\\x61", "\\u0041", "\\.", "[^]", "[]", "^", "$", "\\b", "\\B", "()"],
);
const quantifiable = (source: string) => !/^(?:\^|\$|\\b|\\B)$/.test(source);
const pattern = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    atom,
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => a + b),
    fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${a}|${b})`),
    fc.tuple(
      tie("node"),
      fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"),
    ).map(([a, q]) => quantifiable(a) ? `(${a})${q}` : a),
  ),
})).node;
const line = fc.array(fc.constantFrom(..."abAB1_ .é😀\u212ak]-"), {
  maxLength: 12,
}).map((letters) => letters.join(""));

Deno.test("LineMatcher agrees with RegExp on random patterns and lines", () => {
  let compared = 0;
  fc.assert(
    fc.property(
      pattern,
      fc.array(line, { maxLength: 8 }),
      (source, lines) => {
        const expected = new RegExp(ENDLESS + source, "u");
        for (const text of lines) {
          // V8 finds \B between the halves of a surrogate pair.
          if (source.includes("\\B") && text.includes("😀")) continue;
          let at: number | undefined;
          try {
            at = find(ENDLESS + source, text);
          } catch {
            // Counted repetitions of counted repetitions become too many.
            continue;
          }
          compared++;
          assert.equal(
            at === -1,
            !expected.test(text),
            `/${source}/ on ${JSON.stringify(text)}`,
          );
        }
      },
    ),
    { numRuns: 1500 },
  );
  assert.ok(compared > 2000, `only ${compared} comparisons`);
});

Deno.test("LineMatcher ends on patterns with which a backtracking search would not", () => {
  const letters = "a".repeat(5000);
  const startMs = performance.now();
  for (
    const pattern of [
      ...["^(a+)+$", "(a|a)*b", "(a*)*b", "a*a*a*b", "(.*)*=", "(a+)+b"],
      "(?:a?){15}a{15}b",
    ]
  ) {
    assert.equal(find(pattern, `${letters}!`), -1, pattern);
    assert.equal(find(`(?:${pattern}|!)`, `😀${letters}!`), 5001, pattern);
  }
  assert.equal(find("a*b", `${"a".repeat(100_000)}b`), 0);
  assert.ok(performance.now() - startMs < 3000);
});

Deno.test("LineMatcher gives no pattern to the linear search that means something else there", () => {
  for (const pattern of ["\\p{Lu}+b", "\\u{41}+b", "[\\u{41}x]+b", "😀+b"]) {
    const { maxLineLength } = new LineMatcher(pattern);
    assert.equal(maxLineLength, 3162, pattern);
  }
});

Deno.test("grep lets others have a turn every tenth of a second, whatever it searches", () =>
  inTempFolder(async (folder) => {
    await putFiles(folder, {
      "hostile/lines.txt": ("a".repeat(5000) + "!\n").repeat(200),
      "long/line.txt": "a".repeat(80_000) + "!",
      "longer/line.txt": "a".repeat(8 * MB) + "!",
      "many/lines.txt": "some text of a line\n".repeat(MB),
    });
    const grep = createGrepTool(folder);
    // Loads what a search needs.
    await outcomeOf(grep, { pattern: "x" });
    const nothing = /^No matches found$/;
    const skipped = /\[\d+ lines over \d+ chars not searched/;
    for (
      const [pattern, path, text] of [
        ["(a+)+$", "hostile", nothing],
        ["a+$", "hostile", nothing],
        ["(a+)+$", "long", nothing],
        ["(a|aa)+$", "longer", skipped],
        ["(a|aa)b", "longer", nothing],
        ["zzz", "many", nothing],
        ["(?=x)y", "many", nothing],
        ["[a-z ]+!", "many", nothing],
      ] as const
    ) {
      const lagMs = await longestTurn(async () => {
        assert.match((await outcomeOf(grep, { pattern, path })).text, text);
      });
      // Other work of the machine makes the processor slower, too.
      assert.ok(lagMs < 250, `/${pattern}/ in ${path}: ${lagMs} ms`);
    }
  }));
