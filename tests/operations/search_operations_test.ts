import assert from "node:assert/strict";
import {
  NotRegularFileError,
  PathRefusedError,
} from "../../src/operations/file_operations.ts";
import { createLocalSearchOperations } from "../../src/operations/search_operations.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("local search operations tell kinds, entries and bytes", () =>
  inTempFolder(async (folder) => {
    await putFiles(folder, { "d/a": "alpha" });
    await Deno.symlink("a", `${folder}/d/link`);
    await new Deno.Command("mkfifo", { args: [`${folder}/d/pipe`] }).output();
    const operations = createLocalSearchOperations();
    const entries = await operations.readDirectory(`${folder}/d`);
    assert.deepEqual(entries.toSorted((a, b) => a.name < b.name ? -1 : 1), [
      { name: "a", kind: "file" },
      { name: "link", kind: "link" },
      { name: "pipe", kind: "other" },
    ]);
    assert.equal(await operations.kindAt(`${folder}/d/link`), "file");
    assert.equal(await operations.kindAt(`${folder}/d/pipe`), "named pipe");
    assert.equal(
      new TextDecoder().decode(await operations.readFile(`${folder}/d/a`, 5)),
      "alpha",
    );
    assert.equal(await operations.readFile(`${folder}/d/a`, 4), undefined);
    await assert.rejects(
      operations.readFile(`${folder}/d/pipe`, 5),
      NotRegularFileError,
    );
    await assert.rejects(
      operations.kindAt(`${folder}/none`),
      Deno.errors.NotFound,
    );
  }));

Deno.test("local search operations ask the policy about real paths", () =>
  inTempFolder(async (outside) => {
    await inTempFolder(async (folder) => {
      await putFiles(outside, { "d/a": "secret" });
      await putFiles(folder, { "denied/a": "", "open/a": "" });
      await Deno.symlink(`${outside}/d`, `${folder}/exit`);
      await Deno.symlink(folder, `${outside}/entry`);
      const operations = createLocalSearchOperations({
        policy: {
          readRoots: [folder],
          writeRoots: [],
          deniedPatterns: [
            { access: "read", pattern: `${folder}/denied`, rule: "a rule" },
          ],
        },
      });
      const paths = [`${folder}/exit`, `${outside}/d`, `${folder}/denied`];
      for (const path of [...paths, `${folder}/../`]) {
        await assert.rejects(operations.kindAt(path), PathRefusedError);
        await assert.rejects(operations.readDirectory(path), PathRefusedError);
        await assert.rejects(
          operations.readFile(`${path}/a`, 9),
          path.endsWith("../") ? Error : PathRefusedError,
        );
      }
      const open = await operations.readDirectory(`${outside}/entry/open`);
      assert.equal(open.length, 1);
    });
  }));
