import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import { atOnce } from "../support/at_once.ts";
import { call, type Reply, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import {
  jsonLines,
  lastRecord,
  type TauOptions,
  type TauProcess,
  type TauRun,
} from "../support/tau_process.ts";

const SIGNALS: [Deno.Signal, RunStatus, number][] = [
  ["SIGINT", "interrupted", 130],
  ["SIGTERM", "terminated", 143],
  ["SIGHUP", "hung_up", 129],
];

/** Starts a run that streams JSON, and lends it. */
function start(
  script: Reply[],
  { args = [], ...options }: TauOptions & { args?: string[] },
  use: (tau: TauProcess) => Promise<void>,
): Promise<void> {
  const all = ["-p", "--output-format", "stream-json", ...args, "go"];
  return inPlace({ script }, ({ during }) => during(all, use, options));
}

/** A run must have ended at once, with a record and without a trace. */
function assertStopped(run: TauRun, status: RunStatus, code: number): void {
  assert.equal(run.code, code, run.stderr);
  assert.deepEqual(run.left, [], "processes are left");
  assert.deepEqual(run.tempLeft, [], "temporary files are left");
  const result = lastRecord(run);
  assert.equal(result.type, "result");
  assert.equal(result.status, status);
  assert.equal(result.exitCode, code);
  const lines = jsonLines(run);
  assert.equal(lines.filter(({ type }) => type === "result").length, 1);
  assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m);
}

/** Sends a signal and returns the run, which must end within three seconds. */
async function stop(tau: TauProcess, signal: Deno.Signal): Promise<TauRun> {
  const startMs = performance.now();
  tau.signal(signal);
  const run = await tau.ended();
  const ms = performance.now() - startMs;
  assert(ms < 3000, `it took ${Math.round(ms)} ms`);
  return run;
}

const SLEEP = say(
  "Waiting.",
  call("bash", {
    command: "setsid sleep 300 & sleep 300 & echo ready; sleep 300",
  }),
);

for (const [signal, status, code] of SIGNALS) {
  Deno.test(`tau ends at once on ${signal} while the model speaks`, async () => {
    const slow = { ...say("x".repeat(30_000)), hangAfterBytes: 15_000 };
    await start([slow], {}, async (tau) => {
      await tau.printed(/"text_delta"/);
      const run = await stop(tau, signal);
      assertStopped(run, status, code);
      assert.match(lastRecord(run).text, /^x+$/);
    });
  });

  Deno.test(`tau ends at once on ${signal} while a command runs, and all that it started`, async () => {
    await start([SLEEP], {}, async (tau) => {
      await tau.printed(/"tool_execution_update".*ready/);
      const run = await stop(tau, signal);
      assertStopped(run, status, code);
      const end = jsonLines(run).find(({ type }) =>
        type === "tool_execution_end"
      );
      assert(end, "the call has no result");
    });
  });
}

Deno.test("tau ends at once on SIGINT before the server has answered", async () => {
  await start([{ hang: true }], {}, async (tau) => {
    await tau.printed(/"turn_start"/);
    assertStopped(await stop(tau, "SIGINT"), "interrupted", 130);
  });
});

const HEARS_NOTHING = ["spin", "deaf"].map((tool) => ({
  script: [say("", call(tool))],
  options: { kernel: "bad_tools", args: ["--tools", `bash,${tool}`] },
}));

Deno.test("tau ends at once on SIGINT in a tool that hears nothing", async () => {
  await atOnce(
    HEARS_NOTHING,
    ({ script, options }) =>
      start(script, options, async (tau) => {
        await tau.printed(/"tool_execution_start"/);
        assertStopped(await stop(tau, "SIGINT"), "interrupted", 130);
      }),
  );
});

Deno.test("tau ends at its time limit in a tool that hears nothing", async () => {
  await atOnce(HEARS_NOTHING, ({ script, options }) => {
    const args = [...options.args, "--timeout", "700ms"];
    return start(script, { ...options, args }, async (tau) => {
      const run = await tau.ended();
      assertStopped(run, "timeout", 22);
      assert(run.durationMs < 3700, `it took ${run.durationMs} ms`);
    });
  });
});

Deno.test("tau goes on with another kernel when a tool ends the kernel", async () => {
  await start([say("", call("exit")), say("I see.")], {
    kernel: "bad_tools",
    args: ["--tools", "exit"],
  }, async (tau) => {
    const run = await tau.ended();
    assertStopped(run, "completed", 0);
    assert.deepEqual(lastRecord(run).kernels, [{
      reason: "The kernel ended by itself with code 3",
      openCalls: ["exit"],
    }]);
    assert.match(run.stderr, /The kernel ended by itself with code 3/);
  });
});

Deno.test("tau shows what a tool prints on stderr, never among its events", async () => {
  await start([say("", call("print")), say("done")], {
    kernel: "bad_tools",
    args: ["--tools", "print"],
  }, async (tau) => {
    const run = await tau.ended();
    assertStopped(run, "completed", 0);
    assert.match(run.stderr, /printed by a tool/);
    assert.doesNotMatch(run.stdout, /printed by a tool/);
  });
});

Deno.test("tau ends a background process at the end of the run", async () => {
  const script = [
    say("", call("bash", { command: "setsid sleep 300 >/dev/null 2>&1 &" })),
    say("done"),
  ];
  await start(script, {}, async (tau) => {
    const run = await tau.ended();
    assertStopped(run, "completed", 0);
  });
});

Deno.test("tau takes a second SIGINT during the stop without a trace", async () => {
  await start([say("", call("deaf"))], {
    kernel: "bad_tools",
    args: ["--tools", "deaf"],
  }, async (tau) => {
    await tau.printed(/"tool_execution_start"/);
    tau.signal("SIGINT");
    assertStopped(await stop(tau, "SIGINT"), "interrupted", 130);
  });
});

Deno.test("tau leaves no kernel and no command when it is killed", async () => {
  await start([SLEEP], {}, async (tau) => {
    await tau.printed(/"tool_execution_update".*ready/);
    tau.signal("SIGKILL");
    // What left its group with setsid is out of the kernel's reach.
    const endMs = performance.now() + 5000;
    while ((await tau.processes()).length > 1) {
      assert(performance.now() < endMs, "the kernel or its command lives on");
    }
  });
});
