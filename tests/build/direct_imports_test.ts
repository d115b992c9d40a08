import assert from "node:assert/strict";
import { copyWithDirectImports } from "../../build/direct_imports.ts";
import { BuildError } from "../../build/build_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const SOURCE = {
  "b/mod.ts": `// What it is for.
export { make, old as young } from "./make.ts";
export type { Made } from "./made.ts";
export { deep } from "../c/mod.ts";
`,
  "b/make.ts": "export const make = 1, old = 2;\n",
  "b/made.ts": "export type Made = number;\n",
  "c/mod.ts": 'export { deep } from "./deep.ts";\n',
  "c/deep.ts": "export const deep = 3;\n",
  "c/data.json": '{"from":"./mod.ts"}',
};

Deno.test("copyWithDirectImports() names the file that has what is imported", async () => {
  const cases: [string, string][] = [
    [
      'import { make } from "../b/mod.ts";\nmake;\n',
      'import { make as make } from "./../b/make.ts";\nmake;\n',
    ],
    [
      'import { young as mine } from "../b/mod.ts";',
      'import { old as mine } from "./../b/make.ts";',
    ],
    [
      'import {\n  deep,\n  type Made,\n} from "../b/mod.ts";',
      'import { deep as deep } from "./../c/deep.ts";\n' +
      'import { type Made as Made } from "./../b/made.ts";',
    ],
    [
      'import type { Made } from "../b/mod.ts";',
      'import type { Made as Made } from "./../b/made.ts";',
    ],
    [
      'export { make } from "../b/mod.ts";\nexport type { Made } from "../b/mod.ts";\n',
      'export { make as make } from "./../b/make.ts";\n' +
      'export type { Made as Made } from "./../b/made.ts";\n',
    ],
    // What names no folder's list stays as it is.
    ...[
      'import { make } from "../b/make.ts";',
      'import * as all from "../b/mod.ts";',
      'import "../b/mod.ts";',
      'const all = await import("../b/mod.ts");',
      'import { join } from "node:path";',
      'import data from "../c/data.json" with { type: "json" };',
      'const text = `import { make } from "../b/mod.ts";`;',
    ].map((text): [string, string] => [text, text]),
  ];
  await inTempFolder(async (folder) => {
    const modules = cases.map(([text], i) => [`a/${i}.ts`, text]);
    await putFiles(`${folder}/src`, {
      ...SOURCE,
      ...Object.fromEntries(modules),
    });
    await copyWithDirectImports(`${folder}/src`, `${folder}/copy`);
    for (const [i, [, direct]] of cases.entries()) {
      assert.equal(
        Deno.readTextFileSync(`${folder}/copy/a/${i}.ts`),
        direct,
      );
    }
    const json = Deno.readTextFileSync(`${folder}/copy/c/data.json`);
    assert.equal(json, SOURCE["c/data.json"]);
  });
});

Deno.test("copyWithDirectImports() fails on a name that is not listed", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(`${folder}/src`, {
      ...SOURCE,
      "a/a.ts": 'import { made } from "../b/mod.ts";',
    });
    await assert.rejects(
      copyWithDirectImports(`${folder}/src`, `${folder}/copy`),
      (error) =>
        error instanceof BuildError &&
        error.message === `${folder}/src/b/mod.ts does not list "made"`,
    );
  });
});
