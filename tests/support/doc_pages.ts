import { codeBlocks } from "./markdown_blocks.ts";

/** A page of the documentation. */
export interface DocPage {
  /** Below the root of the repository. */
  path: string;
  text: string;
}

const ROOT = new URL("../../", import.meta.url);

/** Reads the pages whose commands are tested: those at the root that there are, and all of docs/. */
export async function docPages(): Promise<DocPage[]> {
  const paths = ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
    .filter((name) => exists(new URL(name, ROOT)));
  const docs = new URL("docs/", ROOT);
  const names = exists(docs)
    ? [...Deno.readDirSync(docs)].map(({ name }) => name)
    : [];
  for (const name of names.filter((name) => name.endsWith(".md")).sort()) {
    paths.push(`docs/${name}`);
  }
  return await Promise.all(paths.map(async (path) => ({
    path,
    text: await Deno.readTextFile(new URL(path, ROOT)),
  })));
}

/** The code of the first block of a page that is in a language and contains a text. */
export async function docBlock(
  path: string,
  language: string,
  part: string,
): Promise<string> {
  const blocks = codeBlocks(await Deno.readTextFile(new URL(path, ROOT)));
  const block = blocks.find((one) =>
    one.language === language && one.code.includes(part)
  );
  if (!block) throw new Error(`${path} has no ${language} with ${part}`);
  return block.code;
}

function exists(path: URL): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
