import assert from "node:assert/strict";
import { asOrdinaryUser, needing } from "../support/needs.ts";
import { childEnvironment } from "../support/host_run.ts";
import { programOf } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

needing("ordinary user")(
  "tau refuses a folder that may be looked at and not entered",
  () =>
    inTempFolder(async (folder) => {
      const cwd = `${folder}/closed`;
      await Deno.mkdir(cwd, { mode: 0o444 });
      const [program = "", ...args] = asOrdinaryUser([
        ...[...programOf({}), "-p", "-C", cwd, "hello"],
      ]);
      const { code, stderr } = await new Deno.Command(program, {
        args,
        clearEnv: true,
        env: { ...childEnvironment(), TAU_HOME: `${folder}/home` },
      }).output();
      assert.match(
        new TextDecoder().decode(stderr),
        /^tau: .*closed": permission denied$/m,
      );
      assert.equal(code, 2);
    }),
);
