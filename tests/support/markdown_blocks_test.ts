import assert from "node:assert/strict";
import { codeBlocks } from "./markdown_blocks.ts";

Deno.test("codeBlocks() finds fenced blocks with their line, marks, comments and headings", () => {
  const page = `# Page

<!-- a note of
two lines -->
<!-- answers: [] -->

\`\`\`sh norun needs a terminal
tau
\`\`\`

## Part

Text ends what a comment belongs to.

\`\`\`\`text
\`\`\`sh
inside
\`\`\`
\`\`\`\`

## Next

- In a list:

  ~~~js
  f(
    1);
  ~~~
`;
  assert.deepEqual(codeBlocks(page), [
    {
      language: "sh",
      words: "norun needs a terminal",
      code: "tau\n",
      line: 8,
      comments: ["a note of\ntwo lines", "answers: []"],
      headings: ["Page"],
    },
    {
      language: "text",
      words: "",
      code: "```sh\ninside\n```\n",
      line: 16,
      comments: [],
      headings: ["Page", "Part"],
    },
    {
      language: "js",
      words: "",
      code: "f(\n  1);\n",
      line: 26,
      comments: [],
      headings: ["Page", "Next"],
    },
  ]);
});

Deno.test("codeBlocks() refuses a block and a comment that never end", () => {
  assert.throws(() => codeBlocks("a\n```sh\ntau\n"), /^Error: Line 2: a block/);
  assert.throws(() => codeBlocks("<!-- a\n\nb\n"), /^Error: Line 1: a comment/);
});
