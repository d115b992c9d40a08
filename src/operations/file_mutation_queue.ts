import { normalizePath } from "./lexical_path.ts";
import { resolveRealPath } from "./guarded_paths.ts";

const lastOfFile = new Map<string, Promise<void>>();
let registrations: Promise<unknown> = Promise.resolve();

/**
 * Runs `change` once every earlier change of the same file has settled; links
 * to one file count as that file. Changes start in the order in which they were
 * asked for, those of different files run side by side, and one that fails does
 * not hold up the next. Within this process only. A change that waits for
 * another change of its own file never ends.
 */
export async function withFileMutationQueue<T>(
  path: string,
  change: () => Promise<T>,
  { realPath = localRealPath }: {
    /** Gives the name of a file under which links to it meet. Default: the local real path. */
    realPath?: (path: string) => Promise<string>;
  } = {},
): Promise<T> {
  // One chain for all files: the first to ask is the first in line, however
  // long it takes to find its real path.
  const registered = registrations.then(async () => {
    const file = await realPath(path);
    const result = (lastOfFile.get(file) ?? Promise.resolve()).then(change);
    const settled = result.then(() => {}, () => {}).then(() => {
      if (lastOfFile.get(file) === settled) lastOfFile.delete(file);
    });
    lastOfFile.set(file, settled);
    // Wrapped, for a bare promise would make the chain wait for the change.
    return { result };
  });
  registrations = registered.catch(() => {});
  return await (await registered).result;
}

async function localRealPath(path: string): Promise<string> {
  try {
    return (await resolveRealPath(path, Deno)).path;
  } catch (error) {
    if (error instanceof Deno.errors.NotADirectory) return normalizePath(path);
    throw error;
  }
}
