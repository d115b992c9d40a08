import assert from "node:assert/strict";
import { runSteps, type Steps } from "../../src/agent/run_steps.ts";

Deno.test("runSteps() is over when it returns, for steps that wait for nothing", () => {
  const log: string[] = [];
  const result = runSteps(waitFor([], () => log.push("done")));
  assert.deepEqual([result, log], [undefined, ["done"]]);
});

Deno.test("runSteps() waits for each promise before it goes on", async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const log: string[] = [];
  const result = runSteps(function* () {
    for (const [i, gate] of gates.entries()) {
      log.push(`before ${i}`);
      yield gate.promise;
      log.push(`after ${i}`);
    }
  }());
  assert.deepEqual(log, ["before 0"]);
  gates[1]?.resolve();
  await gates[1]?.promise;
  assert.deepEqual(log, ["before 0"]);
  gates[0]?.resolve();
  await result;
  assert.deepEqual(log, ["before 0", "after 0", "before 1", "after 1"]);
});

Deno.test("runSteps() throws a rejection where the steps wait, as often as they catch one", async () => {
  const log: unknown[] = [];
  await runSteps(function* () {
    for (const n of [1, 2]) {
      try {
        yield Promise.reject(n);
      } catch (error) {
        log.push(error);
      }
    }
  }());
  assert.deepEqual(log, [1, 2]);
});

Deno.test("runSteps() fails as its steps do: it throws before the first wait and rejects after it", async () => {
  const fault = new Error("broken");
  const fail = () => {
    throw fault;
  };
  assert.throws(() => runSteps(waitFor([], fail)), fault);
  const late = runSteps(waitFor([Promise.resolve()], fail));
  await assert.rejects(Promise.resolve(late), fault);
});

function* waitFor(promises: Promise<void>[], then: () => void): Steps {
  yield* promises;
  then();
}
