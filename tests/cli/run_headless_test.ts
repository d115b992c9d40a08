import assert from "node:assert/strict";
import { bareResult } from "../../src/cli/bare_result.ts";
import { Console } from "../../src/cli/console.ts";
import type { OutputFormat } from "../../src/cli/options/option_table.ts";
import { createMode } from "../../src/cli/output_mode.ts";
import { type HeadlessRun, runHeadless } from "../../src/cli/run_headless.ts";
import { type SignalSource, StopSignals } from "../../src/cli/stop_signals.ts";
import type { RunOptions } from "../../src/host/run_options.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import type { SessionHeader } from "../../src/session/session_entry.ts";
import { FakeSink, FakeSource } from "./fake_streams.ts";

const HEADER: SessionHeader = {
  type: "session",
  version: 3,
  id: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/w",
};

/** A run with streams in memory; `send` sends it a signal. */
function setUp(
  { terminal = false, mode = "text" }: {
    terminal?: boolean;
    mode?: OutputFormat;
  } = {},
) {
  const stdout = new FakeSink(terminal);
  const stderr = new FakeSink();
  const streams = { stdin: new FakeSource([]), stdout, stderr };
  const console = new Console(streams, {});
  const listeners = new Map<Deno.Signal, () => void>();
  const source: SignalSource = {
    addSignalListener: (signal, handler) => listeners.set(signal, handler),
    removeSignalListener: (signal) => listeners.delete(signal),
  };
  const options: RunOptions = {
    prompt: "x",
    cwd: "/w",
    updates: false,
    kernel: { entry: new URL("file:///kernel.ts") },
    env: {},
  };
  const run = (
    startRun: HeadlessRun["startRun"],
    changes: Partial<RunOptions> = {},
  ) =>
    runHeadless({
      startRun,
      console,
      mode: createMode(mode, console),
      options: { ...options, ...changes },
      signals: new StopSignals({
        source,
        shortPatienceMs: 1,
        patienceMs: 60_000,
      }),
    });
  const send = (signal: Deno.Signal) => listeners.get(signal)?.();
  return { stdout, stderr, listeners, run, send };
}

function result(status: RunStatus, text: string, message = ""): RunResult {
  const made = { ...bareResult(status, message, { cwd: "/w" }), text };
  if (status === "completed") delete made.error;
  return made;
}

Deno.test("runHeadless() puts the answer on stdout and all else on stderr", async () => {
  const { stdout, stderr, listeners, run } = setUp();
  const code = await run(async (_options, { emit, log }) => {
    await emit(HEADER);
    await emit({ type: "agent_start" });
    log("a plugin says \x1b[2J");
    return result("completed", "The answer.");
  });
  assert.equal(code, 0);
  assert.equal(stdout.text, "The answer.\n");
  assert.equal(stderr.text, "a plugin says ␛[2J\n");
  assert.equal(listeners.size, 0);
});

Deno.test("runHeadless() prints a partial answer on stdout, and why the run failed on stderr", async () => {
  const { stdout, stderr, run } = setUp();
  const code = await run(() =>
    Promise.resolve(result("provider_refused", "Half an", "401: bad\x07 key"))
  );
  assert.equal(code, 12);
  assert.equal(stdout.text, "Half an\n");
  assert.equal(stderr.text, "tau: 401: bad␇ key\n");
});

Deno.test("runHeadless() makes an answer safe for a terminal, and leaves it alone elsewhere", async () => {
  for (const terminal of [true, false]) {
    const { stdout, run } = setUp({ terminal });
    await run(() => Promise.resolve(result("completed", "a\x1b[2Jb")));
    assert.equal(stdout.text, terminal ? "a␛[2Jb\n" : "a\x1b[2Jb\n");
  }
});

Deno.test("runHeadless() writes no character in JSON that a terminal acts on", async () => {
  for (const mode of ["json", "stream-json"] as const) {
    const { stdout, run } = setUp({ mode });
    await run(() => Promise.resolve(result("completed", "a\x9b2J\u202eb")));
    assert.match(stdout.text, /"text":"a\\u009b2J\\u202eb"/);
  }
});

