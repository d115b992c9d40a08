import assert from "node:assert/strict";
import { findBubblewrap } from "../../src/sandbox/find_bubblewrap.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("findBubblewrap() takes the usual place before the search path, and no folder without a root", async () => {
  await inTempFolder(async (root) => {
    for (const name of ["usual", "named"]) {
      await Deno.mkdir(`${root}/${name}`);
      await Deno.writeTextFile(`${root}/${name}/bwrap`, "", { mode: 0o755 });
    }
    const usual = [`${root}/none`, `${root}/usual/bwrap`];
    const find = (path: string, more: Partial<{ usual: string[] }> = {}) =>
      findBubblewrap(path, { writeRoots: [], usual, ...more });
    assert.equal(find(`${root}/named`), `${root}/usual/bwrap`);
    const none = { usual: [] };
    assert.equal(find(`::named:${root}/named`, none), `${root}/named/bwrap`);
    assert.equal(find("named:.", none), undefined);
  });
});

Deno.test("findBubblewrap() passes over a program that the run or other users could have written", async () => {
  await inTempFolder(async (root) => {
    await Deno.writeTextFile(`${root}/bwrap`, "");
    const find = (writeRoots: string[]) =>
      findBubblewrap(root, { writeRoots, usual: [] });
    await Deno.chmod(`${root}/bwrap`, 0o755);
    assert.equal(find([]), `${root}/bwrap`);
    assert.equal(find([root]), undefined);
    await Deno.chmod(`${root}/bwrap`, 0o777);
    assert.equal(find([]), undefined);
    await Deno.chmod(`${root}/bwrap`, 0o644);
    assert.equal(find([]), undefined);
  });
});
