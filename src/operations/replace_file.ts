import {
  FileChangedError,
  type FileStamp,
  NotRegularFileError,
  sameStamp,
  type WriteFileOptions,
  type WriteOutcome,
} from "./file_operations.ts";
import {
  type FileSystemCalls,
  hasCode,
  kindOf,
  refuseIfMoved,
  sameFile,
  stampOf,
} from "./guarded_paths.ts";
import { joinPath, parentPath } from "./lexical_path.ts";

/** No write takes that long, so an older file belongs to a process that was killed. */
const LEFT_MS = 60 * 60 * 1000;

/** Names looked at in one folder. */
const MAX_NAMES = 10_000;

const TEMP_NAME = /^\.tau-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** A reason to write in place that shows only on the way, with the error that told it. */
class CannotReplace extends Error {}

/**
 * Writes a file by its real path: a new file beside it, flushed to the disk,
 * takes its place by one rename. The mode stays; a new file gets 0644 less
 * the umask. Where a rename would lose something (other hard links, the owner,
 * a mount) or the folder takes no new file, the bytes are written in place, and
 * put back as they were if that fails.
 */
export async function replaceFile(
  realPath: string,
  data: Uint8Array,
  { expected, calls }: WriteFileOptions & { calls: FileSystemCalls },
): Promise<WriteOutcome> {
  const old = await checkTarget(realPath, expected, calls);
  try {
    if (old?.nlink && old.nlink > 1) {
      throw new CannotReplace("it has other hard links");
    }
    const stamp = await writeBeside(realPath, data, { old, expected, calls });
    return { realPath, stamp };
  } catch (error) {
    if (!(error instanceof CannotReplace) || old === undefined) {
      throw error instanceof CannotReplace ? error.cause ?? error : error;
    }
    const stamp = await writeInPlace(realPath, data, { old, calls });
    return { realPath, stamp, inPlace: error.message };
  }
}

/**
 * The stat of the file that is to be replaced; undefined when there is none.
 * Opens it for writing, since a rename would also replace a file that may not
 * be written.
 */
async function checkTarget(
  realPath: string,
  expected: FileStamp | undefined,
  calls: FileSystemCalls,
): Promise<Deno.FileInfo | undefined> {
  const stat = await lstatIfAny(realPath, calls);
  if (stat === undefined) return undefined;
  if (!stat.isFile) throw new NotRegularFileError(kindOf(stat));
  const file = await calls.open(realPath, { write: true });
  try {
    const opened = await file.stat();
    await refuseIfMoved(realPath, opened, calls);
    if (expected && !sameStamp(stampOf(opened), expected)) {
      throw new FileChangedError();
    }
    return opened;
  } finally {
    file.close();
  }
}

async function writeBeside(
  realPath: string,
  data: Uint8Array,
  { old, expected, calls }: WriteFileOptions & {
    old: Deno.FileInfo | undefined;
    calls: FileSystemCalls;
  },
): Promise<FileStamp> {
  const temp = tempPathBeside(realPath);
  const file = await openBeside(temp, old, calls);
  let open = true;
  try {
    const opened = await file.stat();
    await refuseIfMoved(temp, opened, calls);
    await writeAll(file, data);
    if (old) await keepOwnerAndMode(temp, { old, made: opened, calls });
    await file.sync();
    // A rename changes neither size nor mtime, and nothing may fail after it.
    const stamp = stampOf(await file.stat());
    file.close();
    open = false;
    const now = await lstatIfAny(realPath, calls);
    const same = old && now ? sameFile(old, now) : old === now;
    if (!same || expected && now && !sameStamp(stampOf(now), expected)) {
      throw new FileChangedError();
    }
    await calls.rename(temp, realPath).catch((error) => {
      // A file that is bound into place is a mount of its own.
      const isMount = error instanceof Deno.errors.Busy ||
        hasCode(error, "EBUSY", "EXDEV");
      if (!isMount) throw error;
      throw new CannotReplace("it is a mount point", { cause: error });
    });
    return stamp;
  } catch (error) {
    if (open) file.close();
    await calls.remove(temp).catch(() => {});
    throw error;
  }
}

async function openBeside(
  temp: string,
  old: Deno.FileInfo | undefined,
  calls: FileSystemCalls,
): Promise<Deno.FsFile> {
  try {
    return await calls.open(temp, {
      write: true,
      // Follows no link.
      createNew: true,
      mode: old ? 0o600 : 0o644,
    });
  } catch (error) {
    const refused = error instanceof Deno.errors.PermissionDenied ||
      error instanceof Deno.errors.NotCapable ||
      hasCode(error, "EROFS");
    if (old && refused) {
      throw new CannotReplace("its folder takes no new files", {
        cause: error,
      });
    }
    throw error;
  }
}

async function keepOwnerAndMode(
  temp: string,
  { old, made, calls }: {
    old: Deno.FileInfo;
    made: Deno.FileInfo;
    calls: FileSystemCalls;
  },
): Promise<void> {
  if (old.uid !== made.uid || old.gid !== made.gid) {
    try {
      await calls.chown(temp, old.uid, old.gid);
    } catch (error) {
      throw new CannotReplace("its owner would change", { cause: error });
    }
  }
  // After chown, which clears the set-id bits.
  if (old.mode !== null) await calls.chmod(temp, old.mode & 0o7777);
}

async function writeInPlace(
  realPath: string,
  data: Uint8Array,
  { old, calls }: { old: Deno.FileInfo; calls: FileSystemCalls },
): Promise<FileStamp> {
  const file = await calls.open(realPath, { read: true, write: true });
  try {
    const opened = await file.stat();
    await refuseIfMoved(realPath, opened, calls);
    if (!sameFile(old, opened) || !sameStamp(stampOf(old), stampOf(opened))) {
      throw new FileChangedError();
    }
    const before = await readAll(file, opened.size);
    try {
      await overwrite(file, data);
      await file.sync();
      return stampOf(await file.stat());
    } catch (error) {
      await overwrite(file, before).catch(() => {});
      throw error;
    }
  } finally {
    file.close();
  }
}

async function overwrite(file: Deno.FsFile, data: Uint8Array): Promise<void> {
  await file.seek(0, Deno.SeekMode.Start);
  await writeAll(file, data);
  await file.truncate(data.byteLength);
}

/** Writes all bytes at the place of a file. */
export async function writeAll(
  file: Deno.FsFile,
  data: Uint8Array,
): Promise<void> {
  let written = 0;
  while (written < data.byteLength) {
    written += await file.write(data.subarray(written));
  }
}

async function readAll(file: Deno.FsFile, size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = await file.read(bytes.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

async function lstatIfAny(
  path: string,
  calls: FileSystemCalls,
): Promise<Deno.FileInfo | undefined> {
  try {
    return await calls.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * A path for the new bytes of a file until they take its place, in the same
 * folder. The name cannot be foreseen, but it can be recognised: a process that
 * is killed leaves the file behind, for {@linkcode removeLeftovers}.
 */
function tempPathBeside(path: string): string {
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
