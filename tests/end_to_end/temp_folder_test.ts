import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { lastRecord, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const ARGS = ["-p", "--output-format", "json", "--model", "llamacpp/x", "go"];

Deno.test("tau names TMPDIR where no temporary folder can be made, or granted", async () => {
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/a,b`);
    for (const tmpdir of [`${folder}/none`, `${folder}/a,b`]) {
      const run = await runTau(["--no-session", ...ARGS], {
        cwd: folder,
        env: { TMPDIR: tmpdir },
      });
      assert.equal(run.code, 2, run.stderr);
      assert.match(lastRecord(run).error?.message ?? "", /set TMPDIR/);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${folder}/a,b`)), []);
  });
});

Deno.test("tau runs with a TAU_HOME that is a link to a folder with a comma in its name", async () => {
  const script = [say("", call("bash", { command: "echo" })), say("done")];
  await inPlace({ script }, async ({ tau, root, url }) => {
    await Deno.mkdir(`${root}/a,b`);
    await Deno.symlink("a,b", `${root}/link`);
    const run = await tau(ARGS, {
      env: { TAU_HOME: `${root}/link`, LLAMACPP_BASE_URL: url },
    });
    assert.equal(run.code, 0, run.stderr);
    const { session, failedToolCalls } = lastRecord(run);
    assert.equal(session.stored, true);
    assert.equal(failedToolCalls, 0);
    const left = await Array.fromAsync(Deno.readDir(`${root}/a,b/tmp`));
    assert.deepEqual(left, []);
  });
});
