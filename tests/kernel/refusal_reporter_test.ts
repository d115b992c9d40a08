import assert from "node:assert/strict";
import { RefusalReporter } from "../../src/kernel/refusal_reporter.ts";
import type { KernelMessage } from "../../src/protocol/kernel_protocol.ts";

Deno.test("RefusalReporter sends one message at a time and counts what comes meanwhile", async () => {
  const sent: KernelMessage[] = [];
  let arrive = () => {};
  const reporter = new RefusalReporter((message) => {
    sent.push(message);
    return new Promise((resolve) => arrive = resolve);
  });
  reporter.note("read");
  for (let i = 0; i < 1000; i++) reporter.note("read");
  reporter.note("protected");
  assert.equal(sent.length, 1);
  for (let i = 0; i < 3; i++) {
    arrive();
    await Promise.resolve();
    await Promise.resolve();
  }
  reporter.note("write");
  assert.deepEqual(sent, [
    { type: "refused", access: "read", count: 1 },
    { type: "refused", access: "read", count: 1000 },
    { type: "refused", access: "protected", count: 1 },
    { type: "refused", access: "write", count: 1 },
  ]);
});
