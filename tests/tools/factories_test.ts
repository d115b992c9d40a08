import assert from "node:assert/strict";
import { fileTools } from "../support/file_tools.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("calls begin in their order, whichever tools they are of and though the first one has to load them", async () => {
  await inTempFolder(async (folder) => {
    const { write, edit } = fileTools(folder);
    const path = "f";
    const edits = [{ oldText: "one", newText: "two" }];
    // The one with the most code to load is before the others.
    const texts = await Promise.all([
      edit({ path, edits }),
      write({ path, content: "one" }),
      edit({ path, edits }),
      write({ path, content: "three" }),
      edit({ path, edits: [{ oldText: "three", newText: "four" }] }),
    ]);
    assert.match(texts[0] ?? "", /^ERROR .*no such file/);
    assert.deepEqual(texts.slice(1), [
      "Successfully wrote to f",
      "Successfully replaced 1 block(s) in f.",
      "Successfully wrote to f",
      "Successfully replaced 1 block(s) in f.",
    ]);
    assert.equal(Deno.readTextFileSync(`${folder}/f`), "four");
  });
});
