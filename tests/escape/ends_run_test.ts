import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { attackTest } from "../support/escape_machine.ts";
import { runAttacks, stopInAttack } from "../support/escape_run.ts";
import { type Act, bash, child, code, type Row } from "./attack.ts";

/** What ends the kernel: nothing keeps it from that, and the run goes on without what did it. */
const ENDS: [name: string, act: Act][] = [
  ["code that exits", code("Deno.exit(0)")],
  ["code that exits as Node does", code("process.exit(0)")],
  ["code that kills its own process", code("Deno.kill(Deno.pid, 'SIGKILL')")],
  ["a command that kills the kernel", bash("kill -9 $PPID; sleep 5")],
  [
    "a command of a plugin that kills the kernel",
    child("kill -9 $PPID; sleep 5"),
  ],
];

attackTest(
  "a run whose kernel is ended from inside goes on, says so, and leaves nothing",
  async () => {
    await atOnce(ENDS, async ([name, act]) => {
      const row: Row = {
        name,
        door: "code",
        attack: { name, wants: { does: "ends the run" } },
        attempt: { act, by: {} },
      };
      const { record, verdicts, left } = await runAttacks([row]);
      assert.equal(record.status, "completed", name);
      assert.equal(record.text, "done");
      assert.equal(record.kernels?.length, 1);
      assert.deepEqual(verdicts.map(({ escaped }) => escaped), [false]);
      assert.deepEqual(left, []);
    });
  },
);

/** Hears every signal, and lets nobody else have a turn. */
const DEAF = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    Deno.addSignalListener(signal, () => {});
  }
  await new Promise((done) => setTimeout(done, 0));
  console.error("deaf now");
  while (true);`;

attackTest(
  "a run whose plugin hears signals and never gives way ends by a signal all the same",
  async () => {
    await atOnce([["SIGINT", 130], ["SIGTERM", 143]] as const, async (stop) => {
      const [signal, expected] = stop;
      const { code: exitCode, record, left } = await stopInAttack(code(DEAF), {
        printed: /deaf now/,
        signal,
      });
      assert.equal(exitCode, expected);
      assert.equal(record.exitCode, expected);
      assert.deepEqual(left, []);
    });
  },
);
