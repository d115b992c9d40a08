import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { inPlace, type TauPlace } from "../support/tau_place.ts";
import { lastRecord } from "../support/tau_process.ts";

const CALLS = 20;

/** Five turns of four calls; each call adds a line of its own to a file. */
const SCRIPT = [
  ...Array.from({ length: 5 }, (_, turn) =>
    say(
      "",
      ...Array.from({ length: 4 }, (_, n) =>
        call("bash", { command: `echo ${turn * 4 + n} >> made.txt` })),
    )),
  say("Done."),
];

/** Runs it with a kernel that ends in place of a message. Returns true when there was such a message. */
async function diesAt(message: number): Promise<boolean> {
  const files = { "work/dies_at.txt": String(message), "work/made.txt": "" };
  return await inPlace(
    { script: SCRIPT, files },
    async ({ ask, cwd, only }: TauPlace) => {
      const run = await ask(["--output-format", "json", "go"], {
        kernel: "dies_at",
      });
      const where = `at message ${message}\n${run.stderr}`;
      assert.equal(lastRecord(run).status, "completed", where);
      assert.deepEqual(run.left, [], where);
      const made = (await Deno.readTextFile(`${cwd}/made.txt`)).split("\n");
      const distinct = new Set(made.filter(Boolean));
      assert.equal(made.length - 1, distinct.size, where);
      const results = only().entries.flatMap((entry) =>
        entry.type === "message" && entry.message.role === "toolResult"
          ? [entry.message]
          : []
      );
      const ids = new Set(results.map(({ toolCallId }) => toolCallId));
      assert.deepEqual([results.length, ids.size], [CALLS, CALLS], where);
      // A call without a line tells the model so.
      const failed = results.filter(({ isError }) => isError).length;
      assert(failed >= CALLS - distinct.size, where);
      return await Deno.stat(`${cwd}/dies_at.txt`).then(
        () => false,
        () => true,
      );
    },
  );
}

Deno.test("tau completes a run of twenty calls when the kernel dies at any message, sends no call twice, and gives each one result", async () => {
  let message = 0;
  while (await diesAt(message)) message++;
  assert(message > CALLS);
});
