import assert from "node:assert/strict";
import { codeBlocks } from "./markdown_blocks.ts";
import { type ShellBlocks, shellBlocks } from "./shell_blocks.ts";

Deno.test("shellBlocks() takes sh blocks with what the model says, and those that do not run with their reason", () => {
  const { blocks, faults } = read(
    '<!-- answers: [{"calls": [{"name": "ls", "arguments": {}}]}, {"text": "a"}] -->',
    "```sh\ntau -p x\n```",
    '```sh norun "needs a terminal"\ntau\n```',
    "```text\nThe answer.\n\n$ ls\n```",
    "```text\ntau 0.1.0 (source, Deno 2.9.6)\n```",
    "```yaml\nrun: |\n  tau -p x\n```",
    "```ts\nexport const x = 1;\n```",
  );
  assert.deepEqual(faults, []);
  assert.deepEqual(blocks, [
    {
      code: "tau -p x\n",
      line: 3,
      answers: [
        { text: "", calls: [{ name: "ls", arguments: {} }] },
        { text: "a", calls: [] },
      ],
    },
    { code: "tau\n", line: 6, norun: "needs a terminal", answers: [] },
  ]);
});

Deno.test("shellBlocks() refuses norun without a reason, and other words behind sh", () => {
  for (const marks of ["sh norun", "sh norun -", 'sh norun ""']) {
    const { faults } = read(`\`\`\`${marks}\ntau\n\`\`\``);
    assert.deepEqual(faults, ["2: norun needs a reason"], marks);
  }
  assert.deepEqual(read("```sh no-run reason\ntau\n```").faults, [
    "2: an sh block is marked no-run; only norun is known",
  ]);
});

Deno.test("shellBlocks() refuses commands that are marked otherwise", () => {
  const marked = [
    ...["bash", "shell", "console", "zsh", "powershell", "Shell"]
      .map((language) => [language, "anything"]),
    ["", "tau -p hello"],
    ["", "# first\n  FOO=bar npx -y deno task test"],
    ["", "ls\n$ ls"],
    ["text", "$ ls"],
    ["text", "\nexport KEY=1"],
    ["plain", "git status"],
    ...["curl -O x", "sudo apt-get update", "docker run x", "brew install x"]
      .map((line) => ["", line]),
  ];
  for (const [language = "", code = ""] of marked) {
    const { faults, blocks } = read(`\`\`\`${language}\n${code}\n\`\`\``);
    assert.equal(faults.length, 1, `${language} ${code}`);
    assert.match(faults[0] ?? "", /^2: a block /);
    assert.deepEqual(blocks, []);
  }
});

Deno.test("shellBlocks() refuses answers that nobody can give, or that no block waits for", () => {
  const wrong: [string, RegExp][] = [
    ["answers: {}", /they are no list/],
    ["answers: [{]", /answers cannot be read/],
    ['answers: [{"say": "x"}]', /an answer has no "say"/],
    ["answers: [{}]", /has a text or calls/],
    ['answers: [{"calls": [{"name": "ls"}]}]', /a name and arguments/],
  ];
  for (const [comment, message] of wrong) {
    const { faults } = read(`<!-- ${comment} -->`, "```sh\ntau\n```");
    assert.match(faults.join(), message);
  }
  for (const marks of ["sh norun needs a key", "json"]) {
    const { faults } = read(
      '<!-- answers: [{"text": "x"}] -->',
      `\`\`\`${marks}\n1\n\`\`\``,
    );
    assert.match(faults.join(), /a block that does not run/);
  }
});

function read(...parts: string[]): ShellBlocks {
  return shellBlocks(codeBlocks(parts.join("\n") + "\n"));
}
