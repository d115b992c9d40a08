import assert from "node:assert/strict";
import { codeBlocks } from "./markdown_blocks.ts";
import { type PageRun, runPage } from "./page_session.ts";
import { shellBlocks } from "./shell_blocks.ts";

Deno.test("runPage() runs blocks as one session in a project, where the model says what the page scripts", async () => {
  const run = await page(
    '<!-- answers: [{"text": "Scripted."}] -->',
    block('[ "$(tau -p --model ollama/qwen3 "say hello")" = Scripted. ]'),
    block(
      "[ \"$(git status --short)\" = ' M src/parser.ts' ]",
      'export ANTHROPIC_API_KEY=sk-ant-... GREETING="hello"',
      "cd src",
    ),
    block(
      'grep -q "$GREETING" /dev/stdin && exit 9',
      '[ "$PWD" = ~/project/src ]',
      '[ "$(tau -p "say hello")" = Done. ]',
      'false || echo "exit code $?"',
    ),
  );
  assert.deepEqual(run, { passed: 3 });
});

Deno.test("runPage() says which line failed, what the block printed, and what a provider would have refused", async () => {
  const run = await page(
    block("echo first"),
    block("echo one", "echo two >&2", "false | true", "echo three"),
  );
  const failure = {
    line: 5,
    why: "line 7 ended with exit code 1",
    output: "one\ntwo\n",
  };
  assert.deepEqual(run, { passed: 1, failure });

  const { failure: refused } = await page(
    block(
      `node -e '
        fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", body: "{}" })
          .then(({ ok }) => process.exit(ok ? 0 : 3))'`,
    ),
  );
  assert.match(
    refused?.why ?? "",
    /^line 2 ended with exit code 3; model: must be a string/,
  );
});

Deno.test("runPage() fails for a script that is not heard to its end, an unset variable, and an exit", async () => {
  const cases: [string, RegExp][] = [
    ["true", /^only 0 answers were asked for$/],
    ["echo $nothing", /exit code 1$/],
    ["exit 0", /^it ended the session$/],
    ["if true; then", /exit code [12]$/],
  ];
  for (const [command, why] of cases) {
    const run = await page(
      command === "true" ? '<!-- answers: [{"text": "x"}] -->' : "",
      block(command),
    );
    assert.match(run.failure?.why ?? "", why, command);
  }
});

Deno.test("runPage() kills all that a page has started, at the end and when it is late", async () => {
  const started = performance.now();
  assert.deepEqual(
    await page(block("sleep 600 &", "(setsid sleep 600 &)")),
    { passed: 1 },
  );
  const late = await page(block("echo begun", "sleep 600"), 500);
  assert.deepEqual(
    [late.failure?.why, late.failure?.output],
    ["it did not end in time", "begun\n"],
  );
  assert(performance.now() - started < 60_000);
});

function block(...lines: string[]): string {
  return ["```sh", ...lines, "```"].join("\n");
}

async function page(...parts: (string | number)[]): Promise<PageRun> {
  const maxLifeMs = parts.find((part) => typeof part === "number") as
    | number
    | undefined;
  const text = parts.filter((part) => typeof part === "string").join("\n");
  const { blocks, faults } = shellBlocks(codeBlocks(text));
  assert.deepEqual(faults, []);
  return await runPage("docs/page.md", blocks, {
    ...(maxLifeMs === undefined ? {} : { maxLifeMs }),
  });
}
