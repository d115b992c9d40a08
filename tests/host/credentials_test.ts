import assert from "node:assert/strict";
import { homedir } from "node:os";
import type { Api } from "../../src/model/model.ts";
import { runInHost, TRACE } from "../support/host_run.ts";
import { environmentsWith } from "../support/processes.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CANARY = "CANARY-4f1d";

/** The environment of a user with keys, also in names that nobody knows. */
function userEnvironment(api: Api, url: string): Record<string, string> {
  const provider = api === "openai-completions" ? "OPENAI" : "ANTHROPIC";
  return {
    ANTHROPIC_API_KEY: `sk-ant-${CANARY}`,
    OPENAI_API_KEY: `sk-${CANARY}`,
    OPENROUTER_API_KEY: `sk-or-${CANARY}`,
    GITHUB_TOKEN: CANARY,
    SOME_COMPANY_SECRET: CANARY,
    https_proxy: `http://user:${CANARY}@proxy`,
    TAU_RUN: CANARY,
    [`${provider}_BASE_URL`]: url,
  };
}

// $PPID is the kernel: what children can read of it counts too.
const LOOK = `echo children: $(env | grep -c ${CANARY})
echo kernel: $(tr '\\0' '\\n' </proc/$PPID/environ | grep -c ${CANARY})
echo arguments: $(tr '\\0' '\\n' </proc/$PPID/cmdline | grep -c ${CANARY})
test -n "$PATH" && test -n "$HOME" && echo base-ok`;

for (const api of ["openai-completions", "anthropic-messages"] as const) {
  Deno.test(`startRun() shows no key to the kernel, its children, events or logs, ${api}`, async () => {
    await using double = startProviderDouble({
      api,
      script: [say("Looking.", call("bash", { command: LOOK })), say("Done.")],
    });
    const trace = crypto.randomUUID();
    const environments: string[][] = [];
    await inTempFolder(async (cwd) => {
      const model = api === "openai-completions"
        ? "openai/test-model"
        : "anthropic/test-model";
      const run = await runInHost({
        cwd,
        model,
        env: {
          HOME: homedir(),
          [TRACE]: trace,
          ...userEnvironment(api, double.url),
        },
        updates: true,
        async onEvent({ type }) {
          // The kernel is there once a call has run.
          if (type !== "tool_execution_end") return;
          environments.push(...await environmentsWith(TRACE, trace));
        },
      });
      assert.equal(run.result.status, "completed", run.result.error?.message);
      const output = run.events.flatMap((event) =>
        event.type === "tool_execution_end" ? event.result.content : []
      );
      assert.deepEqual(output, [{
        type: "text",
        text: "children: 0\nkernel: 0\narguments: 0\nbase-ok\n",
      }]);
      const told = JSON.stringify([run.result, run.events, run.log])
        .replaceAll(JSON.stringify(LOOK).slice(1, -1), "");
      assert(!told.replaceAll(`grep -c ${CANARY}`, "").includes(CANARY));
    });
    assert(environments.length > 0, "no process was looked at");
    assert(!JSON.stringify(environments).includes(CANARY));
    // The key reached the provider, and only as a header.
    const [request] = double.requests;
    assert(JSON.stringify(request?.headers).includes(CANARY));
  });
}

Deno.test("startRun() tells no key when the provider repeats it in an error", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [{
      status: 401,
      body: JSON.stringify({
        error: { message: `Incorrect API key provided: sk-${CANARY}` },
      }),
    }],
  });
  await inTempFolder(async (cwd) => {
    const run = await runInHost({
      cwd,
      env: { OPENAI_API_KEY: `sk-${CANARY}`, OPENAI_BASE_URL: double.url },
    });
    assert.equal(run.result.status, "auth_failed");
    assert(!JSON.stringify(run).includes(CANARY), JSON.stringify(run.result));
  });
});
