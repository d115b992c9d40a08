// deno-lint-ignore-file require-await -- an interface whose other implementations wait
import type { PathPolicy } from "../policy/path_policy.ts";
import {
  type FileKind,
  NotRegularFileError,
  PathRefusedError,
} from "./file_operations.ts";
import { kindOf, pathGuard, type RefusalListener } from "./guarded_paths.ts";

/** A name in a folder. */
export interface DirectoryEntry {
  /** The name, without the folder. */
  name: string;
  /** The kind of what has the name. Links are not followed. */
  kind: "file" | "directory" | "link" | "other";
}

/**
 * File access for the ls tool. Paths are absolute and normalized; failures
 * reject with the `Deno.errors` class that fits, guard with
 * `PathRefusedError`.
 */
export interface LsOperations {
  /** Returns the kind of what is at a path, with links followed. */
  kindAt(path: string): Promise<FileKind>;
  /** Returns all names in a folder, in no order. */
  readDirectory(path: string): Promise<DirectoryEntry[]>;
}

/** File access for the find tool; as {@linkcode LsOperations}. */
export interface FindOperations extends LsOperations {
  /** Returns the bytes of a regular file; undefined when they are more than `maxBytes`. */
  readFile(
    path: string,
    maxBytes: number,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** File access for the grep tool. */
export type GrepOperations = FindOperations;

/**
 * Folders and files of this machine. Real paths must be allowed by the policy.
 *
 * Each call is short and blocks: over many small files that takes half the time
 * of waiting for each.
 */
export function createLocalSearchOperations(
  { policy, onRefused }: {
    /** Limits what they may read; without one, everything is allowed. */
    policy?: PathPolicy | undefined;
    /** Hears of each path that is refused. */
    onRefused?: RefusalListener | undefined;
  } = {},
): GrepOperations {
  const guard = pathGuard(policy, onRefused);

  /** The real path of what exists, when it may be read. */
  function readable(path: string): string {
    if (!policy) return path;
    let real: string;
    try {
      real = Deno.realPathSync(path);
    } catch (error) {
      guard.note(error, "read");
      throw error;
    }
    guard.check(real, "read");
    return real;
  }

  // The functions are async, so that what they throw rejects.
  return {
    async kindAt(path) {
      return kindOf(Deno.statSync(readable(path)));
    },

    async readDirectory(path) {
      return Array.from(Deno.readDirSync(readable(path)), (entry) => ({
        name: entry.name,
        kind: entry.isFile
          ? "file"
          : entry.isDirectory
          ? "directory"
          : entry.isSymlink
          ? "link"
          : "other",
      }));
    },

    async readFile(path, maxBytes) {
      const real = readable(path);
      // To open a pipe would wait for its other end.
      const before = Deno.statSync(real);
      if (!before.isFile) throw new NotRegularFileError(kindOf(before));
      // Those of /proc tell no size, and some wait for what is to come.
      if (before.size === 0 && real.startsWith("/proc/")) {
        throw new NotRegularFileError("special file");
      }
      if (before.size > maxBytes) return undefined;
      using file = Deno.openSync(real, { read: true });
      // The file that was opened must be the one that was looked at.
      const stat = file.statSync();
      if (stat.dev !== before.dev || stat.ino !== before.ino) {
        throw new PathRefusedError(
          "the path was changed while it was being opened",
        );
      }
      return readBytes(file, Math.max(0, before.size));
    },
  };
}

/** Reads as much as the file was said to hold, and what grew meanwhile not. */
function readBytes(file: Deno.FsFile, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  while (at < size) {
    const read = file.readSync(bytes.subarray(at));
    if (read === null) break;
    at += read;
  }
  return bytes.subarray(0, at);
}
