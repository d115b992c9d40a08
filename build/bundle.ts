// Makes the bundle of the program in dist/app: the host's entry main.js, the
// kernel's entry kernel/main.js, and the pieces that they load when they need
// them.

const ROOT = new URL("../", import.meta.url);
const OUT = new URL("dist/app/", ROOT);
const ENTRIES = ["src/main.ts", "src/kernel/main.ts"];

await Deno.remove(OUT, { recursive: true }).catch((error) => {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
});
const bundle = new Deno.Command(Deno.execPath(), {
  args: [
    ...["bundle", "--quiet", "--code-splitting", "--platform", "deno"],
    ...["--minify", "--outdir", "dist/app", ...ENTRIES],
  ],
  cwd: ROOT,
}).spawn();
if (!(await bundle.status).success) Deno.exit(1);
await hideLazyImports(OUT);

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
