import assert from "node:assert/strict";
import type { StopReason } from "../../src/host/run_options.ts";
import type { Message } from "../../src/model/message.ts";
import { EXIT_CODES } from "../../src/protocol/exit_codes.ts";
import { readSession } from "../../src/store/read_session.ts";
import { listSessions } from "../../src/store/session_list.ts";
import { atOnce } from "../support/at_once.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const REASONS = ["interrupted", "terminated", "hung_up"] as const;
/** Runs at a time; more would only wait for each other. */
const LANES = 4;

/** A turn with two calls and a turn without, stopped at its n-th event. */
async function runUntil(
  n: number,
  reason: StopReason,
): Promise<{ run: HostRun; stored: Message[] }> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say(
        "I look.",
        call("bash", { command: "echo one" }),
        call("bash", { command: "sleep 0.05; echo two" }),
      ),
      say("done"),
    ],
  });
  let ended: { run: HostRun; stored: Message[] } | undefined;
  await inTempFolder(async (cwd) => {
    const home = `${cwd}/home`;
    const stop = new AbortController();
    let seen = 0;
    const run = await runInHost({
      cwd,
      model: "openai/m",
      session: {},
      stop,
      env: {
        TAU_HOME: home,
        OPENAI_API_KEY: "k",
        OPENAI_BASE_URL: double.url,
      },
      onEvent: () => {
        if (seen++ === n) stop.abort(reason);
      },
    });
    const stored = listSessions(`${home}/sessions`).flatMap(({ file }) =>
      readSession(file).entries.flatMap((entry) =>
        entry.type === "message" ? [entry.message as Message] : []
      )
    );
    ended = { run, stored };
  });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  return ended ?? assert.fail();
}

Deno.test("startRun() ends by its reason, with one record and without a trace, at whatever event it is stopped", async () => {
  const { run: whole } = await runUntil(-1, "interrupted");
  assert.equal(whole.result.status, "completed");
  const numbers = whole.events.keys();
  await atOnce(Array(LANES).fill(undefined), async () => {
    for (const n of numbers) {
      const reason = REASONS[n % REASONS.length] ?? assert.fail();
      const { run: { result, left, events }, stored } = await runUntil(
        n,
        reason,
      );
      const where = `stopped at event ${n}, ${whole.events[n]?.type}`;
      // On a busy machine deltas come together, and a run has fewer events.
      const wasReached = events.length > n;
      assert.equal(result.status, wasReached ? reason : "completed", where);
      if (!wasReached) continue;
      assert.equal(result.exitCode, EXIT_CODES[reason], where);
      assert.deepEqual(left, [], where);
      const types = events.map(({ type }) => type);
      const ends = types.filter((type) => type === "agent_end").length;
      assert.equal(ends, types.includes("agent_start") ? 1 : 0, where);
      assertAnswered(stored, where);
    }
  });
});

/** Each stored call must have one result. */
function assertAnswered(stored: readonly Message[], where: string): void {
  const calls = stored.flatMap((message) =>
    message.role === "assistant" && message.stopReason === "toolUse"
      ? message.content.flatMap((block) =>
        block.type === "toolCall" ? [block.id] : []
      )
      : []
  );
  const answered = stored.flatMap((message) =>
    message.role === "toolResult" ? [message.toolCallId] : []
  );
  assert.deepEqual(answered.toSorted(), calls.toSorted(), where);
}
