import { formatted } from "../formatted.ts";
import { npmCache } from "../npm_cache.ts";
import { declarationsOf } from "./declaration_files.ts";
import { flattenDeclarations } from "./flatten_declarations.ts";

const PACKAGE = "@sinclair/typebox";

const HEADING =
  `// What a plugin can import from "tau". Made of tau's own types; do not edit.
`;

/** The text that `tau plugins types` prints: the public library as one module declaration that needs no other file. */
export async function makeDeclarations(root: URL): Promise<string> {
  const files = declarationsOf(new URL("src/mod.ts", root), {
    name: PACKAGE,
    folder: new URL("build/esm/", await packageFolder(root)),
  });
  return await formatted(HEADING + flattenDeclarations("tau", files), "ts");
}

/** Where Deno keeps the package, in the version of deno.json. */
async function packageFolder(root: URL): Promise<URL> {
  const { imports } = JSON.parse(
    await Deno.readTextFile(new URL("deno.json", root)),
  );
  const version = imports[PACKAGE].slice(`npm:${PACKAGE}@`.length);
  const cache = await npmCache();
  for await (const { name } of Deno.readDir(cache)) {
    const folder = `${cache}/${name}/${PACKAGE}/${version}/`;
    if (await Deno.stat(folder).catch(() => undefined)) {
      return new URL(folder, "file:///");
    }
  }
  throw new Error(`${PACKAGE} ${version} is not in Deno's cache`);
}
