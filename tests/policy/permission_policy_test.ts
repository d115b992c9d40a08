import assert from "node:assert/strict";
import { decideAccess } from "../../src/policy/path_policy.ts";
import {
  composePolicy,
  type PolicyFacts,
} from "../../src/policy/permission_policy.ts";

const facts: PolicyFacts = {
  profile: "workspace",
  cwd: "/home/me/project",
  addDirs: [],
  gitFolders: ["/home/me/project/.git"],
  allowRead: [],
  allowWrite: [],
  readable: ["/home/me/.tau/skills"],
  outputDir: "/home/me/.tau/tmp/1",
  home: "/home/me",
  secrets: ["/home/me/.ssh", "/home/me/.tau"],
  protectedPaths: ["/home/me/project/.git/config"],
  unixSockets: false,
  privateTemp: "/tmp",
};

Deno.test("composePolicy() gives each profile its roots and its network", () => {
  const roots = (["read-only", "strict", "workspace", "full"] as const).map(
    (profile) => {
      const { tools, children, net } = composePolicy({ ...facts, profile });
      return [
        profile,
        tools.readRoots,
        tools.writeRoots,
        children.writeRoots,
        children.seesHome,
        children.hasPrivateTemp,
        net,
      ];
    },
  );
  const [cwd, git, out, skills] = [
    facts.cwd,
    `${facts.cwd}/.git`,
    facts.outputDir,
    "/home/me/.tau/skills",
  ];
  assert.deepEqual(roots, [
    ["read-only", [cwd, skills, out], [out], [out], true, true, "none"],
    [
      "strict",
      [cwd, skills, out, "/tmp"],
      [cwd, out, "/tmp"],
      [cwd, git, out],
      false,
      true,
      "none",
    ],
    [
      "workspace",
      [cwd, skills, out, "/tmp"],
      [cwd, out, "/tmp"],
      [cwd, git, out],
      true,
      true,
      "none",
    ],
    [
      "full",
      ["/", skills, out],
      ["/", out],
      ["/", out],
      true,
      false,
      "all",
    ],
  ]);
});

Deno.test("composePolicy() gives the tools no temporary folder that is not the commands' own, or that holds the workspace", () => {
  for (
    const changes of [
      { privateTemp: undefined },
      { cwd: "/tmp/project", gitFolders: [] },
    ]
  ) {
    const { tools } = composePolicy({ ...facts, ...changes });
    assert(!tools.writeRoots.includes("/tmp"));
  }
});

Deno.test("decideAccess() refuses secrets in a root, and not what a root in the midst of them grants", () => {
  const { tools } = composePolicy({ ...facts, cwd: "/home/me" });
  const read = (path: string) => decideAccess(tools, "read", path);
  assert.equal(read("/home/me/notes"), undefined);
  assert.match(read("/home/me/.ssh/id") ?? "", /"\/home\/me\/.ssh" may hold/);
  assert.match(read("/home/me/.tau/trust.json") ?? "", /may hold secrets/);
  assert.equal(read("/home/me/.tau/skills/a.md"), undefined);
  assert.equal(read("/home/me/.tau/tmp/1/x.log"), undefined);
  assert.match(
    decideAccess(tools, "write", "/home/me/.ssh/config") ?? "",
    /secrets/,
  );
  const named = composePolicy({ ...facts, allowRead: ["/home/me/.ssh"] });
  assert.equal(
    decideAccess(named.tools, "read", "/home/me/.ssh/id"),
    undefined,
  );
});

Deno.test("decideAccess() refuses protected paths whose names are not known as such", () => {
  const { tools } = composePolicy({
    ...facts,
    gitFolders: ["/repo.git"],
    protectedPaths: ["/repo.git/config"],
  });
  assert.match(
    decideAccess(tools, "write", "/repo.git/config") ?? "",
    /is protected/,
  );
  assert.equal(decideAccess(tools, "write", "/repo.git/HEAD"), undefined);
});
