import assert from "node:assert/strict";
import { kernelFlags } from "../../src/sandbox/kernel_flags.ts";

const options = {
  policy: { readRoots: ["/work", "/out"], writeRoots: ["/work"] },
  cwd: "/elsewhere",
  programDir: "/program",
};

Deno.test("kernelFlags() grants what the policy says and nothing else", () => {
  const flags = kernelFlags(options).filter((flag) =>
    flag.startsWith("--allow")
  );
  assert.deepEqual(flags, [
    "--allow-read=/work,/out,/program",
    "--allow-run",
    "--allow-env",
    "--allow-sys=homedir,uid,gid",
    "--allow-write=/work",
  ]);
});

Deno.test("kernelFlags() grants no writing where the policy has no root for it", () => {
  const policy = { ...options.policy, writeRoots: [] };
  const flags = kernelFlags({ ...options, policy });
  assert(!flags.some((flag) => flag.startsWith("--allow-write")));
});

Deno.test("kernelFlags() refuses a path that would become two", () => {
  for (const root of ["/work,/etc", "/work,,", ","]) {
    const policy = { readRoots: [root], writeRoots: [] };
    assert.throws(
      () => kernelFlags({ ...options, policy }),
      /Deno takes no path with a comma/,
    );
  }
});

Deno.test("kernelFlags() grants a working folder whose name has a comma", () => {
  const cwd = "/a,/etc";
  const policy = { readRoots: [cwd], writeRoots: [cwd] };
  const flags = kernelFlags({ ...options, policy, cwd });
  assert(flags.includes("--allow-read=.,/program"), flags.join(" "));
  assert(flags.includes("--allow-write=."), flags.join(" "));
});
