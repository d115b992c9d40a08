import assert from "node:assert/strict";
import { attachFiles } from "../../src/context/attach_files.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const PNG = Uint8Array.of(0x89, 80, 78, 71, 13, 10, 26, 10, 0, 1, 2);

Deno.test("attachFiles() puts texts before the prompt, with names that need care", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "my notes.txt": "alpha\nbeta\n",
      'a"b>.md': "quoted",
      "home/x.txt": "home",
    });
    const options = { cwd: folder, homeDir: `${folder}/home` };
    assert.equal(
      attachFiles("Sum up.", ["my notes.txt", './a"b>.md', "~/x.txt"], options),
      `<file name="${folder}/my notes.txt">\nalpha\nbeta\n</file>\n` +
        `<file name="${folder}/a&quot;b>.md">\nquoted\n</file>\n` +
        `<file name="${folder}/home/x.txt">\nhome\n</file>\nSum up.`,
    );
  });
});

Deno.test("attachFiles() knows an image by its bytes and puts it behind its name", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, { "picture.txt": PNG, "b.txt": "text" });
    const options = { cwd: "/", homeDir: undefined };
    const paths = [`${folder}/picture.txt`, `${folder}/b.txt`];
    assert.deepEqual(attachFiles("", paths, options), [
      { type: "text", text: `<file name="${folder}/picture.txt"></file>\n` },
      { type: "image", data: PNG.toBase64(), mimeType: "image/png" },
      { type: "text", text: `<file name="${folder}/b.txt">\ntext\n</file>\n` },
    ]);
  });
});

Deno.test("attachFiles() says why a file cannot be attached", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "binary": Uint8Array.of(1, 0, 2),
      "latin1.txt": Uint8Array.of(0x67, 0xfc, 0x6e),
      "huge.txt": "x".repeat(1024 * 1024 + 1),
      "sub/x": "",
    });
    await Deno.truncate(`${folder}/huge.txt`, 1024 * 1024 + 1);
    const cases: Record<string, RegExp> = {
      "nothing here":
        /^Cannot attach "@nothing here": no such file; .*tau -- @/,
      "binary": /"@binary": neither UTF-8 text nor a PNG, JPEG, GIF or WebP/,
      "latin1.txt": /neither UTF-8 text/,
      "huge.txt": /larger than 1 MiB/,
      "sub": /"@sub": it is a folder/,
      "/dev/zero": /no file/,
      "a\0b": /Cannot attach "@a\\u0000b": /,
    };
    for (const [path, message] of Object.entries(cases)) {
      assert.throws(
        () => attachFiles("", [path], { cwd: folder, homeDir: undefined }),
        (error) => error instanceof UsageError && message.test(error.message),
        path,
      );
    }
  });
});
