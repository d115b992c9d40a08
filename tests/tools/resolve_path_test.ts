import assert from "node:assert/strict";
import { readPathVariants, resolvePath } from "../../src/tools/resolve_path.ts";

const places = { cwd: "/w", homeDir: "/home/u" };

Deno.test("resolvePath() understands the ways in which models write paths", () => {
  for (
    const [path, resolved] of [
      ["a.txt", "/w/a.txt"],
      ["./a.txt", "/w/a.txt"],
      ["../a.txt", "/a.txt"],
      ["/a.txt", "/a.txt"],
      ["@a.txt", "/w/a.txt"],
      ["@@a.txt", "/w/@a.txt"],
      ["~", "/home/u"],
      ["~/a.txt", "/home/u/a.txt"],
      ["~a", "/w/~a"],
      ["a\u00a0b\u202fc.txt", "/w/a b c.txt"],
      ["file:///a%20b.txt", "/a b.txt"],
      ["-n", "/w/-n"],
      ["__proto__", "/w/__proto__"],
    ] as const
  ) assert.equal(resolvePath(path, places), resolved);
});

Deno.test("resolvePath() refuses what cannot be a path of this machine", () => {
  const refusals: [string, RegExp][] = [
    ["a\0b", /holds a NUL character/],
    ["a\ud800", /holds half a surrogate pair/],
    ["file:///a%00b", /holds a NUL character/],
    ["file://host/a", /not a local file URL/],
    ["file:///%ff", /bad percent encoding/],
  ];
  for (const [path, message] of refusals) {
    const refusal = { name: "ToolError", message };
    assert.throws(() => resolvePath(path, places), refusal);
  }
  assert.throws(
    () => resolvePath("~/a", { cwd: "/w" }),
    /no home folder is known/,
  );
});

Deno.test("readPathVariants() gives other spellings in a fixed order, without the path itself", () => {
  assert.deepEqual(readPathVariants("/plain.txt"), []);
  assert.deepEqual(readPathVariants("/Shot at 9.41 AM.png"), [
    "/Shot at 9.41\u202fAM.png",
  ]);
  assert.deepEqual(readPathVariants("/l'é"), [
    "/l'e\u0301",
    "/l\u2019é",
    "/l\u2019e\u0301",
  ]);
});
