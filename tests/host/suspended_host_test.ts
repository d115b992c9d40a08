import assert from "node:assert/strict";
import type { PuppetStep } from "../support/kernels/puppet.ts";
import { lastRecord, withTau } from "../support/tau_process.ts";

const MAIN = new URL("../support/host_main.ts", import.meta.url).pathname;
const HEARTBEAT_MS = 600;
/** Long enough that the time alone would count as a hang. */
const SUSPENDED_MS = 2 * HEARTBEAT_MS;

const STEPS: PuppetStep[] = [
  { send: { type: "event", event: { type: "turn_start" } } },
  // A heartbeat after the host has gone on.
  { pause: SUSPENDED_MS + HEARTBEAT_MS },
  { send: { type: "end", outcome: { kind: "completed" } } },
];

Deno.test("startRun() does not take the time in which it is suspended for a hang", async () => {
  const args = [JSON.stringify(STEPS), String(HEARTBEAT_MS)];
  await withTau(
    args,
    { main: MAIN, env: { OPENAI_API_KEY: "k" } },
    async (host) => {
      await host.printed(/"turn_start"/);
      host.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, SUSPENDED_MS));
      host.signal("SIGCONT");
      const run = await host.ended();
      const { status, error } = lastRecord(run);
      assert.equal(status, "completed", error?.message);
    },
  );
});
