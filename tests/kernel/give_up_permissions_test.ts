import assert from "node:assert/strict";
import {
  type KernelFlagOptions,
  kernelFlags,
} from "../../src/sandbox/kernel_flags.ts";

const MODULE =
  new URL("../../src/kernel/give_up_permissions.ts", import.meta.url).href;
const KINDS = ["read", "write", "run", "env", "net", "ffi", "sys", "import"];

/** The kinds that a process with all permissions still has after giving up. */
async function keptWith(flags: string[]): Promise<string[]> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "eval",
      `import { giveUpPermissions } from "${MODULE}";
      giveUpPermissions(Deno.args);
      const kept = ${JSON.stringify(KINDS)}.filter((name) =>
        Deno.permissions.querySync({ name }).state === "granted");
      console.log(JSON.stringify(kept));`,
      ...flags,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  const text = decoder.decode(stdout);
  assert.notEqual(text, "", decoder.decode(stderr));
  return JSON.parse(text);
}

Deno.test("giveUpPermissions() keeps the kinds that a kernel's flags grant, and no other", async () => {
  const flags = { cwd: "/a", programDir: "/tau" };
  const policy = { readRoots: ["/a"], writeRoots: ["/a"] };
  const kept = (more: Partial<KernelFlagOptions>) =>
    keptWith(kernelFlags({ policy, ...flags, ...more }));
  assert.deepEqual(await kept({}), ["read", "write", "run", "env", "sys"]);
  assert.deepEqual(
    await kept({ policy: { ...policy, writeRoots: [] }, canRun: false }),
    ["read", "env", "sys"],
  );
  assert.deepEqual(
    await kept({ net: "all" }),
    ["read", "write", "run", "env", "net", "sys"],
  );
});

Deno.test("giveUpPermissions() takes no value of a flag for a kind", async () => {
  assert.deepEqual(
    await keptWith([
      "--allow-reading",
      "--deny-read=--allow-net",
      "x--allow-ffi",
    ]),
    [],
  );
});
