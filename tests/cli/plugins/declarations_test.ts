import assert from "node:assert/strict";
import { runHere } from "../fake_streams.ts";

Deno.test("tau plugins types prints one module with the plugin API, which imports nothing", async () => {
  const { code, stdout, stderr } = await runHere(["plugins", "types"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(stdout.match(/^declare module "tau" \{$/gm)?.length, 1);
  assert.match(stdout, /^ {2}export interface PluginAPI\b/m);
  assert.doesNotMatch(
    stdout,
    /^\s*import\b|\bimport\("|^\s*export .* from /m,
  );
});
