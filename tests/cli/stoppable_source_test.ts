import assert from "node:assert/strict";
import { readPrompt } from "../../src/cli/read_prompt.ts";
import {
  StoppableSource,
  StoppedError,
} from "../../src/cli/stoppable_source.ts";
import { FakeSource } from "./fake_streams.ts";

/** Signals that a test sends. */
function fakeSignals() {
  const listeners = new Map<Deno.Signal, () => void>();
  const source = {
    addSignalListener: (signal: Deno.Signal, listener: () => void) =>
      void listeners.set(signal, listener),
    removeSignalListener: (signal: Deno.Signal) =>
      void listeners.delete(signal),
  };
  return { listeners, source };
}

/** Never says anything. */
const SILENT = {
  isTerminal: () => false,
  read: () => new Promise<number | null>(() => {}),
};

Deno.test("StoppableSource ends the wait for a prompt with the signal that came, and listens no longer", async () => {
  const cases = [
    ["SIGINT", "interrupted"],
    ["SIGTERM", "terminated"],
    ["SIGHUP", "hung_up"],
  ] as const;
  for (const [signal, reason] of cases) {
    const { listeners, source } = fakeSignals();
    {
      using stdin = new StoppableSource(SILENT, { source });
      const prompt = readPrompt([], stdin);
      listeners.get(signal)?.();
      await assert.rejects(prompt, (error: Error) => {
        assert(error instanceof StoppedError);
        assert.equal(error.reason, reason);
        return true;
      });
    }
    assert.equal(listeners.size, 0);
  }
});

Deno.test("StoppableSource hands on what is read, and hears no signal where nothing is", async () => {
  const { listeners, source } = fakeSignals();
  using stdin = new StoppableSource(new FakeSource(["fix ", "it\n"]), {
    source,
  });
  assert.equal(await readPrompt([{ text: "hi" }], stdin), "hi");
  assert.equal(listeners.size, 0);
  assert.equal(await readPrompt([], stdin), "fix it");
});

Deno.test("StoppableSource ends the wait for a prompt at the time limit", async () => {
  const { listeners, source } = fakeSignals();
  {
    using stdin = new StoppableSource(SILENT, { source, timeoutMs: 1 });
    await assert.rejects(readPrompt([], stdin), (error: Error) => {
      assert(error instanceof StoppedError);
      assert.equal(error.reason, "timeout");
      return true;
    });
  }
  assert.equal(listeners.size, 0);
});
