import type { FileKind, FileStamp } from "./file_operations.ts";

/** The calls of Deno that local operations make; a test hands in some that fail. */
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

/** What a stat says about the kind of a file. */
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

/** Whether two stats are of one file; taken for granted where the system numbers no files. */
export function sameFile(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}
