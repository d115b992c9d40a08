import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import { limitChoice } from "../../src/cli/limit_flags.ts";

Deno.test("parseCommandLine() understands how far a run may go", async () => {
  const invocation = await parseCommandLine([
    ...["--max-turns", "3", "--max-tool-calls", "0", "--max-repeats", "0"],
    ...["--max-budget-usd", "2.50", "--on-limit", "summarize"],
    ...["--max-retries", "0", "go"],
  ]);
  assert(invocation.kind === "run", JSON.stringify(invocation));
  assert.deepEqual(limitChoice(invocation.flags), {
    maxTurns: 3,
    maxToolCalls: 0,
    maxRepeats: 0,
    maxBudgetUsd: 2.5,
    onLimit: "summarize",
    maxRetries: 0,
  });
});

Deno.test("parseCommandLine() says which limits there can be", async () => {
  const table: [string[], string][] = [
    [
      ["--max-tool-calls", "1.5"],
      'Wrong value "1.5" for --max-tool-calls: expected a whole number from 0 to 1000000',
    ],
    [
      ["--max-retries", "101"],
      'Wrong value "101" for --max-retries: expected a whole number from 0 to 100',
    ],
    [
      ["--max-budget-usd", "0"],
      'Wrong value "0" for --max-budget-usd: expected US dollars, such as 2.50',
    ],
    [
      ["--max-budget-usd", "1e9"],
      'Wrong value "1e9" for --max-budget-usd: expected US dollars, such as 2.50',
    ],
    [
      ["--on-limit", "panic"],
      'Wrong value "panic" for --on-limit: expected one of stop, summarize',
    ],
    [
      ["--max-repeats"],
      "Option --max-repeats needs a value, such as --max-repeats 8",
    ],
  ];
  for (const [args, expected] of table) {
    const invocation = await parseCommandLine(args);
    assert.deepEqual(invocation, { kind: "invalid", message: expected });
  }
});
