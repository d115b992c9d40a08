import assert from "node:assert/strict";
import { textsIn } from "../../build/messages/texts_in.ts";

Deno.test("textsIn() finds literals, templates and sums of two words, and no types or paths", () => {
  const source = [
    `import { x } from "./two words.ts";`,
    `type Word = "not one" | "or two";`,
    `const single = "one";`,
    `const whole = \`Cannot read \${JSON.stringify(path)}\` +`,
    `  ": it does not exist";`,
    `say("no such file");`,
  ].join("\n");
  assert.deepEqual(textsIn("a.ts", source), [
    {
      line: 4,
      text: "Cannot read {JSON.stringify(path)}: it does not exist",
    },
    { line: 6, text: "no such file" },
  ]);
});
