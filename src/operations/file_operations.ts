/** What stands at a path, links followed. */
export type FileKind =
  | "file"
  | "directory"
  | "named pipe"
  | "socket"
  | "character device"
  | "block device"
  | "special file";

/** What tells whether a file was changed since it was looked at. */
export interface FileStamp {
  /** Bytes. */
  size: number;
  /** Null where the file system keeps none. */
  mtimeMs: number | null;
}

/** A regular file that is open for reading. */
export interface OpenedFile {
  /** Where the bytes are: links followed. */
  realPath: string;
  /** As it was when the file was opened. */
  stamp: FileStamp;
  /** Fills the start of `buffer`; null at the end of the file. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Nothing is read afterwards. */
  close(): void;
}

/** What became of a written file. */
export interface WriteOutcome {
  /** Where the bytes are: links followed. */
  realPath: string;
  /** As the file is now. */
  stamp: FileStamp;
  /** Why the file was written in place, where a crash could have left half of it; absent after a replacement in one step. */
  inPlace?: string;
}

/** When to write. */
export interface WriteFileOptions {
  /** Rejects with {@linkcode FileChangedError} when the file exists and differs from this. Default: never. */
  expected?: FileStamp | undefined;
}

/**
 * File access for the read tool. Implement it to point the tool at another
 * machine, or at a tree in memory.
 *
 * Paths are absolute and normalized. Failures reject with the `Deno.errors`
 * class that fits (`NotFound`, `PermissionDenied`) or with a class of this
 * file, so that a tool can explain them without knowing who implements this.
 */
export interface ReadOperations {
  /** Opens a regular file; anything else rejects with {@linkcode NotRegularFileError}, at once. */
  openFile(path: string): Promise<OpenedFile>;
  /** Names in a folder, at most `limit`, in no order. */
  listNames(path: string, limit: number): Promise<string[]>;
}

/** File access for the write tool; paths and failures as in {@linkcode ReadOperations}. */
export interface WriteOperations {
  /** The path that a write would end up at: links followed, also dangling ones. It may name what does not exist. */
  realPath(path: string): Promise<string>;
  /** Makes a folder and those above it; content with one that exists. */
  mkdir(path: string): Promise<void>;
  /**
   * Replaces the whole file in one step, following links: a crash or a failure
   * leaves the old or the new bytes. Where only writing in place is possible
   * the outcome says so. The folder must exist.
   */
  writeFile(
    path: string,
    data: Uint8Array,
    options?: WriteFileOptions,
  ): Promise<WriteOutcome>;
}

/** File access for the edit tool; paths and failures as in {@linkcode ReadOperations}. */
export interface EditOperations
  extends ReadOperations, Pick<WriteOperations, "realPath" | "writeFile"> {}

/** File access for all three file tools. */
export interface FileOperations extends EditOperations, WriteOperations {}

/** The policy forbids a path; the message says why, for the model. */
export class PathRefusedError extends Deno.errors.NotCapable {
  override name = "PathRefusedError";
}

/** The path does not lead to a regular file. */
export class NotRegularFileError extends Error {
  override name = "NotRegularFileError";
  readonly kind: FileKind;

  constructor(kind: FileKind) {
    super(`Not a regular file but a ${kind}`);
    this.kind = kind;
  }
}

/** The file is not as the writer expects it. */
export class FileChangedError extends Error {
  override name = "FileChangedError";

  constructor() {
    super("The file was changed in the meantime");
  }
}

/** Whether a file looks as it did. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}
