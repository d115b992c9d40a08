import assert from "node:assert/strict";
import { openAnswerFile } from "../../src/host/answer_file.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { inTempFolder } from "../support/temp_folder.ts";

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("openAnswerFile() leaves no trace until the answer is written", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/-a b'"$.txt`;
    const file = await openAnswerFile(path);
    assert.deepEqual(names(folder), []);
    await file.write("The answer\n");
    assert.equal(await Deno.readTextFile(path), "The answer\n");
    assert.equal(names(folder).length, 1);
  });
});

Deno.test("openAnswerFile() replaces a file whole and keeps its mode", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/out`;
    await Deno.writeTextFile(path, "a longer text than the answer");
    await Deno.chmod(path, 0o640);
    const file = await openAnswerFile(path);
    await file.write("short");
    assert.equal(await Deno.readTextFile(path), "short");
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o640);
  });
});

Deno.test("openAnswerFile() writes behind a link that was there before the run", async () => {
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.writeTextFile(`${folder}/real/out`, "");
    await Deno.symlink("real/out", `${folder}/link`);
    const file = await openAnswerFile(`${folder}/link`);
    await file.write("x");
    assert((await Deno.lstat(`${folder}/link`)).isSymlink);
    assert.equal(await Deno.readTextFile(`${folder}/real/out`), "x");
  });
});

Deno.test("openAnswerFile() follows no link that came later", async () => {
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/safe`, "safe");
    await Deno.mkdir(`${folder}/a`);
    const [file, inFolder] = [
      await openAnswerFile(`${folder}/out`),
      await openAnswerFile(`${folder}/a/safe`),
    ];
    await Deno.symlink("safe", `${folder}/out`);
    await Deno.remove(`${folder}/a`);
    await Deno.symlink(".", `${folder}/a`);
    await file.write("x");
    assert((await Deno.lstat(`${folder}/out`)).isFile);
    await assert.rejects(inFolder.write("x"), /its folder was moved/);
    assert.equal(await Deno.readTextFile(`${folder}/safe`), "safe");
  });
});

Deno.test("openAnswerFile() says what is in the way, and leaves nothing behind", async () => {
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/dir`);
    await Deno.symlink("nowhere", `${folder}/dangling`);
    for (
      const [path, why] of [
        [`${folder}/dir`, /it is not a regular file/],
        [`${folder}/dir/`, /it is not a regular file/],
        [`${folder}/new/`, /it names a folder/],
        [`${folder}/no/out`, /no such folder/],
        [`${folder}/dangling`, /a link that leads nowhere/],
        ["/dev/null", /it is not a regular file/],
        ["/proc/out", /./],
      ] as const
    ) {
      await assert.rejects(
        openAnswerFile(path),
        (error) =>
          error instanceof UsageError && why.test(error.message) &&
          error.message.startsWith(`Cannot write the answer to "${path}": `),
        path,
      );
    }
    assert.deepEqual(names(folder), ["dangling", "dir"]);
  });
});

Deno.test("openAnswerFile() says why an answer could not be written at the end", async () => {
  await inTempFolder(async (folder) => {
    const file = await openAnswerFile(`${folder}/out`);
    await Deno.mkdir(`${folder}/out`);
    await assert.rejects(
      file.write("x"),
      /^Error: Cannot write the answer to ".*out": /,
    );
    assert.deepEqual(names(folder), ["out"]);
  });
});
