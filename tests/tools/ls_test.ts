import assert from "node:assert/strict";
import { createLocalSearchOperations } from "../../src/operations/search_operations.ts";
import { createLsTool } from "../../src/tools/factories.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

Deno.test("ls lists names without regard to case, hidden ones too, and folders with a slash", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      b: "",
      A: "",
      a: "",
      ".env": "",
      "src/x": "",
      "C": "",
      "new\nline": "",
    });
    await Deno.symlink("src", `${folder}/link`);
    await Deno.symlink("nowhere", `${folder}/broken`);
    const ls = createLsTool(folder);
    const { text, details } = await outcomeOf(ls, {});
    assert.deepEqual(text.split("\n"), [
      ".env",
      "A",
      "a",
      "b",
      "broken (broken link)",
      "C",
      "link/",
      '"new\\nline"',
      "src/",
    ]);
    assert.equal(details, undefined);
    assert.equal((await outcomeOf(ls, { path: "src" })).text, "x");
  });
});

Deno.test("ls says when a folder is empty and when it shows only a part", async () => {
  await inTempFolder(async (folder) => {
    const ls = createLsTool(folder);
    assert.equal((await outcomeOf(ls, {})).text, "(empty directory)");
    await putFiles(folder, { a: "", b: "", c: "" });
    assert.equal((await outcomeOf(ls, { limit: 3 })).text, "a\nb\nc");
    const limited = await outcomeOf(ls, { limit: 2 });
    assert.equal(
      limited.text,
      "a\nb\n\n[2 entries limit reached. Use limit=4 for more]",
    );
    assert.deepEqual(limited.details, { entryLimitReached: 2 });
  });
});

Deno.test("ls explains what is no folder", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, { "source/a": "" });
    const ls = createLsTool(folder);
    assert.equal(
      (await outcomeOf(ls, { path: "source/a" })).text,
      `Not a directory: ${folder}/source/a`,
    );
    assert.equal(
      (await outcomeOf(ls, { path: "sorce" })).text,
      'Cannot read "sorce": no such file; did you mean "source"',
    );
  });
});

Deno.test("ls does not look outside the roots, neither by a path nor through a link", async () => {
  await inTempFolder(async (outside) => {
    await inTempFolder(async (folder) => {
      await putFiles(outside, { "secret/x": "" });
      await Deno.symlink(`${outside}/secret`, `${folder}/exit`);
      const policy = { readRoots: [folder], writeRoots: [] };
      const ls = createLsTool(folder, {
        operations: createLocalSearchOperations({ policy }),
      });
      assert.equal(
        (await outcomeOf(ls, {})).text,
        "exit (link that cannot be followed)",
      );
      for (const path of ["exit", outside, `../${outside.split("/").at(-1)}`]) {
        const { text, isError } = await outcomeOf(ls, { path });
        assert.ok(isError);
        assert.match(text, /outside the workspace/);
      }
    });
  });
});
