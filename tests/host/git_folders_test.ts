import assert from "node:assert/strict";
import { gitFolders } from "../../src/host/git_folders.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("gitFolders() finds a repository, a linked worktree and a submodule as git lays them out", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "repo/.git/HEAD": "",
      "repo/.git/objects/x": "",
      "repo/src/deep/x": "",
      "repo/.git/worktrees/tree/gitdir": `${root}/tree/.git\n`,
      "tree/.git": `gitdir: ${root}/repo/.git/worktrees/tree\n`,
      "repo/.git/modules/sub/HEAD": "",
      "repo/.git/modules/sub/objects/x": "",
      "repo/sub/.git": "gitdir: ../.git/modules/sub\n",
      "plain/x": "",
    });
    const repository = [`${root}/repo/.git`];
    const found = (folder: string) => gitFolders(`${root}/${folder}`);
    assert.deepEqual(found("repo"), {
      top: `${root}/repo`,
      folders: repository,
    });
    assert.deepEqual(found("repo/src/deep").folders, repository);
    assert.deepEqual(found("tree"), {
      top: `${root}/tree`,
      folders: repository,
    });
    assert.deepEqual(found("repo/sub").folders, [
      `${root}/repo/.git/modules/sub`,
    ]);
    assert.deepEqual(found("plain"), { top: undefined, folders: [] });
  });
});

Deno.test("gitFolders() follows no .git that leads where git would not have put it", async () => {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "other/.git/HEAD": "",
      "other/.git/objects/x": "",
      "other/.git/worktrees/tree/gitdir": `${root}/elsewhere/.git\n`,
      "elsewhere/.git": "",
      "a/.git": `gitdir: ${root}/other/.git\n`,
      "b/.git": `gitdir: ${root}/other/.git/worktrees/tree\n`,
      "c/.git": "gitdir: /etc\n",
      "d/.git": "gitdir: x".padEnd(10_000, "x"),
      "e/.git/config": "",
      "f/x": "",
      // What a stranger made as if it were git's, but for the names.
      "g/own/HEAD": "",
      "g/own/objects/x": "",
      "g/own/trees/g/gitdir": `${root}/g/.git\n`,
      "g/.git": "gitdir: own/trees/g\n",
    });
    await Deno.symlink("../other/.git", `${root}/f/.git`);
    for (const folder of ["a", "b", "c", "d", "e", "f", "g"]) {
      assert.deepEqual(gitFolders(`${root}/${folder}`).folders, [], folder);
    }
  });
});
