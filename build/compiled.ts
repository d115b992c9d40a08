import { LINEAR_REGEX, NEW_SPACE } from "../src/sandbox/kernel_flags.ts";
import { filePath } from "../src/host/file_path.ts";
import { BuildError } from "./build_error.ts";
import { runProgram } from "./run_program.ts";
import { ownTarget, type Target } from "./targets.ts";

/**
 * What the kernel has as flags where it can be given any. They hold for the
 * host too here: one file, one set of flags.
 */
const V8_FLAGS = [
  ...LINEAR_REGEX,
  "--max-old-space-size=2048",
  NEW_SPACE,
];

/**
 * Makes a program of a bundle by `deno compile`. It needs the runtime base of
 * the running Deno's version: the file that `DENORT_BIN` names, one that Deno
 * has kept, or one that Deno can download. Throws a {@linkcode BuildError}
 * where there is none.
 */
export async function makeCompiled(
  target: Target,
  bundle: URL,
  file: URL,
): Promise<void> {
  try {
    await runProgram(Deno.execPath(), [
      ...["compile", "--quiet", "-A", "--no-prompt", "--no-config"],
      // The code cache of a compiled program has a place that all users of the
      // machine know.
      ...["--no-lock", "--no-code-cache", `--v8-flags=${V8_FLAGS.join(",")}`],
      // What plugins import as "tau".
      ...["--import-map", filePath(new URL("import_map.json", bundle))],
      ...["--target", target.triple, "--include", filePath(bundle)],
      ...["--output", filePath(file), filePath(new URL("main.js", bundle))],
    ]);
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    const base = `Deno ${Deno.version.deno} for ${target.name}`;
    throw new BuildError(
      `no runtime base of ${base} in DENORT_BIN or elsewhere: ${error.message}`,
      { cause: error },
    );
  }
  if (target !== ownTarget()) return;
  // A base of another version makes a program that knows nothing of its code.
  const said = await runProgram(filePath(file), ["--version"])
    .catch((error) => `${error}`);
  if (/^tau .*compiled.*\n$/.test(said)) return;
  await Deno.remove(file);
  throw new BuildError(
    `the runtime base does not fit Deno ${Deno.version.deno}`,
  );
}
