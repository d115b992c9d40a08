import assert from "node:assert/strict";
import { readPrompt } from "../../src/cli/read_prompt.ts";
import {
  type SignalSource,
  StoppedError,
  StopSignals,
} from "../../src/cli/stop_signals.ts";

class FakeSignals implements SignalSource {
  listeners = new Map<Deno.Signal, () => void>();
  unknown: Deno.Signal | undefined;

  addSignalListener(signal: Deno.Signal, handler: () => void): void {
    if (signal === this.unknown) throw new TypeError("unknown signal");
    this.listeners.set(signal, handler);
  }

  removeSignalListener(signal: Deno.Signal, handler: () => void): void {
    assert.equal(this.listeners.get(signal), handler);
    this.listeners.delete(signal);
  }

  send(signal: Deno.Signal): void {
    this.listeners.get(signal)?.();
  }
}

Deno.test("StopSignals names each signal, and the first one counts", () => {
  const cases = [
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
    ["SIGHUP", "hung_up"],
  ] as const;
  for (const [signal, reason] of cases) {
    const source = new FakeSignals();
    const signals = new StopSignals({ source });
    assert.equal(signals.reason, undefined);
    source.send(signal);
    source.send("SIGTERM");
    signals.stop("stdout_closed");
    assert.equal(signals.reason, reason);
    assert.equal(signals.signal.reason, reason);
    signals.close();
  }
});

Deno.test("StopSignals gives up soon after a second SIGINT", async () => {
  const source = new FakeSignals();
  const signals = new StopSignals({ source, shortPatienceMs: 1 });
  source.send("SIGINT");
  source.send("SIGINT");
  await signals.gaveUp;
  signals.close();
});

Deno.test("StopSignals gives up on a run that does not end after one stop", async () => {
  const signals = new StopSignals({ source: new FakeSignals(), patienceMs: 1 });
  signals.stop("stdout_closed");
  await signals.gaveUp;
  signals.close();
});

Deno.test("StopSignals.close() removes every listener and timer", () => {
  const source = new FakeSignals();
  const signals = new StopSignals({ source });
  assert.equal(source.listeners.size, 3);
  source.send("SIGINT");
  signals.close();
  assert.equal(source.listeners.size, 0);
});

Deno.test("StopSignals does without a signal that the platform does not know", () => {
  const source = new FakeSignals();
  source.unknown = "SIGHUP";
  const signals = new StopSignals({ source });
  assert.deepEqual([...source.listeners.keys()], ["SIGINT", "SIGTERM"]);
  signals.close();
});

Deno.test("StopSignals.stopped() ends the wait for a prompt at a signal, and at the time limit", async () => {
  const silent = {
    isTerminal: () => false,
    read: () => new Promise<number | null>(() => {}),
  };
  const cases = [
    ["SIGTERM", undefined, "terminated"],
    [undefined, 1, "timeout"],
  ] as const;
  for (const [signal, timeoutMs, reason] of cases) {
    const source = new FakeSignals();
    using signals = new StopSignals({ source });
    const prompt = readPrompt([], silent, () => signals.stopped(timeoutMs));
    if (signal) source.send(signal);
    await assert.rejects(
      prompt,
      (error) => error instanceof StoppedError && error.reason === reason,
    );
  }
});
