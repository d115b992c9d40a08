import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import type { StopReason } from "../../src/host/run_options.ts";
import { atOnce } from "../support/at_once.ts";
import {
  type HostRun,
  type HostRunOptions,
  runInHost,
  runPuppet,
} from "../support/host_run.ts";
import type { PuppetStep } from "../support/kernels/puppet.ts";
import { say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CHILD: PuppetStep = { child: "exec sleep 300" };

/** Runs a puppet in a fresh folder; it must end within three seconds, with no process left. */
async function run(
  steps: PuppetStep[],
  options: Omit<HostRunOptions, "cwd"> = {},
): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    const startMs = performance.now();
    run = await runPuppet(steps, { ...options, cwd });
    assert(performance.now() - startMs < 3000, "it took too long");
    assert.deepEqual(run.left, []);
  });
  return run as HostRun;
}

/** Stops a run when its call starts. */
function stopAtCall(reason: StopReason): Omit<HostRunOptions, "cwd"> {
  const stop = new AbortController();
  return {
    stop,
    onEvent: ({ type }) => {
      if (type === "tool_execution_update") stop.abort(reason);
    },
  };
}

const REASONS: [StopReason, RunStatus, number][] = [
  ["interrupted", "interrupted", 130],
  ["terminated", "terminated", 143],
  ["hung_up", "hung_up", 129],
  ["stdout_closed", "stdout_closed", 141],
];

/** Progress, by which a test knows that the call is open. */
const OPEN: PuppetStep = {
  send: { type: "update", callId: "$call", result: { content: [] } },
};

for (const [reason, status, exitCode] of REASONS) {
  Deno.test(`startRun() ends as ${status} when it is stopped for that`, async () => {
    const { result } = await run(
      [CHILD, OPEN, { hear: 1 }],
      stopAtCall(reason),
    );
    assert.deepEqual([result.status, result.exitCode], [status, exitCode]);
  });
}

Deno.test("startRun() stops a kernel that does not listen, or never gives JavaScript back", async () => {
  const steps: PuppetStep[] = [{ pause: 60_000 }, { spin: true }];
  await atOnce(steps, async (step) => {
    const { result } = await run(
      [CHILD, OPEN, step],
      stopAtCall("interrupted"),
    );
    assert.equal(result.status, "interrupted");
  });
});

Deno.test("startRun() ends a kernel that never gives JavaScript back at its time limit", async () => {
  const { result } = await run([CHILD, OPEN, { spin: true }], {
    timeoutMs: 400,
  });
  assert.equal(result.status, "timeout");
  assert.equal(result.exitCode, 22);
});

Deno.test("startRun() asks no model in a run that is stopped before it starts", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("too late")],
  });
  const stop = new AbortController();
  stop.abort("interrupted");
  await inTempFolder(async (cwd) => {
    const { result, log } = await runInHost({
      cwd,
      stop,
      // No commands: nothing is said of what confines them.
      tools: ["read"],
      env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
    });
    assert.equal(result.status, "interrupted");
    assert.deepEqual(log, []);
  });
  assert.deepEqual(double.requests, []);
});

Deno.test("startRun() keeps the reason of a stop when the kernel then dies", async () => {
  const { result } = await run(
    [OPEN, { hear: 1 }, { exit: 3 }],
    stopAtCall("terminated"),
  );
  assert.equal(result.status, "terminated");
});

Deno.test("startRun() does not take a slow listener for a hang", async () => {
  const { result, events } = await run([], {
    heartbeatMs: 600,
    onEvent: ({ type }) =>
      type === "agent_start"
        ? new Promise((resolve) => setTimeout(resolve, 1500))
        : undefined,
  });
  assert.equal(result.status, "completed");
  assert.equal(events.at(-1)?.type, "agent_end");
});

Deno.test("startRun() ends a stopped run whose listener never comes back", async () => {
  const stop = new AbortController();
  const { result } = await run([CHILD], {
    stop,
    onEvent({ type }) {
      if (type !== "turn_start") return;
      queueMicrotask(() => stop.abort("interrupted"));
      return new Promise(() => {});
    },
  });
  assert.equal(result.status, "interrupted");
});

Deno.test("startRun() ends at its time limit a run whose listener never comes back", async () => {
  const { result } = await run([CHILD], {
    timeoutMs: 400,
    onEvent: ({ type }) =>
      type === "turn_start" ? new Promise(() => {}) : undefined,
  });
  assert.equal(result.status, "timeout");
});

Deno.test("startRun() ends everything when its listener throws", async () => {
  const { result } = await run([CHILD, { pause: 60_000 }], {
    onEvent({ type }) {
      if (type === "turn_start") throw new Error("the listener broke");
    },
  });
  assert.equal(result.status, "internal_error");
  assert.match(result.error?.message ?? "", /the listener broke/);
});