Deno.test("runHeadless() writes one record in json mode and ends the events with it in stream-json mode", async () => {
  const ended = result("auth_failed", "", "No API key");
  for (const mode of ["json", "stream-json"] as const) {
    const { stdout, stderr, run } = setUp({ mode });
    const code = await run(async (_options, { emit }) => {
      await emit(HEADER);
      await emit({ type: "turn_start" });
      return ended;
    });
    assert.equal(code, 10);
    const lines = stdout.text.trimEnd().split("\n").map((line) =>
      JSON.parse(line)
    );
    assert.deepEqual(
      lines,
      mode === "json" ? [ended] : [HEADER, { type: "turn_start" }, ended],
    );
    assert.equal(stderr.text, "tau: No API key\n");
  }
});

Deno.test("runHeadless() stops a run whose reader is gone, and ends without a word", async () => {
  const { stdout, stderr, run } = setUp({ mode: "stream-json" });
  stdout.error = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  const code = await run(async (_options, { emit, stop }) => {
    await emit(HEADER);
    await new Promise((resolve) => stop.addEventListener("abort", resolve));
    assert.equal(stop.reason, "stdout_closed");
    return result("stdout_closed", "", "nobody reads");
  });
  assert.equal(code, 141);
  assert.equal(stderr.text, "");
});

Deno.test("runHeadless() fails with the reason when stdout cannot be written", async () => {
  for (
    const [status, expected] of [["completed", 1], ["auth_failed", 10]] as const
  ) {
    const { stdout, stderr, run } = setUp({ mode: "json" });
    stdout.error = new Error("No space left on device (os error 28)");
    const code = await run(() => Promise.resolve(result(status, "", "why")));
    assert.equal(code, expected);
    assert.match(
      stderr.text,
      /tau: Cannot write to stdout: No space left on device/,
    );
  }
});

Deno.test("runHeadless() survives a closed stderr", async () => {
  const { stdout, stderr, run } = setUp();
  stderr.error = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  const code = await run(async (_options, { emit, log }) => {
    await emit({ type: "agent_start" });
    log("nobody reads this");
    return result("completed", "The answer.");
  });
  assert.equal(code, 0);
  assert.equal(stdout.text, "The answer.\n");
});

Deno.test("runHeadless() hands a signal on and exits with its code", async () => {
  const { stdout, stderr, run, send } = setUp({ mode: "json" });
  const code = await run(async (_options, { stop }) => {
    const stopped = new Promise((resolve) =>
      stop.addEventListener("abort", resolve)
    );
    send("SIGTERM");
    await stopped;
    assert.equal(stop.reason, "terminated");
    return result("terminated", "", "Terminated (SIGTERM)");
  });
  assert.equal(code, 143);
  assert.equal(JSON.parse(stdout.text).status, "terminated");
  assert.equal(stderr.text, "tau: Terminated (SIGTERM)\n");
});

Deno.test("runHeadless() does not wait for a run that ignores a second SIGINT, and still writes a record", async () => {
  const { stdout, run, send } = setUp({ mode: "json" });
  const code = await run(() => {
    queueMicrotask(() => {
      send("SIGINT");
      send("SIGINT");
    });
    return new Promise(() => {});
  });
  assert.equal(code, 130);
  assert.equal(JSON.parse(stdout.text).status, "interrupted");
});

Deno.test("runHeadless() lets a run wait for a slow reader, until it is stopped", async () => {
  const { stdout, run, send } = setUp({ mode: "stream-json" });
  const gate = Promise.withResolvers<void>();
  stdout.gate = gate.promise;
  const order: string[] = [];
  const code = await run(async (_options, { emit }) => {
    const big = { ...HEADER, cwd: "x".repeat(100_000) };
    const emitted = Promise.resolve(emit(big)).then(() =>
      order.push("emitted")
    );
    await Promise.resolve();
    order.push("stopped");
    send("SIGTERM");
    await emitted;
    gate.resolve();
    return result("terminated", "", "Terminated");
  });
  assert.equal(code, 143);
  assert.deepEqual(order, ["stopped", "emitted"]);
});

Deno.test("runHeadless() passes a UsageError on and takes its listeners back", async () => {
  const { listeners, run } = setUp();
  await assert.rejects(
    run(() => Promise.reject(new UsageError("no such folder"))),
    UsageError,
  );
  assert.equal(listeners.size, 0);
});
