import assert from "node:assert/strict";
import { attackTest } from "../support/escape_machine.ts";
import { runAttacks, type Verdict } from "../support/escape_run.ts";
import { type Attack, rowsOf } from "./attack.ts";

/** Ring 2 says whether there are children at all: not where no tool needs any. */
const ROWS = rowsOf(
  [
    {
      name: "a plugin runs a command",
      wants: { does: "it runs" },
      child: { act: "echo ESCAPED", by: {} },
    },
    {
      name: "a plugin starts a program",
      wants: { does: "it runs" },
      code: {
        act:
          "return new TextDecoder().decode((await new Deno.Command('echo', { args: ['ESCAPED'] }).output()).stdout)",
        by: {},
      },
    },
    {
      name: "a plugin kills a process",
      wants: { kills: true },
      code: { act: "Deno.kill({victim}, 'SIGKILL')", by: {} },
    },
  ] satisfies Attack[],
);

const READING = { tools: "read,run_code,run_child" };

function escaped(verdicts: readonly Verdict[]): boolean[] {
  return verdicts.map(({ escaped }) => escaped);
}

attackTest(
  "a run without a tool for commands starts no program, plugins included",
  async () => {
    const [none, flags, product] = await Promise.all([
      runAttacks(ROWS, { ...READING, setting: { rings: [] } }),
      runAttacks(ROWS, { ...READING, setting: { rings: ["flags"] } }),
      runAttacks(ROWS, READING),
    ]);
    assert.deepEqual(escaped(none.verdicts), [true, true, true]);
    assert.deepEqual(escaped(flags.verdicts), [false, false, false]);
    assert.deepEqual(escaped(product.verdicts), [false, false, false]);
  },
);
