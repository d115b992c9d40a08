import assert from "node:assert/strict";
import {
  Kernel,
  type ProcessListener,
} from "../../../src/host/kernel/kernel.ts";
import type { KernelProcess } from "../../../src/host/kernel_process.ts";

/** A process that says hello, and what else it is told to. */
function silentProcess(
  heard: ProcessListener,
  ends: string[],
): KernelProcess {
  const ended = Promise.withResolvers<string | undefined>();
  queueMicrotask(() => heard.onMessage({ type: "hello", version: 1 }));
  return {
    done: ended.promise,
    hasSpoken: true,
    waiting: 0,
    blamed: undefined,
    send: () => Promise.resolve(),
    expectEnd: () => {},
    kill: () => ended.resolve(undefined),
    breakOff(why: string) {
      ends.push(why);
      ended.resolve(why);
    },
  } as unknown as KernelProcess;
}

const LISTENER = {
  onDeclare: () => {},
  onRequest: () => {},
  onTell: () => {},
  onRefused: () => {},
  onHeard: () => {},
};

Deno.test("Kernel.start() breaks off a kernel that is never ready, and gives up after two", async () => {
  const ends: string[] = [];
  const deaths: boolean[] = [];
  const kernel = new Kernel({
    startProcess: (heard) => silentProcess(heard, ends),
    listener: LISTENER,
    loads: () => true,
    greet: () => {},
    introduce: () => {},
    print: () => {},
    recover: () => Promise.resolve(undefined),
    onDeath: ({ isFailedStart }) => {
      deaths.push(isFailedStart);
      return Promise.resolve();
    },
    readyMs: 30,
  });
  kernel.start();
  await assert.rejects(kernel.serving(), /The kernel has ended/);
  assert.match(await kernel.over ?? "", /not ready after 0.03 s/);
  assert.deepEqual([ends.length, deaths], [2, [true, true]]);
});

Deno.test("Kernel.start() waits for a kernel that has asked something", async () => {
  const ends: string[] = [];
  const kernel = new Kernel({
    startProcess: (heard) => {
      const process = silentProcess(heard, ends);
      queueMicrotask(() =>
        heard.onMessage(
          {
            ...{ type: "request", requestId: 0, kind: "kill", marker: "m" },
          } as Parameters<ProcessListener["onMessage"]>[0],
        )
      );
      return process;
    },
    listener: LISTENER,
    loads: () => true,
    greet: () => {},
    introduce: () => {},
    print: () => {},
    recover: () => Promise.resolve(undefined),
    onDeath: () => Promise.resolve(),
    readyMs: 10,
  });
  kernel.start();
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.deepEqual(ends, []);
  kernel.close();
  await kernel.over;
});
