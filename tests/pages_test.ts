import assert from "node:assert/strict";
import { docPages } from "./support/doc_pages.ts";
import { codeBlocks } from "./support/markdown_blocks.ts";
import { pageAnchors, pageLinks } from "./support/markdown_links.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("each relative link of the pages leads to a file, and to a part of it that there is", async () => {
  const wrong: string[] = [];
  for (const { path, text } of await docPages()) {
    for (const { target, line } of pageLinks(text)) {
      if (/^[a-z][a-z+.-]*:/i.test(target)) continue;
      const why = await whyBroken(new URL(target, new URL(path, ROOT)));
      if (why !== undefined) wrong.push(`${path}:${line} ${target}: ${why}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("each block of JSON in the pages can be parsed", async () => {
  const wrong: string[] = [];
  for (const { path, text } of await docPages()) {
    for (const { language, code, line } of codeBlocks(text)) {
      if (language !== "json") continue;
      try {
        JSON.parse(code);
      } catch (error) {
        wrong.push(`${path}:${line} ${error}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("README.md has at most 10 KB", async () => {
  const { size } = await Deno.stat(new URL("README.md", ROOT));
  assert(size <= 10 * 1024, `it has ${size} bytes; docs/ is for the rest`);
});

async function whyBroken(target: URL): Promise<string | undefined> {
  const { hash } = target;
  const file = new URL(target);
  file.hash = "";
  if (!file.href.startsWith(ROOT.href)) return "it leaves the repository";
  try {
    if ((await Deno.stat(file)).isDirectory || hash === "") return undefined;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no such file";
    throw error;
  }
  if (!file.pathname.endsWith(".md")) return undefined;
  const anchors = pageAnchors(await Deno.readTextFile(file));
  return anchors.has(decodeURIComponent(hash.slice(1)))
    ? undefined
    : "there is no such heading";
}
