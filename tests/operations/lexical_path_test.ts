import assert from "node:assert/strict";
import {
  baseName,
  joinPath,
  normalizePath,
  parentPath,
  relativePath,
} from "../../src/operations/lexical_path.ts";

Deno.test("normalizePath() takes out dots, double slashes and the last slash", () => {
  assert.deepEqual(
    ["/", "//", "/a/", "/a/./b//c", "/a/../b", "/../..", "/a/b/../../../c"].map(
      normalizePath,
    ),
    ["/", "/", "/a", "/a/b/c", "/b", "/", "/c"],
  );
});

Deno.test("joinPath() resolves a path as seen from a folder", () => {
  assert.deepEqual(
    ["a", "./a", "../a", "/a", ".", "", "a/../..", "-n"].map((path) =>
      joinPath("/w/x", path)
    ),
    ["/w/x/a", "/w/x/a", "/w/a", "/a", "/w/x", "/w/x", "/w", "/w/x/-n"],
  );
});

Deno.test("parentPath(), baseName() and relativePath() end at the root", () => {
  assert.deepEqual(["/a/b", "/a", "/"].map(parentPath), ["/a", "/", "/"]);
  assert.deepEqual(["/a/b", "/a", "/"].map(baseName), ["b", "a", ""]);
  assert.deepEqual(
    ["/w", "/w/a", "/wa", "/"].map((path) => relativePath("/w", path)),
    [".", "a", "/wa", "/"],
  );
  assert.equal(relativePath("/", "/a"), "a");
});
