import assert from "node:assert/strict";
import { inTempFolder } from "../support/temp_folder.ts";
import { putFiles } from "../support/put_files.ts";
import { bundledPackages } from "../../build/bundled_packages.ts";
import { BARE_FLAGS } from "../../build/run_flags.ts";
import { COMPILED, inPortablePlace, PORTABLE, run } from "./portable_run.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const APP = `${ROOT}dist/app`;

Deno.test("THIRD_PARTY_NOTICES names each package that the source imports for more than its types, and Deno", async () => {
  const notices = await Deno.readTextFile(`${APP}/THIRD_PARTY_NOTICES`);
  const named = notices.split(`${"=".repeat(80)}\n`).slice(1)
    .map((notice) => notice.slice(0, notice.search(/[,\n]/)));
  const { used, types } = await importedPackages();
  assert.deepEqual(named, [
    ...[...used].sort(),
    `Deno ${Deno.version.deno}`,
  ]);
  assert.ok(types.difference(used).size > 0);
  for (const name of types.difference(used)) {
    assert.ok(!named.includes(name), name);
  }
});

Deno.test("tau licenses prints the licence of tau and the notices, from each form of the program", async () => {
  const expected = await Deno.readTextFile(`${ROOT}LICENSE`) + "\n" +
    await Deno.readTextFile(`${APP}/THIRD_PARTY_NOTICES`);
  const programs = [
    [Deno.execPath(), "run", ...BARE_FLAGS, `${APP}/main.js`],
    [PORTABLE],
    ...(COMPILED === "" ? [] : [[COMPILED]]),
  ];
  for (const program of programs) {
    await inPortablePlace(async ({ env }) => {
      const { code, stdout, stderr } = await run(
        [...program, "licenses"],
        { env },
      );
      assert.equal(stderr, "");
      // The compiled form for tests has another Deno.
      const version = / [\w.-]+(?=, with V8)| V8 [\w.-]+|tag v[\d.]+/g;
      assert.equal(
        program[0] === COMPILED ? stdout.replace(version, "") : stdout,
        program[0] === COMPILED ? expected.replace(version, "") : expected,
      );
      assert.equal(code, 0);
    });
  }
});

Deno.test("bundledPackages() knows a package that is loaded late and one that another loads, and none of which only types are used", () =>
  inTempFolder(async (folder) => {
    const { imports } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
    await putFiles(folder, {
      "deno.json": JSON.stringify({ imports }),
      "deno.lock": await Deno.readFile(`${ROOT}deno.lock`),
      "main.ts": `
        import type OpenAI from "openai";
        import { lib } from "./lib.ts";
        export const client: OpenAI | undefined = undefined;
        console.log(lib, (await import("diff")).diffChars);`,
      "lib.ts": `
        import Ajv from "ajv";
        export const lib = new Ajv();`,
    });
    const folders = await bundledPackages(folder, ["main.ts"]);
    const names = folders.map((path) => path.split("/").slice(-2, -1)[0]);
    assert.deepEqual(names.toSorted(), [
      "ajv",
      "diff",
      "fast-deep-equal",
      "fast-uri",
      "json-schema-traverse",
    ]);
  }));

/** The npm packages that the three entries import, with their versions, by Deno's graph. */
async function importedPackages(): Promise<
  { used: Set<string>; types: Set<string> }
> {
  const used = new Set<string>();
  const types = new Set<string>();
  for (const entry of ["main.ts", "kernel/main.ts", "mod.ts"]) {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["info", "--json", `${ROOT}src/${entry}`],
      stderr: "null",
    }).output();
    const { modules } = JSON.parse(new TextDecoder().decode(stdout));
    for (const { dependencies = [] } of modules) {
      for (const { code, type } of dependencies) {
        const specifier: string = (code ?? type)?.specifier ?? "";
        const id = /^npm:\/?(@?[^@]+)@([^/]+)/.exec(specifier);
        if (id) (code ? used : types).add(`${id[1]} ${id[2]}`);
      }
    }
  }
  return { used, types };
}
