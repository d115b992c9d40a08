import assert from "node:assert/strict";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const HOUR_MS = 60 * 60 * 1000;

Deno.test("writeFile() removes what a killed process left in the folder, and nothing else", () =>
  inTempFolder(async (folder) => {
    const old = new Date(Date.now() - 2 * HOUR_MS);
    const left = `.tau-${crypto.randomUUID()}.tmp`;
    const fresh = `.tau-${crypto.randomUUID()}.tmp`;
    const named = [".tau-notes.tmp", `x${left}`, left.toUpperCase()];
    for (const name of [left, fresh, ...named]) {
      await Deno.writeTextFile(`${folder}/${name}`, "x");
      if (name !== fresh) await Deno.utime(`${folder}/${name}`, old, old);
    }
    const link = `.tau-${crypto.randomUUID()}.tmp`;
    await Deno.symlink(`${folder}/.tau-notes.tmp`, `${folder}/${link}`);
    const operations = createLocalFileOperations();
    await operations.writeFile(`${folder}/a.txt`, new Uint8Array(1));

    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
    assert.deepEqual(
      names.sort(),
      ["a.txt", fresh, link, ...named].sort(),
    );
  }));

Deno.test("writeFile() looks for leftovers once in each folder, and writes where it cannot look", () =>
  inTempFolder(async (folder) => {
    const looked: string[] = [];
    const operations = createLocalFileOperations({
      calls: {
        ...Deno,
        readDir: (path) => {
          looked.push(String(path));
          throw new Deno.errors.PermissionDenied("no");
        },
      },
    });
    await Deno.mkdir(`${folder}/b`);
    for (const name of ["a.txt", "c.txt", "b/d.txt", "a.txt"]) {
      await operations.writeFile(`${folder}/${name}`, new Uint8Array(1));
    }
    assert.deepEqual(looked, [folder, `${folder}/b`]);
  }));
