import assert from "node:assert/strict";
import { codeBlocks } from "../support/markdown_blocks.ts";
import { docPages } from "../support/doc_pages.ts";
import { runPage } from "../support/page_session.ts";
import { shellBlocks } from "../support/shell_blocks.ts";

/** Of all pages together. */
const MAX_NORUN = 20;

const pages = (await docPages()).map(({ path, text }) => ({
  path,
  ...shellBlocks(codeBlocks(text)),
}));

Deno.test("the pages mark commands as sh, and few of them as norun, with a reason", () => {
  const norun = pages.flatMap(({ path, blocks }) =>
    blocks.flatMap(({ line, norun }) => norun ? `${path}:${line} ${norun}` : [])
  );
  const all = pages.flatMap(({ blocks }) => blocks).length;
  tell([
    `${pages.length} pages have ${all} blocks of commands; ${norun.length} of them do not run here`,
    ...norun,
  ]);
  const faults = pages.flatMap(({ path, faults }) =>
    faults.map((fault) => `${path}:${fault}`)
  );
  assert.deepEqual(faults, []);
  assert(norun.length <= MAX_NORUN, `at most ${MAX_NORUN} may be norun`);
});

for (const { path, blocks } of pages) {
  const runnable = blocks.filter(({ norun }) => norun === undefined);
  if (runnable.length === 0) continue;
  Deno.test(`the commands of ${path} run`, async () => {
    const { failure } = await runPage(path, runnable);
    if (failure === undefined) return;
    const { line, why, output } = failure;
    assert.fail(`${path}, block of line ${line}: ${why}\n${output}`);
  });
}

/** Prints lines into the report of the tests. */
function tell(lines: string[]): void {
  const text = lines.map((line) => `  ${line}\n`).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}
