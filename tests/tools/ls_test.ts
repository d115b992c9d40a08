import assert from "node:assert/strict";
import { createLocalSearchOperations } from "../../src/operations/search_operations.ts";
import { createLsTool } from "../../src/tools/factories.ts";
import { assertTexts, folderTool } from "../support/folder_tool.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const inFolder = folderTool(createLsTool);

Deno.test("ls lists names without regard to case, hidden ones too, and folders with a slash", () =>
  inFolder({
    b: "",
    A: "",
    a: "",
    ".env": "",
    C: "",
    "src/x": "",
    "new\nline": "",
  }, async (ls, folder) => {
    await Deno.symlink("src", `${folder}/link`);
    await Deno.symlink("nowhere", `${folder}/broken`);
    await assertTexts(ls, [
      [
        {},
        `.env\nA\na\nb\nbroken (broken link)\nC\nlink/\n"new\\nline"\nsrc/`,
      ],
      [{ path: "src" }, "x"],
    ]);
    assert.equal((await ls({})).details, undefined);
  }));

Deno.test("ls says when a folder is empty, and what is no folder", () =>
  inFolder({ "source/c": "" }, async (ls, folder) => {
    await Deno.mkdir(`${folder}/source/empty`);
    await assertTexts(ls, [
      [{ path: "source/empty" }, "(empty directory)"],
      [{ path: "source/c" }, `Not a directory: ${folder}/source/c`],
      [
        { path: "sorce" },
        'Cannot read "sorce": no such file; did you mean "source"',
      ],
    ]);
  }));

Deno.test("ls names a link that leads outside the roots", () =>
  inTempFolder((outside) =>
    folderTool((folder) =>
      createLsTool(folder, {
        operations: createLocalSearchOperations({
          policy: { readRoots: [folder], writeRoots: [] },
        }),
      })
    )({}, async (ls, folder) => {
      await putFiles(outside, { "secret/x": "" });
      await Deno.symlink(`${outside}/secret`, `${folder}/exit`);
      await assertTexts(ls, [[{}, "exit (link that cannot be followed)"]]);
    })
  ));
