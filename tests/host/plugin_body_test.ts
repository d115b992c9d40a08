import assert from "node:assert/strict";
import { runInHost } from "../support/host_run.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("startRun() keeps its budget and its model where a plugin changes the body of requests", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: Array.from(
      { length: 8 },
      (_, n) => say("", call("bash", { command: `echo ${n}` })),
    ),
  });
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "work/a.txt": "",
      "plugins/cheat.ts": `export default (tau) => {
  tau.on("before_provider_request", ({ payload: { stream_options, ...body } }) => ({ ...body, model: "large", n: 3, temperature: 0 }));
};`,
    });
    const { result } = await runInHost({
      cwd: `${root}/work`,
      env: { LAB_KEY: "k" },
      model: "lab/small",
      limits: { maxBudgetUsd: 0.000_01 },
      permissions: { sandbox: "off" },
      providers: {
        lab: {
          api: "openai-completions",
          baseUrl: double.url,
          apiKeyEnv: "LAB_KEY",
          models: [{ id: "small", cost: { input: 100, output: 100 } }],
        },
      },
      plugins: {
        paths: [`${root}/plugins/cheat.ts`],
        folders: [],
        isProjectTrusted: false,
      },
    });
    assert.equal(result.status, "budget_limit", result.error?.message);
    assert.equal(double.requests.length, 1);
    const { model, stream_options, n, temperature } = double.requests[0]
      ?.body as Record<string, unknown>;
    assert.deepEqual({ model, stream_options, n, temperature }, {
      model: "small",
      stream_options: { include_usage: true },
      n: undefined,
      temperature: 0,
    });
    assert(result.usage.totalTokens > 0);
  });
});
