import type { FileSystemCalls } from "./file_system_calls.ts";
import {
  baseName,
  isAbsolutePath,
  joinPath,
  normalizePath,
  parentPath,
} from "./lexical_path.ts";

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/** Where a path leads. */
export interface RealPath {
  /** No part of it is a link. */
  path: string;
  exists: boolean;
}

/**
 * Follows every link of an absolute path. Of what does not exist, the nearest
 * folder that does is resolved and the rest appended; a link to nothing counts
 * as its target. Rejects with `FilesystemLoop` after too many links, and with
 * `NotADirectory` when a file stands where a folder should be.
 */
export function resolveRealPath(
  path: string,
  calls: Pick<FileSystemCalls, "realPath" | "readLink">,
): Promise<RealPath> {
  let links = 0;
  return resolve(normalizePath(path));

  async function resolve(path: string): Promise<RealPath> {
    try {
      return { path: normalizePath(await calls.realPath(path)), exists: true };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    if (parentPath(path) === path) return { path, exists: false };
    const folder = await resolve(parentPath(path));
    const missing = {
      path: joinPath(folder.path, baseName(path)),
      exists: false,
    };
    if (!folder.exists) return missing;
    const target = await linkTarget(missing.path);
    return target === undefined ? missing : await follow(folder.path, target);
  }

  /** Goes part by part, since `..` behind a link leads to the parent of its target. */
  async function follow(folder: string, target: string): Promise<RealPath> {
    if (++links > MAX_LINKS) {
      throw new Deno.errors.FilesystemLoop("Too many symbolic links");
    }
    const absolute = isAbsolutePath(target);
    let reached: RealPath = {
      path: absolute
        ? normalizePath(target.slice(0, target.search(/[/\\]/) + 1))
        : folder,
      exists: true,
    };
    for (
      const part of (absolute ? target.slice(reached.path.length) : target)
        .split("/")
    ) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        const parent = parentPath(reached.path);
        reached = reached.exists
          ? { path: parent, exists: true }
          : await resolve(parent);
      } else {
        const next = joinPath(reached.path, part);
        // Nothing is below what does not exist; asking for each part would take forever on a long target.
        reached = reached.exists
          ? await resolve(next)
          : { path: next, exists: false };
      }
    }
    return reached;
  }

  async function linkTarget(path: string): Promise<string | undefined> {
    try {
      return await calls.readLink(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      // EINVAL: there is something now, and it is no link.
      if (
        error instanceof Error && "code" in error && error.code === "EINVAL"
      ) {
        return undefined;
      }
      throw error;
    }
  }
}
