import assert from "node:assert/strict";
import { runHere } from "../fake_streams.ts";

Deno.test("tau plugins says where plugins go, when there are none", async () => {
  const { code, stdout, stderr } = await runHere(["plugins"]);
  assert.deepEqual([code, stdout], [0, ""]);
  assert.match(stderr, /There are no plugins.*TAU_HOME\/plugins.*new NAME/);
});
