import assert from "node:assert/strict";
import { placeTargets } from "../../src/host/probe_targets.ts";
import {
  composePolicy,
  type PolicyFacts,
} from "../../src/policy/permission_policy.ts";
import type { ProbeReport } from "../../src/protocol/result_schema.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const RING = { read: "held", write: "held", connect: "held" } as const;
const HELD: ProbeReport = { operations: RING, deno: RING, system: RING };

const FACTS: PolicyFacts = {
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
};

Deno.test("placeTargets() puts what must not be touched into the first folder with room, and takes it away", async () => {
  await inTempFolder(async (folder) => {
    const folders = [`${folder}/none`, folder];
    const { targets, close } = placeTargets(composePolicy(FACTS), folders);
    assert.equal(await Deno.readTextFile(targets.file ?? ""), "canary\n");
    assert(targets.target?.startsWith(`${folder}/`));
    (await Deno.connect({ port: targets.port ?? 0 })).close();
    close();
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  });
});

Deno.test("placeTargets() has nothing tried that the policy allows", async () => {
  await inTempFolder((folder) => {
    const policy = composePolicy({ ...FACTS, cwd: folder, net: "all" });
    const { targets, close } = placeTargets(policy, [folder]);
    close();
    assert.deepEqual(targets, {});
    return Promise.resolve();
  });
});

Deno.test("placeTargets() believes no report of a command that could not write what is there", async () => {
  await inTempFolder(async (folder) => {
    const { targets, verified, close } = placeTargets(
      composePolicy(FACTS),
      [folder],
    );
    assert.deepEqual(verified(HELD), HELD);
    await Deno.writeTextFile(targets.target ?? "", "");
    assert.equal(verified(HELD).system.write, "open");
    close();
  });
});
