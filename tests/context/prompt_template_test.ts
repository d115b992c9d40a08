import assert from "node:assert/strict";
import {
  fillTemplate,
  splitArguments,
} from "../../src/context/prompt_commands.ts";

const FILLED: [template: string, given: string, filled: string][] = [
  ["Review $1.", "src/a.ts", "Review src/a.ts."],
  ["$1-$2-$3", "a b", "a-b-"],
  ["$10", "1 2 3 4 5 6 7 8 9 ten", "ten"],
  ["all: $@", "a  'b c'", "all: a b c"],
  ["all: $ARGUMENTS", "a b", "all: a b"],
  ["$ARGUMENTSX", "a", "$ARGUMENTSX\n\na"],
  ["${1:-main}", "", "main"],
  ["${1:-main}", "dev", "dev"],
  ["${1:-main}", '""', "main"],
  ["${2:-}", "a", ""],
  ["${@:2}", "a b c", "b c"],
  ["${@:2:1}", "a b c", "b"],
  ["${@:0}", "a b", "a b"],
  ["${@:9}", "a b", ""],
  ["$1", "$2 x", "$2"],
  ["$@", "$& $1 $$", "$& $1 $$"],
  ["costs $, ${HOME} and $name", "", "costs $, ${HOME} and $name"],
  ["no place", " a b ", "no place\n\na b"],
  ["no place", "", "no place"],
];

for (const [template, given, filled] of FILLED) {
  Deno.test(`fillTemplate() makes ${JSON.stringify(filled)} of ${JSON.stringify(template)} and ${JSON.stringify(given)}`, () => {
    assert.equal(fillTemplate(template, given), filled);
  });
}

Deno.test("splitArguments() groups by quotes at the start of a word", () => {
  assert.deepEqual(splitArguments(` a "b c" 'd "e"' f"g h" "i \\"j\\" k"\n`), [
    "a",
    "b c",
    'd "e"',
    'f"g',
    'h"',
    'i "j" k',
  ]);
  assert.deepEqual(splitArguments('"no end'), ['"no', "end"]);
  assert.deepEqual(splitArguments("  "), []);
});

Deno.test("splitArguments() takes no longer for quotes that never end", () => {
  const startMs = performance.now();
  splitArguments('"\\'.repeat(20_000));
  assert(performance.now() - startMs < 1000);
});
