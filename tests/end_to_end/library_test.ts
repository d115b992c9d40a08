import assert from "node:assert/strict";
import { createStreamProxyHandler } from "../../src/providers/proxy/stream_proxy_handler.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { docBlock } from "../support/doc_pages.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { testModel } from "../support/scripted_model.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("the program of docs/library.md gets its answer over a proxy", async () => {
  const program = await docBlock(
    "docs/library.md",
    "ts",
    "createAgentSession({",
  );
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("", call("get_weather", { city: "Oslo" })), say("Snow.")],
  });
  const model = { ...testModel, baseUrl: double.url };
  const source = await deltaSourceFor(model.api);
  await using proxy = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    createStreamProxyHandler({
      authToken: "token",
      resolveModel: () => ({ model, source, apiKey: "key" }),
    }),
  );
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/weather.ts`, program);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "-A", "--no-prompt", "--no-check", "--quiet"],
        ...["--config", CONFIG, "weather.ts"],
      ],
      cwd: folder,
      env: {
        NO_COLOR: "1",
        TAU_PROXY_URL: `http://127.0.0.1:${proxy.addr.port}`,
        TAU_PROXY_TOKEN: "token",
      },
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assert.equal(code, 0, text(stderr));
    assert.equal(
      text(stdout),
      'get_weather\ncompleted [ "read", "get_weather" ]\n',
    );
    assert.match(double.requests[1]?.text ?? "", /Snow in Oslo/);
  });
});
