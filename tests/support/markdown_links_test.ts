import assert from "node:assert/strict";
import { pageAnchors, pageLinks } from "./markdown_links.ts";

Deno.test("pageLinks() finds links and images, but none in code and comments", () => {
  const page = `[a](one.md) and [b](two.md#part "Title"), \`[c](code.md)\`
![picture](three.svg)

<!-- [d](comment.md) -->
<picture><source srcset="four.svg" media="x"><img alt="" src="five.svg"></picture>

\`\`\`md
[e](block.md)
\`\`\`

[name]: six.md
| \`--x\` | ([table](#seven)) |
`;
  assert.deepEqual(
    pageLinks(page).map(({ target, line }) => `${line} ${target}`),
    [
      "1 one.md",
      "1 two.md#part",
      "2 three.svg",
      "5 four.svg",
      "5 five.svg",
      "11 six.md",
      "12 #seven",
    ],
  );
});

Deno.test("pageAnchors() names headings as GitHub does", () => {
  const page = `# What a run may touch
## \`tau.on(event, handler)\`
## Exit codes: 0 & 1
### Exit codes: 0 & 1
## [Linked](x.md) snake_case
<a id="by-hand"></a>

\`\`\`sh
# no heading
\`\`\`
`;
  assert.deepEqual([...pageAnchors(page)], [
    "what-a-run-may-touch",
    "tauonevent-handler",
    "exit-codes-0--1",
    "exit-codes-0--1-1",
    "linked-snake_case",
    "by-hand",
  ]);
});
