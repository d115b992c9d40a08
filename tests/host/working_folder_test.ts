import assert from "node:assert/strict";
import { UsageError } from "../../src/settings/usage_error.ts";
import { runInHost } from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test({
  name: "startRun() refuses a folder that may be looked at and not entered",
  // Root may enter every folder.
  ignore: Deno.build.os === "windows" || Deno.uid() === 0,
  fn: () =>
    inTempFolder(async (folder) => {
      const cwd = `${folder}/closed`;
      await Deno.mkdir(cwd, { mode: 0o444 });
      await assert.rejects(runInHost({ cwd }), (error: Error) => {
        assert(error instanceof UsageError);
        assert.match(error.message, /closed": permission denied$/);
        return true;
      });
    }),
});
