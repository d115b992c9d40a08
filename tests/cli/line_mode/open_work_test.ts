import assert from "node:assert/strict";
import { OpenWork } from "../../../src/cli/line_mode/open_work.ts";

/** Work that goes on until it is told to end, and hears when it is stopped. */
function piece(): {
  work(signal: AbortSignal): Promise<void>;
  end(): void;
  wasStopped(): boolean;
} {
  const ended = Promise.withResolvers<void>();
  let heard: AbortSignal | undefined;
  return {
    work(signal) {
      heard = signal;
      return ended.promise;
    },
    end: ended.resolve,
    wasStopped: () => heard?.aborted === true,
  };
}

Deno.test("OpenWork.stopLatest() stops what began last and still goes on, in whatever order things end", async () => {
  const work = new OpenWork(() => {});
  const [run, shell] = [piece(), piece()];
  const running = work.do(run.work);
  const inShell = work.do(shell.work);
  run.end();
  await running;
  assert.equal(work.isBusy, true);
  assert.equal(work.stopLatest(), true);
  assert.equal(shell.wasStopped(), true);
  assert.equal(work.stopLatest(), false);
  shell.end();
  await inShell;
  assert.equal(work.isBusy, false);
  assert.equal(run.wasStopped(), false);
});

Deno.test("OpenWork.stopAll() stops everything, and a failure of one is its own", async () => {
  let changes = 0;
  const work = new OpenWork(() => changes++);
  const [run, shell] = [piece(), piece()];
  const all = [work.do(run.work), work.do(shell.work)];
  const failed = work.do(() => Promise.reject(new Error("no")));
  work.stopAll();
  assert(run.wasStopped() && shell.wasStopped());
  await assert.rejects(failed, /no/);
  run.end();
  shell.end();
  await Promise.all(all);
  assert.equal(work.isBusy, false);
  assert.equal(changes, 6);
});
