import assert from "node:assert/strict";
import type { KernelLaunch } from "../../src/host/kernel_program.ts";
import type { SandboxRequest } from "../../src/host/run_permissions.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { needing } from "../support/needs.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const HELD = { read: "held", write: "held", connect: "held" };
const OPEN = { read: "open", write: "open", connect: "open" };
const EVERYTHING = { readRoots: ["/"], writeRoots: ["/"] };

/** How each ring is switched off, and what the receipt then says. */
const RINGS: [
  ring: "operations" | "deno" | "system",
  alter: (launch: KernelLaunch) => KernelLaunch,
  outcome: Record<string, string>,
][] = [
  [
    "operations",
    (launch) => ({
      ...launch,
      policy: { ...launch.policy, tools: EVERYTHING },
    }),
    { ...OPEN, connect: "not tried" },
  ],
  ["deno", (launch) => ({ ...launch, flags: ["-A", "--no-prompt"] }), OPEN],
  [
    "system",
    (launch) => ({ ...launch, confine: (command) => [...command] }),
    OPEN,
  ],
];

for (const [ring, alterLaunch, outcome] of RINGS) {
  needing("bubblewrap")(
    `startRun() shows in its record that a ring is open which should not be, ${ring}`,
    async () => {
      await inAlteredRun(alterLaunch, async (run) => {
        const { result, log } = await run("auto");
        assert.equal(result.status, "completed", result.error?.message);
        assert.deepEqual(result.sandbox.probes, {
          operations: { ...HELD, connect: "not tried" },
          deno: HELD,
          system: HELD,
          reportedBy: "kernel",
          [ring]: outcome,
        });
        assert.match(log.join("\n"), /^tau: Not held, though it should be: /m);
        const required = await run("require");
        assert.equal(required.result.status, "sandbox_unavailable");
      });
    },
  );

  // It is open wherever nothing confines.
  if (ring === "system") continue;
  Deno.test(`startRun() shows in its record that a ring is open which should not be, ${ring}, unconfined`, async () => {
    await inAlteredRun(alterLaunch, async (run) => {
      const { result, log } = await run("off");
      assert.equal(result.status, "completed", result.error?.message);
      assert.deepEqual(result.sandbox.probes, {
        operations: { ...HELD, connect: "not tried" },
        deno: HELD,
        system: OPEN,
        reportedBy: "kernel",
        [ring]: outcome,
      });
      assert.match(log.join("\n"), /^tau: Not held, though it should be: /m);
    });
  });
}

/** Lends runs whose launch was altered, with or without a sandbox. */
async function inAlteredRun(
  alterLaunch: (launch: KernelLaunch) => KernelLaunch,
  use: (run: (sandbox: SandboxRequest) => Promise<HostRun>) => Promise<void>,
): Promise<void> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("", call("bash", { command: "true" })), say("ok"), {
      hang: true,
    }],
  });
  await inTempFolder(async (root) => {
    const cwd = `${root}/work`;
    const env = {
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: double.url,
      TAU_HOME: `${root}/home`,
    };
    await Promise.all([cwd, env.TAU_HOME].map((path) => Deno.mkdir(path)));
    await use((sandbox) =>
      runInHost({ cwd, alterLaunch, permissions: { sandbox }, env })
    );
  });
}
