import assert from "node:assert/strict";
import { docBlock } from "../support/doc_pages.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("the program of docs/library.md needs a key in the environment and nothing else", async () => {
  const program = await docBlock(
    "docs/library.md",
    "ts",
    "createAgentSession({",
  );
  await using double = startProviderDouble({
    api: "anthropic-messages",
    script: [say("", call("get_weather", { city: "Oslo" })), say("Snow.")],
  });
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
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: double.url,
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
