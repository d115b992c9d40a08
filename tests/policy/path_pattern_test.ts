import assert from "node:assert/strict";
import {
  absolutePatterns,
  escapePattern,
  matchesPath,
  splitPattern,
} from "../../src/policy/path_pattern.ts";

const PLACE = { cwd: "/w", homeDir: "/home/u" };

/** Whether a pattern of a rule matches a path. */
function matches(pattern: string, path: string, below = false): boolean {
  return absolutePatterns(pattern, PLACE).some((one) =>
    matchesPath(one, path, { below })
  );
}

Deno.test("matchesPath() takes stars, classes and braces for what shells take them", () => {
  const yes: [string, string][] = [
    ["src/a.ts", "/w/src/a.ts"],
    ["./src/a.ts", "/w/src/a.ts"],
    ["src/*.ts", "/w/src/.a.ts"],
    ["src/**", "/w/src/a/b/.c"],
    ["src/**/c", "/w/src/c"],
    ["src/**/c", "/w/src/a/b/c"],
    ["src/**/b/**/d", "/w/src/b/a/b/c/d"],
    ["**", "/anything/at/all"],
    ["**/*.lock", "/w/a/b.lock"],
    ["**/*.lock", "/other/b.lock"],
    ["*.lock", "/w/a/b/c.lock"],
    ["secret", "/w/a/secret"],
    ["a?c/x", "/w/a𝄞c/x"],
    ["a/[a-c]x", "/w/a/bx"],
    ["a/[!a-c]x", "/w/a/dx"],
    ["a/[]]x", "/w/a/]x"],
    ["a/{b,c}/*.{js,ts}", "/w/a/c/x.ts"],
    ["a/x{,.bak}", "/w/a/x.bak"],
    ["~/.ssh/**", "/home/u/.ssh/id"],
    ["/etc/*", "/etc/hosts"],
    ["a/\\*", "/w/a/*"],
    ["a/\\{b\\}", "/w/a/{b}"],
    ["a+(b)/x", "/w/a+(b)/x"],
  ];
  for (const [pattern, path] of yes) {
    assert.equal(matches(pattern, path), true, `${pattern} ${path}`);
  }
  const no: [string, string][] = [
    ["src/a.ts", "/x/src/a.ts"],
    ["src/*", "/w/src/a/b"],
    ["src/*.ts", "/w/src/a.tsx"],
    ["src/**/c", "/w/src/a/xc"],
    ["*.lock", "/w/a.lock/x"],
    ["a/[a-c]x", "/w/a/-x"],
    ["a/\\*", "/w/a/b"],
    ["src", "/w/src/a"],
  ];
  for (const [pattern, path] of no) {
    assert.equal(matches(pattern, path), false, `${pattern} ${path}`);
  }
});

Deno.test("matchesPath() with below takes a folder for all in it", () => {
  assert.equal(matches("secrets", "/w/a/secrets/b/c", true), true);
  assert.equal(matches("src/*", "/w/src/a/b", true), true);
  assert.equal(matches("src/a", "/w/src/ab", true), false);
});

Deno.test("matchesPath() takes time that grows slowly with hostile patterns", () => {
  const startMs = performance.now();
  const path = `/${"a".repeat(250)}`.repeat(15);
  for (const pattern of ["a*".repeat(100) + "b", "**/a/".repeat(100) + "b"]) {
    assert.equal(matches(pattern, path), false);
  }
  assert(performance.now() - startMs < 500);
});

Deno.test("splitPattern() names the folder that wildcards begin in", () => {
  assert.deepEqual(splitPattern("/a/b/*.ts"), {
    folder: "/a/b",
    rest: "/*.ts",
  });
  assert.deepEqual(splitPattern("/a/b"), { folder: "/a/b", rest: "" });
  assert.deepEqual(splitPattern("/**/x"), { folder: "", rest: "/**/x" });
  assert.deepEqual(splitPattern(`${escapePattern("/a[1]")}/*`), {
    folder: "/a[1]",
    rest: "/*",
  });
});
