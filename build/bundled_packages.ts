import { dirname, join, relative, resolve, sep } from "node:path";
import { BuildError } from "./build_error.ts";
import { npmCache } from "./npm_cache.ts";
import { runProgram } from "./run_program.ts";

/**
 * The folders of the npm packages whose code is in a bundle of the entries,
 * sorted. The bundler itself says so: in a bundle that is not minified a
 * comment names each file that something is taken from. A package that is
 * imported for its types, or not at all, is not among them.
 *
 * `project` is an absolute path; the entries are relative to it.
 */
export async function bundledPackages(
  project: string,
  entries: readonly string[],
): Promise<string[]> {
  const root = await Deno.realPath(project);
  const out = await Deno.makeTempDir({ prefix: "tau-build-" });
  try {
    await runProgram(Deno.execPath(), [
      ...["bundle", "--quiet", "--code-splitting", "--platform", "deno"],
      ...["--outdir", out, ...entries],
    ], { cwd: root });
    const cache = await npmCache();
    const caches = [cache, await Deno.realPath(cache)];
    const folders = new Set<string>();
    for await (const name of namedFiles(out)) {
      const file = resolve(root, name);
      const cache = caches.find((cache) => file.startsWith(cache + sep));
      if (cache) folders.add(await packageFolder(cache, file));
    }
    if (folders.size === 0) {
      throw new BuildError("The bundler does not say what is in the bundle");
    }
    return [...folders].sort();
  } finally {
    await Deno.remove(out, { recursive: true });
  }
}

/** What stands in comments of a line, in all files of a folder. */
async function* namedFiles(folder: string): AsyncIterable<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) {
      yield* namedFiles(path);
    } else {
      const code = await Deno.readTextFile(path);
      for (const [, text = ""] of code.matchAll(/^\/\/ (.+)$/gm)) yield text;
    }
  }
}

/** The outermost folder in the cache that has a package.json: those further in describe parts of a package. */
async function packageFolder(cache: string, file: string): Promise<string> {
  let folder = cache;
  for (const name of relative(cache, dirname(file)).split(sep)) {
    folder = join(folder, name);
    const facts = join(folder, "package.json");
    if (await Deno.stat(facts).catch(() => undefined)) return folder;
  }
  throw new BuildError(`Nothing says which package "${file}" belongs to`);
}
