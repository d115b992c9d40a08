import assert from "node:assert/strict";
import { firstSteps } from "./first_steps.ts";

Deno.test("firstSteps() gives the commands of the blocks for a goal, in order", () => {
  const page = `<!-- steps: one, two -->

\`\`\`sh norun tested elsewhere
# A comment.
curl -O x
sh x && y "a; b" |
  z
\`\`\`

\`\`\`sh
of no goal
\`\`\`

<!-- steps: two -->

\`\`\`sh
tau -p \\
  'say & go'
\`\`\`
`;
  const one = ["curl -O x", "sh x", 'y "a; b"', "z"];
  const { code, commands } = firstSteps(page, "one");
  assert.equal(code, '# A comment.\ncurl -O x\nsh x && y "a; b" |\n  z\n');
  assert.deepEqual(commands, one);
  assert.deepEqual(firstSteps(page, "two").commands, [
    ...one,
    "tau -p    'say & go'",
  ]);
  assert.deepEqual(firstSteps(page, "three"), { code: "", commands: [] });
});
