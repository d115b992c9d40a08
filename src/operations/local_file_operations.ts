import type { PathPolicy } from "../policy/path_policy.ts";
import { within } from "./child_output.ts";
import {
  type FileOperations,
  NotRegularFileError,
  type OpenedFile,
} from "./file_operations.ts";
import {
  type FileSystemCalls,
  kindOf,
  pathGuard,
  type RealPath,
  type RefusalListener,
  refuseIfMoved,
  resolveRealPath,
  stampOf,
} from "./guarded_paths.ts";
import { parentPath } from "./lexical_path.ts";
import { removeLeftovers, replaceFile } from "./replace_file.ts";

/** Files of `/proc` have no size, and some of them wait for what may never come. */
const MAX_WAIT_MS = 10_000;

/**
 * Files of this machine. The real path of a target, or of the nearest folder
 * that exists, must be allowed by the policy; after opening, the path must
 * still lead to the file that was opened, else the call is refused.
 */
export function createLocalFileOperations(
  { policy, calls = Deno, maxWaitMs = MAX_WAIT_MS, onRefused }: {
    /** Limits what they may touch; without one, everything is allowed. */
    policy?: PathPolicy | undefined;
    /** Default: Deno's own. */
    calls?: FileSystemCalls;
    /** Milliseconds for one read of a file without a size. Default 10,000. */
    maxWaitMs?: number;
    /** Hears of each path that is refused. */
    onRefused?: RefusalListener | undefined;
  } = {},
): FileOperations {
  const guard = pathGuard(policy, onRefused);
  /** Folders that were freed of what killed processes left there. */
  const tidied = new Set<string>();

  async function resolved(
    path: string,
    access: "read" | "write",
  ): Promise<RealPath> {
    try {
      return await resolveRealPath(path, calls);
    } catch (error) {
      guard.note(error, access);
      throw error;
    }
  }

  async function allowed(
    path: string,
    access: "read" | "write",
  ): Promise<RealPath> {
    const real = await resolved(path, access);
    guard.check(real.path, access);
    return real;
  }

  return {
    async openFile(path) {
      const real = await allowed(path, "read");
      // Opening a pipe would wait for its other end, so the kind is asked
      // before. stat() also knows the pipes behind /dev/stdin, whose names in
      // /proc are links that lead nowhere.
      const stat = await calls.stat(real.exists ? real.path : path);
      if (!stat.isFile) throw new NotRegularFileError(kindOf(stat));
      const file = await calls.open(real.path, { read: true });
      try {
        const opened = await file.stat();
        await refuseIfMoved(real.path, opened, calls);
        return openedFile(file, { realPath: real.path, opened, maxWaitMs });
      } catch (error) {
        file.close();
        throw error;
      }
    },

    async listNames(path, limit) {
      const real = await allowed(path, "read");
      const names: string[] = [];
      if (limit <= 0) return names;
      for await (const entry of calls.readDir(real.path)) {
        names.push(entry.name);
        if (names.length >= limit) break;
      }
      return names;
    },

    async realPath(path) {
      return (await resolved(path, "write")).path;
    },

    async mkdir(path) {
      const real = await resolved(path, "write");
      if (real.exists) {
        if ((await calls.stat(real.path)).isDirectory) return;
        throw new Deno.errors.NotADirectory(
          "A file stands where a folder should be",
        );
      }
      guard.check(real.path, "write");
      await calls.mkdir(real.path, { recursive: true });
      await refuseIfMoved(real.path, await calls.stat(real.path), calls);
    },

    async writeFile(path, data, { expected } = {}) {
      const real = await allowed(path, "write");
      const folder = parentPath(real.path);
      if (!tidied.has(folder)) {
        tidied.add(folder);
        await removeLeftovers(folder, calls);
      }
      return await replaceFile(real.path, data, { expected, calls });
    },
  };
}

function openedFile(
  file: Deno.FsFile,
  { realPath, opened, maxWaitMs }: {
    realPath: string;
    opened: Deno.FileInfo;
    maxWaitMs: number;
  },
): OpenedFile {
  return {
    realPath,
    stamp: stampOf(opened),
    read: (buffer) =>
      opened.size > 0
        ? file.read(buffer)
        : inTime(file.read(buffer), maxWaitMs),
    close: () => file.close(),
  };
}

async function inTime(
  reading: Promise<number | null>,
  maxWaitMs: number,
): Promise<number | null> {
  let count: number | null | undefined;
  await within(maxWaitMs, reading.then((value) => count = value));
  if (count === undefined) throw new Deno.errors.TimedOut("Nothing was read");
  return count;
}
