import assert from "node:assert/strict";
import { StoredBarrier } from "../../src/kernel/stored_barrier.ts";

/** Whether a promise has settled once all that can run has run. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  const done = () => settled = true;
  promise.then(done, done);
  for (let i = 0; i < 10; i++) await undefined;
  return settled;
}

Deno.test("StoredBarrier lets each pass at its own answer", async () => {
  const barrier = new StoredBarrier({ isStored: true });
  const first = barrier.passed();
  const second = barrier.passed();
  assert.equal(await isSettled(first), false);
  barrier.note({ file: "/s" });
  assert.equal(await isSettled(first), true);
  assert.equal(await isSettled(second), false);
  assert.equal(barrier.file, "/s");
  barrier.note({});
  await second;
  assert.equal(barrier.file, undefined);
});

Deno.test("StoredBarrier lets nobody pass once the host is gone", async () => {
  const barrier = new StoredBarrier({ isStored: true });
  const passed = barrier.passed();
  barrier.breakDown();
  await assert.rejects(passed, /the host is gone/);
  await assert.rejects(barrier.passed(), /the host is gone/);
});

Deno.test("StoredBarrier holds nobody up where nothing is stored", async () => {
  await new StoredBarrier({ isStored: false }).passed();
});
