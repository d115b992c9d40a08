import { PathRefusedError } from "./file_operations.ts";
import { type FileSystemCalls, sameFile } from "./file_system_calls.ts";
import { resolveRealPath } from "./real_path.ts";

/**
 * Refuses when a real path does not, or no longer, lead to what was opened
 * under it: somebody put a link in its way after the policy was asked.
 */
export async function refuseIfMoved(
  realPath: string,
  opened: Deno.FileInfo,
  calls: Pick<FileSystemCalls, "lstat" | "readLink" | "realPath">,
): Promise<void> {
  const now = await resolveRealPath(realPath, calls);
  if (now.path !== realPath || !sameFile(await calls.lstat(realPath), opened)) {
    throw new PathRefusedError(
      "the path was changed while it was being opened; try again",
    );
  }
}
