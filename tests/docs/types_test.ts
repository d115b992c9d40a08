import assert from "node:assert/strict";
import { codeBlocks } from "../support/markdown_blocks.ts";
import { docPages } from "../support/doc_pages.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;

Deno.test("each block of TypeScript in the pages that imports tau has right types", async () => {
  await inTempFolder(async (folder) => {
    const files: string[] = [];
    for (const { path, text } of await docPages()) {
      for (const { language, code, line } of codeBlocks(text)) {
        if (language !== "ts" || !/from "tau"/.test(code)) continue;
        const file = `${folder}/${path.replaceAll("/", "_")}_${line}.ts`;
        // Lines have their numbers on the page, so that messages name those.
        await Deno.writeTextFile(file, "\n".repeat(line - 1) + code);
        files.push(file);
      }
    }
    assert(files.length > 0, "no page shows TypeScript");
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--config", CONFIG, ...files],
      env: { NO_COLOR: "1" },
    }).output();
    assert(success, new TextDecoder().decode(stderr));
  });
});
