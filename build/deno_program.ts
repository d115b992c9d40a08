import { filePath } from "../src/host/file_path.ts";
import { BuildError } from "./build_error.ts";
import { runProgram } from "./run_program.ts";
import { ownTarget, type Target } from "./targets.ts";

/**
 * The file of Deno's program for a machine, in the version that builds: the
 * running one for the own machine, the npm package's for another. `cache` is
 * a folder where packages are kept.
 */
export async function denoProgram(target: Target, cache: URL): Promise<URL> {
  if (target === ownTarget()) return new URL(`file://${Deno.execPath()}`);
  const id = `${target.npmPackage}@${Deno.version.deno}`;
  const folder = new URL(`${target.name}-${Deno.version.deno}/`, cache);
  const program = new URL(
    `package/deno${target.hasShell ? "" : ".exe"}`,
    folder,
  );
  if (await Deno.stat(program).catch(() => undefined)) return program;
  try {
    await Deno.mkdir(folder, { recursive: true });
    const packed = await runProgram("npm", [
      ...["pack", id, "--silent", "--pack-destination", filePath(folder)],
    ]);
    const archive = new URL(packed.trim().split("\n").at(-1) ?? "", folder);
    await runProgram("tar", [
      "-xzf",
      filePath(archive),
      "-C",
      filePath(folder),
    ]);
    await Deno.remove(archive);
    await Deno.stat(program);
    return program;
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    const why = error instanceof Error ? error.message : error;
    throw new BuildError(`Cannot fetch ${id} from npm: ${why}`, {
      cause: error,
    });
  }
}
