import { decideRead, decideWrite, type PathPolicy } from "../policy/mod.ts";
import {
  type FileOperations,
  NotRegularFileError,
  type OpenedFile,
  PathRefusedError,
} from "./file_operations.ts";
import { type FileSystemCalls, kindOf, stampOf } from "./file_system_calls.ts";
import { removeLeftovers } from "./leftover_files.ts";
import { parentPath } from "./lexical_path.ts";
import { type RealPath, resolveRealPath } from "./real_path.ts";
import { refuseIfMoved } from "./refuse_if_moved.ts";
import { replaceFile } from "./replace_file.ts";

/** How local file operations are made. */
export interface LocalFileOperationsOptions {
  /** What they may touch; without one, everything. */
  policy?: PathPolicy | undefined;
  /** Default: Deno's own. */
  calls?: FileSystemCalls;
}

/**
 * Files of this machine. The real path of a target, or of the nearest folder
 * that exists, must be allowed by the policy; after opening, the path must
 * still lead to the file that was opened, else the call is refused.
 */
export function createLocalFileOperations(
  options: LocalFileOperationsOptions = {},
): FileOperations {
  const { policy, calls = Deno } = options;
  /** Folders that were freed of what killed processes left there. */
  const tidied = new Set<string>();

  async function readable(path: string): Promise<RealPath> {
    const real = await resolveRealPath(path, calls);
    refuseIf(policy && decideRead(policy, real.path));
    return real;
  }

  async function writable(path: string): Promise<RealPath> {
    const real = await resolveRealPath(path, calls);
    refuseIf(policy && decideWrite(policy, real.path));
    return real;
  }

  return {
    async openFile(path) {
      const real = await readable(path);
      // Opening a pipe would wait for its other end, so the kind is asked
      // before. stat() also knows the pipes behind /dev/stdin, whose names in
      // /proc are links that lead nowhere.
      const stat = await calls.stat(real.exists ? real.path : path);
      if (!stat.isFile) throw new NotRegularFileError(kindOf(stat));
      const file = await calls.open(real.path, { read: true });
      try {
        const opened = await file.stat();
        await refuseIfMoved(real.path, opened, calls);
        return openedFile(file, real.path, opened);
      } catch (error) {
        file.close();
        throw error;
      }
    },

    async listNames(path, limit) {
      const real = await readable(path);
      const names: string[] = [];
      if (limit <= 0) return names;
      for await (const entry of calls.readDir(real.path)) {
        names.push(entry.name);
        if (names.length >= limit) break;
      }
      return names;
    },

    async realPath(path) {
      return (await resolveRealPath(path, calls)).path;
    },

    async mkdir(path) {
      const real = await resolveRealPath(path, calls);
      if (real.exists) {
        if ((await calls.stat(real.path)).isDirectory) return;
        throw new Deno.errors.NotADirectory(
          "A file stands where a folder should be",
        );
      }
      refuseIf(policy && decideWrite(policy, real.path));
      await calls.mkdir(real.path, { recursive: true });
      await refuseIfMoved(real.path, await calls.stat(real.path), calls);
    },

    async writeFile(path, data, { expected } = {}) {
      const real = await writable(path);
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
  realPath: string,
  stat: Deno.FileInfo,
): OpenedFile {
  return {
    realPath,
    stamp: stampOf(stat),
    read: (buffer) => file.read(buffer),
    close: () => file.close(),
  };
}

function refuseIf(reason: string | undefined): void {
  if (reason !== undefined) throw new PathRefusedError(reason);
}
