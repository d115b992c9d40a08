import assert from "node:assert/strict";
import { textOrFile } from "../../src/context/text_or_file.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("textOrFile() reads a file and takes all else for a text", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/my prompt`;
    await Deno.writeTextFile(path, "\ufeffFrom a file.\n");
    assert.equal(textOrFile(path, "--x"), "From a file.");
  });
  for (const text of ["Be brief.", "", "x".repeat(5000), "a\nb", "a\0b"]) {
    assert.equal(textOrFile(text, "--x"), text);
  }
});

Deno.test("textOrFile() takes no misspelt file name for a text", () => {
  for (const name of ["promt.md", "./prompt", "/no/such", "~/prompt.txt"]) {
    assert.throws(
      () => textOrFile(name, "--system-prompt"),
      (error) =>
        error instanceof UsageError &&
        error.message ===
          `Cannot read "${name}" for --system-prompt: no such file`,
    );
  }
  assert.throws(
    () => textOrFile("/etc", "--x"),
    /"\/etc" for --x: it is a folder/,
  );
});
