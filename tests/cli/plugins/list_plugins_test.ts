import assert from "node:assert/strict";
import { runCli } from "../../../src/cli/run_cli.ts";
import { FakeSink, FakeSource } from "../fake_streams.ts";

Deno.test("tau plugins says where plugins go, when there are none", async () => {
  const [stdout, stderr] = [new FakeSink(false), new FakeSink(false)];
  const code = await runCli({
    args: ["plugins"],
    env: {},
    stdin: new FakeSource([]),
    stdout,
    stderr,
    kernel: { entry: new URL("file:///kernel.ts") },
  });
  assert.deepEqual([code, stdout.text], [0, ""]);
  assert.match(
    stderr.text,
    /There are no plugins.*TAU_HOME\/plugins.*new NAME/,
  );
});
