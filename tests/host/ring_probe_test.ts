import assert from "node:assert/strict";
import { RingProbe } from "../../src/host/ring_probe.ts";
import { composePolicy } from "../../src/policy/permission_policy.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const HELD = { read: "held", write: "held", connect: "held" } as const;
const OPEN = { read: "open", write: "open", connect: "open" } as const;

for (
  const [isCompiled, done] of [
    [false, "read, write, connect"],
    [true, "connect"],
  ] as const
) {
  Deno.test(`leak() tells what Deno should have refused, compiled: ${isCompiled}`, () =>
    inTempFolder(async (folder) => {
      const asked = Promise.withResolvers<void>();
      const probe = new RingProbe(
        composePolicy({
          profile: "workspace",
          cwd: "/work",
          addDirs: [],
          gitFolders: [],
          allowRead: [],
          allowWrite: [],
          readable: [],
          outputDir: "/out",
          home: undefined,
          secrets: [],
          protectedPaths: [],
          unixSockets: false,
          privateTemp: undefined,
        }),
        { folders: [folder], isCompiled, send: () => asked.resolve() },
      );
      probe.begin();
      await asked.promise;
      probe.take({ operations: OPEN, deno: OPEN, system: HELD });
      assert.equal(
        probe.leak("deno"),
        `Code in the kernel can ${done} what this run does not grant`,
      );
      assert.match(probe.leak("operations") ?? "", /read, write, connect/);
      assert.equal(probe.leak("system"), undefined);
      assert.deepEqual(probe.report?.deno, OPEN);
    }));
}
