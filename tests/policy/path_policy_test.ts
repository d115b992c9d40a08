import assert from "node:assert/strict";
import {
  decideAccess,
  isInside,
  type PathPolicy,
  PROTECTED_NAMES,
} from "../../src/policy/path_policy.ts";

const policy: PathPolicy = {
  readRoots: ["/ws", "/opt/docs"],
  writeRoots: ["/ws"],
  deniedPatterns: [
    { access: "read", pattern: "/ws/secret", rule: '"read(secret)"' },
    { access: "write", pattern: "/ws/fixed.txt", rule: '"write(fixed.txt)"' },
  ],
};

Deno.test("isInside() compares whole parts of a path", () => {
  assert.deepEqual(
    ["/ws", "/ws/a", "/ws2", "/ws2/a", "/", "/w"].map((path) =>
      isInside("/ws", path)
    ),
    [true, true, false, false, false, false],
  );
  assert.ok(isInside("/", "/"));
  assert.ok(isInside("/", "/etc/passwd"));
});

Deno.test("decideAccess() allow what lies inside the roots", () => {
  assert.equal(decideAccess(policy, "read", "/opt/docs/a"), undefined);
  assert.equal(decideAccess(policy, "write", "/ws/a/b"), undefined);
  assert.equal(
    decideAccess(policy, "write", "/opt/docs/a"),
    'outside the workspace ("/opt/docs/a"); allowed roots: /ws',
  );
  assert.equal(
    decideAccess(policy, "read", "/ws2/a"),
    'outside the workspace ("/ws2/a"); allowed roots: /ws, /opt/docs',
  );
  assert.equal(
    decideAccess({ readRoots: ["/"], writeRoots: [] }, "write", "/a"),
    'outside the workspace ("/a"); allowed roots: none',
  );
});

Deno.test("decideAccess() let a deny win over a root", () => {
  assert.equal(
    decideAccess(policy, "read", "/ws/secret/key"),
    'reading "/ws/secret/key" is denied by the rule "read(secret)"',
  );
  assert.equal(decideAccess(policy, "read", "/ws/secrets"), undefined);
  assert.equal(
    decideAccess(policy, "write", "/ws/fixed.txt"),
    'writing "/ws/fixed.txt" is denied by the rule "write(fixed.txt)"',
  );
});

Deno.test("decideAccess() refuses every protected name at any depth, and what lies below it", () => {
  for (const name of PROTECTED_NAMES) {
    for (
      const path of [
        `/ws/${name}`,
        `/ws/a/b/${name}`,
        `/ws/${name}/x`,
        `/ws/${name.toUpperCase()}`,
      ]
    ) {
      assert.match(
        decideAccess(policy, "write", path) ?? "",
        /is protected/,
        path,
      );
    }
    assert.equal(decideAccess(policy, "read", `/ws/${name}`), undefined);
  }
});

Deno.test("decideAccess() refuses other spellings and other places of git's control files", () => {
  for (
    const path of [
      "/ws/.git",
      "/ws/sub/.git",
      "/ws/.GIT/Hooks/pre-commit",
      "/ws/.g\u200cit/config",
      "/ws/.ba\u017fhrc", // On some file systems ſ is an s.
      "/ws/.git./config",
      "/ws/.envrc ",
      "/ws/.envrc::$DATA",
      "/ws/.git/modules/lib/config",
      "/ws/.git/worktrees/w/config.worktree",
      "/ws/.git/worktrees/w/commondir",
      "/ws/.git/modules/lib/hooks/post-checkout",
    ]
  ) {
    assert.match(
      decideAccess(policy, "write", path) ?? "",
      /is protected/,
      path,
    );
  }
});

Deno.test("decideAccess() allows names that only look protected", () => {
  for (
    const path of [
      "/ws/.gitignore",
      "/ws/git/config",
      "/ws/.git/info/exclude",
      "/ws/.git/refs/heads/config",
      "/ws/.git/worktrees/w/HEAD",
      "/ws/.vscode-test/a",
      "/ws/config",
      "/ws/my.envrc",
    ]
  ) assert.equal(decideAccess(policy, "write", path), undefined, path);
});

Deno.test("decideAccess() looks for protected names below the deepest root only", () => {
  const temp = "/home/u/.tau/tmp/s";
  const roots = { readRoots: ["/"], writeRoots: ["/", temp] };
  assert.equal(decideAccess(roots, "write", `${temp}/out.log`), undefined);
  assert.match(
    decideAccess(roots, "write", "/home/u/.tau/settings.json") ?? "",
    /is protected/,
  );
});

Deno.test("decideAccess() protects a git folder that is a root itself", () => {
  const roots = { readRoots: [], writeRoots: ["/main/.git"] };
  assert.match(
    decideAccess(roots, "write", "/main/.git/config") ?? "",
    /is protected/,
  );
  assert.match(
    decideAccess(roots, "write", "/main/.git/hooks/pre-push") ?? "",
    /is protected/,
  );
  assert.equal(decideAccess(roots, "write", "/main/.git/index"), undefined);
});
