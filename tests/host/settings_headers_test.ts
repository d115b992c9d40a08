import assert from "node:assert/strict";
import { runPuppet } from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("startRun() keeps the headers, the key and the password in the URL of a provider of the settings from the kernel", async () => {
  await inTempFolder(async (cwd) => {
    const { log } = await runPuppet([{ show: "setup" }, { show: "call" }], {
      cwd,
      model: "lab/small",
      env: { LAB_KEY: "CANARY-key" },
      providers: {
        lab: {
          baseUrl: "http://user:CANARY-password@127.0.0.1:9/v1",
          api: "openai-completions",
          apiKeyEnv: "LAB_KEY",
          headers: { "x-secret": "CANARY-header" },
        },
      },
    });
    const shown = log.join("\n");
    assert.match(shown, /"TAU_PROVIDER":"lab"/);
    assert.doesNotMatch(shown, /CANARY/);
  });
});
