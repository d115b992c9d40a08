import assert from "node:assert/strict";
import {
  decideRead,
  decideWrite,
  isInside,
  PROTECTED_NAMES,
} from "../../src/policy/path_policy.ts";

const policy = {
  readRoots: ["/ws", "/opt/docs"],
  writeRoots: ["/ws"],
  denyRead: ["/ws/secret"],
  denyWrite: ["/ws/fixed.txt"],
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

Deno.test("decideRead() and decideWrite() allow what lies inside the roots", () => {
  assert.equal(decideRead(policy, "/opt/docs/a"), undefined);
  assert.equal(decideWrite(policy, "/ws/a/b"), undefined);
  assert.equal(
    decideWrite(policy, "/opt/docs/a"),
    'outside the workspace ("/opt/docs/a"); allowed roots: /ws',
  );
  assert.equal(
    decideRead(policy, "/ws2/a"),
    'outside the workspace ("/ws2/a"); allowed roots: /ws, /opt/docs',
  );
  assert.equal(
    decideWrite({ readRoots: ["/"], writeRoots: [] }, "/a"),
    'outside the workspace ("/a"); allowed roots: none',
  );
});

Deno.test("decideRead() and decideWrite() let a deny win over a root", () => {
  assert.equal(
    decideRead(policy, "/ws/secret/key"),
    'reading "/ws/secret/key" is denied by the settings',
  );
  assert.equal(decideRead(policy, "/ws/secrets"), undefined);
  assert.equal(
    decideWrite(policy, "/ws/fixed.txt"),
    'writing "/ws/fixed.txt" is denied by the settings',
  );
});

Deno.test("decideWrite() refuses every protected name at any depth, and what lies below it", () => {
  for (const name of PROTECTED_NAMES) {
    for (
      const path of [
        `/ws/${name}`,
        `/ws/a/b/${name}`,
        `/ws/${name}/x`,
        `/ws/${name.toUpperCase()}`,
      ]
    ) {
      assert.match(decideWrite(policy, path) ?? "", /is protected/, path);
    }
    assert.equal(decideRead(policy, `/ws/${name}`), undefined);
  }
});

Deno.test("decideWrite() refuses other spellings and other places of git's control files", () => {
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
  ) assert.match(decideWrite(policy, path) ?? "", /is protected/, path);
});

Deno.test("decideWrite() allows names that only look protected", () => {
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
  ) assert.equal(decideWrite(policy, path), undefined, path);
});

Deno.test("decideWrite() looks for protected names below the deepest root only", () => {
  const temp = "/home/u/.tau/tmp/s";
  const roots = { readRoots: ["/"], writeRoots: ["/", temp] };
  assert.equal(decideWrite(roots, `${temp}/out.log`), undefined);
  assert.match(
    decideWrite(roots, "/home/u/.tau/settings.json") ?? "",
    /is protected/,
  );
});

Deno.test("decideWrite() protects a git folder that is a root itself", () => {
  const roots = { readRoots: [], writeRoots: ["/main/.git"] };
  assert.match(decideWrite(roots, "/main/.git/config") ?? "", /is protected/);
  assert.match(
    decideWrite(roots, "/main/.git/hooks/pre-push") ?? "",
    /is protected/,
  );
  assert.equal(decideWrite(roots, "/main/.git/index"), undefined);
});
