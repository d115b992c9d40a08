import assert from "node:assert/strict";
import { existingMatches } from "../../src/host/existing_matches.ts";
import { placeRules } from "../../src/host/place_rules.ts";
import { parseRule } from "../../src/policy/permission_rule.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** What denying rules find below `root/w`, by paths below the root. */
function matchesIn(
  root: string,
  ...texts: string[]
): { read: string[]; write: string[] } {
  const cwd = `${root}/w`;
  const rules = placeRules(
    texts.map((text) => parseRule(text, { effect: "deny", source: "test" })),
    { cwd, homeDir: `${root}/home` },
  );
  const { read, write } = existingMatches(rules, cwd);
  const short = (paths: string[]) =>
    paths.map((path) => path.slice(root.length + 1)).sort();
  return { read: short(read), write: short(write) };
}

Deno.test("existingMatches() finds what is there of denied paths, folders as one, and where links lead", () =>
  inTempFolder(async (root) => {
    await putFiles(root, {
      "w/a.lock": "",
      "w/deep/er/b.lock": "",
      "w/private/key": "",
      "w/private/more/private/x": "",
      "w/seen": "",
      "home/notes/n": "",
    });
    await Deno.symlink("../home/notes/n", `${root}/w/link`);
    assert.deepEqual(
      matchesIn(
        root,
        "write(*.lock)",
        "read(private)",
        "read(~/notes)",
        "write(link)",
        "read(none/**)",
        "bash(rm *)",
        "edit(seen)",
      ),
      {
        read: ["home/notes", "w/private"],
        write: ["home/notes/n", "w/a.lock", "w/deep/er/b.lock"],
      },
    );
  }));

Deno.test("existingMatches() leaves out what holds the working folder, and all else where nothing is denied", () =>
  inTempFolder(async (root) => {
    await putFiles(root, { "w/a": "" });
    assert.deepEqual(matchesIn(root, "read(w)", "write(/)", `read(${root})`), {
      read: [],
      write: [],
    });
    assert.deepEqual(matchesIn(root), { read: [], write: [] });
    assert.deepEqual(matchesIn(root, "read"), { read: ["w/a"], write: [] });
  }));

Deno.test("existingMatches() takes little time in a tree that is large", () =>
  inTempFolder(async (root) => {
    for (let i = 0; i < 300; i++) {
      await putFiles(root, { [`w/${i}/x.lock`]: "" });
    }
    const startMs = performance.now();
    assert.equal(matchesIn(root, "write(*.lock)").write.length, 200);
    assert(performance.now() - startMs < 1000);
  }));
