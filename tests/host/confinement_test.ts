import assert from "node:assert/strict";
import { confinementOf, whyNoSandbox } from "../../src/host/confinement.ts";
import { effectivePermissions } from "../../src/host/effective_permissions.ts";
import { childEnvironment, runInHost } from "../support/host_run.ts";
import { bubblewrapPath, needing } from "../support/needs.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Programs that are no bubblewrap, and what is said of each. */
const WRONG: [name: string, script: string | undefined, reason: RegExp][] = [
  ["none", undefined, /failed: .*(No such file|not found)/],
  ["failing", "echo 'bwrap: no permissions' >&2; exit 1", /no permissions/],
  ["silent", "exit 1", /failed: it said nothing/],
  [
    "pretending",
    'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    /confines nothing/,
  ],
];

async function withWrong(
  test: (bubblewrap: string, reason: RegExp) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    for (const [name, script, reason] of WRONG) {
      const path = `${folder}/${name}`;
      if (script !== undefined) {
        await Deno.writeTextFile(path, `#!/bin/sh\n${script}\n`);
        await Deno.chmod(path, 0o755);
      }
      await test(path, reason);
    }
  });
}

Deno.test("whyNoSandbox() says why nothing confines", async () => {
  await withWrong(async (bubblewrap, reason) => {
    assert.match(await whyNoSandbox(bubblewrap) ?? "", reason);
  });
});

needing("bubblewrap")(
  "whyNoSandbox() has nothing to say of a sandbox that starts",
  async () => {
    assert.equal(await whyNoSandbox(bubblewrapPath()), undefined);
  },
);

Deno.test("effectivePermissions() shows what is left where a sandbox cannot start", async () => {
  await withWrong(async (bubblewrap, reason) => {
    // What only passes for a sandbox is shown by what can be done in it.
    const isFoundLate = bubblewrap.endsWith("pretending");
    await inTempFolder(async (cwd) => {
      const log: string[] = [];
      const { sandbox } = await effectivePermissions({
        prompt: "",
        updates: false,
        cwd,
        bubblewrap,
        env: { ...childEnvironment(), TAU_HOME: cwd + "/none" },
        kernel: {
          entry: new URL("../../src/kernel/main.ts", import.meta.url),
          config: new URL("../../deno.json", import.meta.url),
        },
      }, { log: (line) => log.push(line) });
      assert.equal(sandbox.state, isFoundLate ? "confined" : "unconfined");
      if (!isFoundLate) assert.match(sandbox.reason ?? "", reason);
      assert.deepEqual(sandbox.probes?.system, {
        read: "open",
        write: "open",
        connect: "open",
      });
      assert.match(log.join("\n"), /not confined|Not held/);
    });
  });
});

Deno.test("confinementOf() takes nothing where the sandbox is switched off", () => {
  const { reason, bubblewrap } = confinementOf({
    env: {},
    permissions: { sandbox: "off" },
    bubblewrap: "/usr/bin/bwrap",
  }, "/");
  assert.match(reason ?? "", /switched off/);
  assert.equal(bubblewrap, undefined);
});

Deno.test("startRun() ends with 31 where a sandbox is required and there is none", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [{ hang: true }],
  });
  await withWrong(async (bubblewrap, reason) => {
    // One that only passes for a sandbox is found out by what can be done in it.
    const isFoundLate = bubblewrap.endsWith("pretending");
    await inTempFolder(async (cwd) => {
      const { result, left } = await runInHost({
        cwd,
        bubblewrap,
        permissions: { sandbox: "require" },
        env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
      });
      assert.equal(result.status, "sandbox_unavailable");
      assert.equal(result.exitCode, 31);
      assert.match(
        result.error?.message ?? "",
        isFoundLate ? /Commands can read, write, connect/ : reason,
      );
      const { requested, state, reason: why } = result.sandbox;
      assert.deepEqual([requested, state], [
        "require",
        isFoundLate ? "confined" : "unconfined",
      ]);
      if (!isFoundLate) assert.match(why ?? "", reason);
      assert.deepEqual(left, []);
      // Nothing that a model said could be run.
      assert.equal(double.requests.length, 0);
    });
  });
});

Deno.test("startRun() says before its first call and in its record that commands are not confined", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("", call("bash", { command: "true" })),
      say("ok"),
      say("", call("ls")),
      say("ok"),
    ],
  });
  await inTempFolder(async (cwd) => {
    const options = {
      cwd,
      bubblewrap: `${cwd}/none`,
      env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
    };
    const run = await runInHost(options);
    assert.equal(run.result.status, "completed");
    const line = run.log.findIndex((line) => /^tau: Commands are/.test(line));
    assert.match(run.log[line] ?? "", /not confined: .*none/);
    // The words of the shell that could not start it are told in it alone.
    assert.equal(line, 0);
    const { state, requested, reason, probes } = run.result.sandbox;
    assert.deepEqual([requested, state], ["auto", "unconfined"]);
    assert.match(reason ?? "", /none/);
    assert.deepEqual(probes?.system, {
      read: "open",
      write: "open",
      connect: "open",
    });
    assert.equal(probes?.deno.read, "held");
    // Nothing can be run, so that there is nothing to warn of.
    const quiet = await runInHost({ ...options, tools: ["read"] });
    assert.deepEqual(quiet.log, []);
  });
});
