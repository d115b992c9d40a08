import {
  decideAccess,
  isProtected,
  type PathPolicy,
} from "../policy/path_policy.ts";
import {
  type FileKind,
  type FileStamp,
  PathRefusedError,
} from "./file_operations.ts";
import {
  baseName,
  isAbsolutePath,
  joinPath,
  normalizePath,
  parentPath,
} from "./lexical_path.ts";

/** The calls of Deno that local operations make. A tree in memory has calls of its own, a test some that fail. */
export type FileSystemCalls = Pick<
  typeof Deno,
  | "chmod"
  | "chown"
  | "lstat"
  | "mkdir"
  | "open"
  | "readDir"
  | "readLink"
  | "realPath"
  | "remove"
  | "rename"
  | "stat"
>;

/** The kind of a file by its stat. */
export function kindOf(stat: Deno.FileInfo): FileKind {
  if (stat.isFile) return "file";
  if (stat.isDirectory) return "directory";
  if (stat.isFifo) return "named pipe";
  if (stat.isSocket) return "socket";
  if (stat.isCharDevice) return "character device";
  return stat.isBlockDevice ? "block device" : "special file";
}

/** The part of a stat that tells whether a file was changed. */
export function stampOf(stat: Deno.FileInfo): FileStamp {
  return { size: stat.size, mtimeMs: stat.mtime?.getTime() ?? null };
}

/** True when two stats are of one file; taken for granted where the system numbers no files. */
export function sameFile(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Hears what was refused: to read, to write, or to write a protected name. */
export type RefusalListener = (access: "read" | "write" | "protected") => void;

/** Makes what asks a policy about real paths; without a policy everything is allowed. */
export function pathGuard(
  policy: PathPolicy | undefined,
  listen: RefusalListener = () => {},
): {
  /** Throws `PathRefusedError` where the policy refuses a real path, and tells the listener. */
  check(realPath: string, access: "read" | "write"): void;
  /** Tells the listener of a path that Deno refused to follow: far outside the roots its own permissions come first. */
  note(error: unknown, access: "read" | "write"): void;
} {
  return {
    check(realPath, access) {
      const reason = policy && decideAccess(policy, access, realPath);
      if (reason === undefined) return;
      const isControlFile = access === "write" && policy !== undefined &&
        isProtected(policy, realPath);
      listen(isControlFile ? "protected" : access);
      throw new PathRefusedError(reason);
    },
    note(error, access) {
      if (error instanceof Deno.errors.NotCapable) listen(access);
    },
  };
}

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

/** As many links in a row as Linux follows. */
const MAX_LINKS = 40;

/** The target of a path. */
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
      // EINVAL: there is something now, and it is no link.
      const isNone = error instanceof Deno.errors.NotFound ||
        hasCode(error, "EINVAL");
      if (!isNone) throw error;
      return undefined;
    }
  }
}

/** True for a fault of the system with one of some codes, for which Deno has no class. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error &&
    codes.includes(String(error.code));
}
