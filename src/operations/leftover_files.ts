import type { FileSystemCalls } from "./guarded_paths.ts";
import { joinPath, parentPath } from "./lexical_path.ts";

/** No write takes that long, so an older file belongs to a process that was killed. */
const LEFT_MS = 60 * 60 * 1000;

/** Names looked at in one folder. */
const MAX_NAMES = 10_000;

const TEMP_NAME = /^\.tau-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/**
 * A path for the new bytes of a file until they take its place, in the same
 * folder. The name cannot be foreseen, but it can be recognised: a process that
 * is killed leaves the file behind, for {@linkcode removeLeftovers}.
 */
export function tempPathBeside(path: string): string {
  return joinPath(parentPath(path), `.tau-${crypto.randomUUID()}.tmp`);
}

/** Removes what killed processes left in a folder an hour ago or earlier; gives up silently where it cannot. */
export async function removeLeftovers(
  folder: string,
  calls: Pick<FileSystemCalls, "readDir" | "lstat" | "remove">,
): Promise<void> {
  let names = 0;
  try {
    for await (const { name, isFile } of calls.readDir(folder)) {
      if (++names > MAX_NAMES) return;
      if (!isFile || !TEMP_NAME.test(name)) continue;
      const path = joinPath(folder, name);
      const { mtime } = await calls.lstat(path);
      if (mtime && Date.now() - mtime.getTime() > LEFT_MS) {
        await calls.remove(path);
      }
    }
  } catch {
    // Nobody asked for this, so nobody hears that it failed.
  }
}
