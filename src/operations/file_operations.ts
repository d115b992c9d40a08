/** The kind of file at a path. */
export type FileKind =
  | "file"
  | "directory"
  | "named pipe"
  | "socket"
  | "character device"
  | "block device"
  | "special file";

/** The size and time of a file, by which a change of it is known. */
export interface FileStamp {
  /** Bytes of the file. */
  size: number;
  /** Milliseconds since 1970 of its last change; null where the file system does not tell. */
  mtimeMs: number | null;
}

/** A regular file that is open for reading. */
export interface OpenedFile {
  /** The path of the file with all links followed. */
  realPath: string;
  /** Size and time when the file was opened. */
  stamp: FileStamp;
  /** The type of image that it is known to be, or null where it is none. Default: its bytes tell. */
  imageType?: string | null | undefined;
  /** Reads the next bytes into the start of `buffer`. Returns how many; null at the end of the file. */
  read(buffer: Uint8Array): Promise<number | null>;
  /** Closes the file. */
  close(): void;
}

/** The outcome of a write. */
export interface WriteOutcome {
  /** The path of the file with all links followed. */
  realPath: string;
  /** Size and time of the file now. */
  stamp: FileStamp;
  /** The reason why the file was written in place, where a crash could have left half of it; absent after a replacement in one step. */
  inPlace?: string;
}

/** Options of a write. */
export interface WriteFileOptions {
  /** Writes only when the file is absent or still has this stamp; otherwise rejects with {@linkcode FileChangedError}. Default: always writes. */
  expected?: FileStamp | undefined;
}

/**
 * File access for the read tool. Implement it to point the tool at another
 * machine, or at a tree in memory.
 *
 * Paths are absolute and normalized. Failures reject with the `Deno.errors`
 * class that fits (`NotFound`, `PermissionDenied` and so on), so that a tool
 * can explain them without knowing who implements this.
 */
export interface ReadOperations {
  /** Opens a regular file. Rejects at once for anything else, with {@linkcode NotRegularFileError}. */
  openFile(path: string): Promise<OpenedFile>;
  /** Returns names in a folder, at most `limit`, in no order. */
  listNames(path: string, limit: number): Promise<string[]>;
}

/** File access for the write tool; paths and failures as in {@linkcode ReadOperations}. */
export interface WriteOperations {
  /** Returns the path that a write would end up at, with all links followed, also dangling ones. The file need not exist. */
  realPath(path: string): Promise<string>;
  /** Makes a folder and those above it. Does nothing where it exists. */
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

/** True when a file looks as it did. */
export function sameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}
