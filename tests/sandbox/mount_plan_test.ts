import assert from "node:assert/strict";
import {
  composePolicy,
  type PolicyFacts,
} from "../../src/policy/permission_policy.ts";
import {
  type MountPlanOptions,
  planMounts,
} from "../../src/sandbox/mount_plan.ts";

const FACTS: PolicyFacts = {
  profile: "workspace",
  cwd: "/home/me/project",
  addDirs: [],
  gitFolders: [],
  allowRead: [],
  allowWrite: [],
  readable: [],
  outputDir: "/home/me/.tau/tmp/1",
  home: "/home/me",
  secrets: ["/home/me/.npmrc", "/home/me/.ssh", "/home/me/.tau"],
  protectedPaths: [],
  unixSockets: false,
  privateTemp: "/tmp",
};

const ALWAYS = ["/ read-only", "/proc processes", "/dev devices"];

/** The plan, without what is in each one. */
function plan(
  facts: Partial<PolicyFacts>,
  options: Partial<MountPlanOptions> = {},
): string[] {
  const mounts = planMounts({
    policy: composePolicy({ ...FACTS, ...facts }),
    program: [],
    runtimeFolders: ["/run", "/tmp"],
    kept: [],
    isFolder: (path) => path !== "/home/me/.npmrc" && path !== "/proc/sys",
    ...options,
  });
  return mounts.map(({ path, kind }) => `${path} ${kind}`)
    .filter((mount) => !ALWAYS.includes(mount));
}

const HIDDEN = [
  "/run empty folder",
  "/tmp empty folder",
  "/home/me/.npmrc closed file",
  "/home/me/.ssh empty folder",
  "/home/me/.tau empty folder",
];

Deno.test("planMounts() hides secrets and runtime folders, and opens the roots in them", () => {
  assert.deepEqual(plan({}), [
    ...HIDDEN,
    "/home/me/project writable",
    "/home/me/.tau/tmp/1 writable",
  ]);
});

Deno.test("planMounts() puts a folder before what lies in it", () => {
  const paths = plan({ cwd: "/home/me", allowRead: ["/home/me/.ssh/known"] });
  const at = (path: string) => paths.findIndex((one) => one.startsWith(path));
  assert(at("/home/me writable") < at("/home/me/.ssh empty"));
  assert(at("/home/me/.ssh empty") < at("/home/me/.ssh/known read-only"));
});

Deno.test("planMounts() leaves nothing of the home folder in the profile strict but what the program needs", () => {
  const mounts = plan({ profile: "strict" }, {
    program: ["/home/me/.deno/bin/deno", "/usr/lib/tau"],
  });
  assert.deepEqual(mounts, [
    "/run empty folder",
    "/tmp empty folder",
    "/home/me empty folder",
    "/home/me/project writable",
    "/home/me/.tau/tmp/1 writable",
    "/home/me/.deno/bin/deno read-only",
  ]);
});

Deno.test("planMounts() makes protected paths read-only, in folders that cannot be moved away", () => {
  const git = "/home/me/project/.git";
  const mounts = plan({
    protectedPaths: [`${git}/config`, `${git}/modules/a/config`, "/elsewhere"],
  });
  assert.deepEqual(mounts.filter((mount) => mount.includes(".git")), [
    `${git} writable`,
    `${git}/config read-only`,
    `${git}/modules/a/config read-only`,
  ]);
  assert(!mounts.some((mount) => mount.startsWith("/elsewhere")));
});

Deno.test("planMounts() writes nothing in the profile read-only but long outputs", () => {
  const mounts = plan({ profile: "read-only" });
  assert.deepEqual(mounts, [...HIDDEN, "/home/me/.tau/tmp/1 writable"]);
});

Deno.test("planMounts() keeps the processes and devices of the machine out of a root that holds them", () => {
  const mounts = planMounts({
    policy: composePolicy({ ...FACTS, cwd: "/" }),
    program: [],
    runtimeFolders: [],
    kept: [],
    isFolder: () => true,
  });
  assert.equal(mounts[0]?.kind, "writable");
  const kinds = new Map(mounts.map(({ path, kind }) => [path, kind]));
  assert.equal(kinds.get("/proc"), "processes");
  assert.equal(kinds.get("/proc/sys"), "read-only");
  assert.equal(kinds.get("/dev"), "devices");
});

Deno.test("planMounts() puts no process or device of the machine into the sandbox, also where one was named", () => {
  const mounts = plan({
    allowRead: ["/proc/1", "/dev/null", "/dev/shm"],
    allowWrite: ["/dev/tty"],
  }, { isFolder: (path) => path === "/proc/1" || path === "/dev/shm" });
  const named = mounts.filter((mount) => /^\/(proc|dev)\//.test(mount));
  assert.deepEqual(named, ["/dev/shm read-only"]);
});
