import assert from "node:assert/strict";
import { say } from "../support/provider_double.ts";
import { withShippedPlugin } from "../support/shipped_plugin.ts";
import { inPlace } from "../support/tau_place.ts";
import { lastRecord } from "../support/tau_process.ts";

Deno.test("--plugin-flag that no plugin has, or without the value that it needs, is a mistake of the command line", async () => {
  await withShippedPlugin("get_weather.ts", { script: [] }, async (place) => {
    const runs = await Promise.all([
      place.prompt("--plugin-flag", "weather_uri=x"),
      place.prompt("--plugin-flag", "weather_url"),
      place.prompt("--plugin-flag", "=x"),
      place.ask(["--plugin-flag", "loud", "--output-format", "json", "hi"]),
    ]);
    assert.deepEqual(runs.map(({ code }) => code), [2, 2, 2, 2]);
    const [unknown, valueless, nameless, alone] = runs.map(({ stderr }) =>
      stderr
    );
    assert.match(unknown ?? "", /no plugin has it; did you mean weather_url/);
    assert.match(valueless ?? "", /needs one, as in weather_url=…/);
    assert.match(nameless ?? "", /expected NAME or NAME=VALUE/);
    assert.match(alone ?? "", /no plugin has it, nor any other/);
  });
});

Deno.test("--plugin-flag of a plugin that cannot be loaded does not end the run", async () => {
  await inPlace({
    script: [say("ok")],
    plugins: { "broken.ts": "export default 1;" },
  }, async ({ ask }) => {
    const run = await ask([
      ...["--plugin-flag", "loud", "--output-format", "json", "hi"],
    ]);
    assert.equal(lastRecord(run).status, "completed");
    assert.match(run.stderr, /"broken" is not loaded/);
  });
});
