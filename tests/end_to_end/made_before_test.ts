import assert from "node:assert/strict";
import {
  APIS,
  BEFORE,
  inWorkplace,
  recordingArgs,
  recordingScript,
  requestOfResumed,
  rpcTranscript,
} from "../support/made_before.ts";
import { lastRecord } from "../support/tau_process.ts";

// Users' files outlive programs: what an older one stored is read as before.

for (const api of APIS) {
  Deno.test(`tau replays a recording that an older program made, and records the same bytes, ${api}`, async () => {
    const old = new URL(`recording_${api}.jsonl`, BEFORE);
    await inWorkplace(
      { api, script: recordingScript },
      async ({ tau, root }) => {
        const run = await tau(recordingArgs("--replay", old.pathname));
        assert.equal(run.code, 0, run.stderr);
        const { text, turns, toolCalls, failedToolCalls } = lastRecord(run);
        assert.deepEqual([text, turns, toolCalls, failedToolCalls], [
          "It says alpha and gamma.",
          5,
          5,
          2,
        ]);
        assert.equal(
          await Deno.readTextFile(`${root}/work/note.txt`),
          "alpha\ngamma\n",
        );
      },
    );
    await inWorkplace(
      { api, script: recordingScript },
      async ({ tau, root }) => {
        const run = await tau(recordingArgs("--record", `${root}/new.jsonl`));
        assert.equal(run.code, 0, run.stderr);
        assert.deepEqual(
          await sortedLines(`${root}/new.jsonl`),
          await sortedLines(old),
        );
      },
    );
  });

  Deno.test(`tau goes on with a session that an older program stored, with the same request, ${api}`, async () => {
    const old = new URL(`resumed_${api}.json`, BEFORE);
    assert.deepEqual(
      await requestOfResumed(api),
      JSON.parse(await Deno.readTextFile(old)),
    );
  });
}

Deno.test("tau rpc answers commands with the lines of an older program", async () => {
  const old = await Deno.readTextFile(new URL("rpc.json", BEFORE));
  assert.deepEqual(await rpcTranscript(), JSON.parse(old));
});

/**
 * The lines without times. Results of calls that ran side by side stand in the
 * order in which they ended.
 */
async function sortedLines(file: string | URL): Promise<string[]> {
  const text = await Deno.readTextFile(file);
  return text.replaceAll(/"wall_time_seconds":[\d.]+/g, "").split("\n").sort();
}
