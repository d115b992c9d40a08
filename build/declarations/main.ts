import { makeDeclarations } from "./make_declarations.ts";

// Writes the declarations that the program prints. To be run when the public
// library has changed; a test says so.

const ROOT = new URL("../../", import.meta.url);

await Deno.writeTextFile(
  new URL("src/cli/plugins/declarations.txt", ROOT),
  await makeDeclarations(ROOT),
);
