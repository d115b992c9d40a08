import { filePath } from "../src/host/file_path.ts";
import { bundledPackages } from "./bundled_packages.ts";
import { makeNotices } from "./notices.ts";
import { makeDeclarations } from "./declarations/make_declarations.ts";
import { runProgram } from "./run_program.ts";

/** Entries that share pieces. The host shares none, so that it has fewer of them to read. */
const PROGRAMS = [["src/main.ts"], ["src/kernel/main.ts", "src/mod.ts"]];

/**
 * Makes the bundle of the program in an empty folder: the host's entry
 * main.js, the kernel's entry kernel/main.js, the library mod.js, which
 * plugins import as "tau", and the pieces that they load when they need them;
 * LICENSE, and THIRD_PARTY_NOTICES of the packages that are in it. Its bytes
 * depend on nothing but the source.
 */
export async function makeBundle(root: URL, folder: URL): Promise<void> {
  for (const entries of PROGRAMS) {
    await runProgram(Deno.execPath(), [
      ...["bundle", "--quiet", "--code-splitting", "--platform", "deno"],
      ...["--minify", "--outdir", filePath(folder), ...entries],
    ], { cwd: root });
  }
  await Deno.writeTextFile(
    new URL("THIRD_PARTY_NOTICES", folder),
    await makeNotices(await bundledPackages(filePath(root), PROGRAMS.flat())),
  );
  await Deno.copyFile(new URL("LICENSE", root), new URL("LICENSE", folder));
  await hideLazyImports(folder);
  await Deno.writeTextFile(
    new URL("declarations.txt", folder),
    await makeDeclarations(root),
  );
  await Deno.writeTextFile(
    new URL("import_map.json", folder),
    `${JSON.stringify({ imports: { tau: "./mod.js" } })}\n`,
  );
}

/**
 * Deno reads every module that an `import("…")` names when a program starts,
 * needed or not: 3 ms for what a run never loads. An expression hides the name
 * until the import is reached.
 */
async function hideLazyImports(folder: URL): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      await hideLazyImports(new URL(`${name}/`, folder));
    } else if (name.endsWith(".js")) {
      const file = new URL(name, folder);
      const code = await Deno.readTextFile(file);
      const hidden = code.replace(
        /\bimport\(("\.{1,2}\/[^"]+\.js")\)/g,
        "import((0,$1))",
      );
      await Deno.writeTextFile(file, hidden);
    }
  }
}
