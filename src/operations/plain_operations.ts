import type {
  EditOperations,
  OpenedFile,
  ReadOperations,
  WriteOperations,
} from "./file_operations.ts";
import {
  createLocalSearchOperations,
  type GrepOperations,
} from "./search_operations.ts";

/** A value now, or a promise of it. */
type Soon<Value> = Value | Promise<Value>;

/**
 * File access for the read tool, as a remote or virtual file system gives it:
 * paths are absolute, and a call fails by what it throws. A call asks `access`,
 * then `detectImageMimeType` where it is there, then `readFile`.
 */
export interface PlainReadOperations {
  /** Returns the bytes of a file, or its text. */
  readFile(absolutePath: string): Soon<Uint8Array | string>;
  /** Throws where the file cannot be read; an error with the `code` `ENOENT` says that there is none. */
  access(absolutePath: string): Soon<void>;
  /** Returns the type of an image, and null for every other file. Default: the bytes tell. */
  detectImageMimeType?(absolutePath: string): Soon<string | null | undefined>;
  /** Returns names in a folder, at most `limit`: a name that is missing is answered with a near one. Default: none. */
  listNames?(absolutePath: string, limit: number): Soon<string[]>;
}

/** File access for the write tool; paths and failures as in {@linkcode PlainReadOperations}. */
export interface PlainWriteOperations {
  /** Writes a whole file. */
  writeFile(absolutePath: string, content: string): Soon<void>;
  /** Makes a folder and those above it. */
  mkdir(absolutePath: string): Soon<void>;
}

/** File access for the edit tool; paths and failures as in {@linkcode PlainReadOperations}. */
export interface PlainEditOperations
  extends
    Pick<PlainReadOperations, "readFile" | "access" | "listNames">,
    Pick<PlainWriteOperations, "writeFile"> {}

/** File access for the grep tool; paths and failures as in {@linkcode PlainReadOperations}. */
export interface PlainGrepOperations {
  /** Returns true for a folder; throws where there is nothing. */
  isDirectory(absolutePath: string): Soon<boolean>;
  /** Returns the text of a file. */
  readFile(absolutePath: string): Soon<string | Uint8Array>;
  /** Lists a folder. Default: this machine's, in which files elsewhere are not found. */
  readDirectory?: GrepOperations["readDirectory"];
}

/** Operations of the read tool over plain ones; others stay as they are. */
export function readOperations(
  given: ReadOperations | PlainReadOperations,
): ReadOperations {
  return "openFile" in given ? given : opening(given);
}

/** Operations of the write tool over plain ones; others stay as they are. */
export function writeOperations(
  given: WriteOperations | PlainWriteOperations,
): WriteOperations {
  return "realPath" in given ? given : {
    ...writing(given),
    mkdir: (path) => worded(() => given.mkdir(path)),
  };
}

/** Operations of the edit tool over plain ones; others stay as they are. */
export function editOperations(
  given: EditOperations | PlainEditOperations,
): EditOperations {
  return "realPath" in given ? given : { ...opening(given), ...writing(given) };
}

/** Operations of the grep tool over plain ones; others stay as they are. */
export function grepOperations(
  given: GrepOperations | PlainGrepOperations,
): GrepOperations {
  if ("kindAt" in given) return given;
  const local = createLocalSearchOperations();
  return {
    async kindAt(path) {
      const isFolder = await worded(() => given.isDirectory(path));
      return isFolder ? "directory" : "file";
    },
    readDirectory: given.readDirectory?.bind(given) ?? local.readDirectory,
    async readFile(path, maxBytes) {
      const bytes = bytesOf(await worded(() => given.readFile(path)));
      return bytes.length > maxBytes ? undefined : bytes;
    },
  };
}

function opening(given: PlainReadOperations): ReadOperations {
  return {
    async openFile(path): Promise<OpenedFile> {
      await worded(() => given.access(path));
      const imageType = await worded(() => given.detectImageMimeType?.(path));
      const bytes = bytesOf(await worded(() => given.readFile(path)));
      let at = 0;
      return {
        realPath: path,
        stamp: { size: bytes.length, mtimeMs: null },
        imageType,
        read(buffer) {
          const piece = bytes.subarray(at, at + buffer.length);
          buffer.set(piece);
          at += piece.length;
          return Promise.resolve(piece.length === 0 ? null : piece.length);
        },
        close() {},
      };
    },
    listNames: async (path, limit) =>
      await worded(() => given.listNames?.(path, limit)) ?? [],
  };
}

function writing(
  given: Pick<PlainWriteOperations, "writeFile">,
): Pick<EditOperations, "realPath" | "writeFile"> {
  return {
    realPath: (path) => Promise.resolve(path),
    async writeFile(path, data) {
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
      await worded(() => given.writeFile(path, text));
      return { realPath: path, stamp: { size: data.length, mtimeMs: null } };
    },
  };
}

/** Classes of the errors that file systems give a code. */
const ERRORS: Record<string, new (message: string) => Error> = {
  ENOENT: Deno.errors.NotFound,
  EACCES: Deno.errors.PermissionDenied,
  EISDIR: Deno.errors.IsADirectory,
  ENOTDIR: Deno.errors.NotADirectory,
};

/** Throws, for an error with a code, the one that the tools can explain. */
async function worded<Value>(work: () => Soon<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    const Known = ERRORS[String(code)];
    if (!Known || error instanceof Known) throw error;
    throw new Known((error as Error).message);
  }
}

function bytesOf(content: Uint8Array | string): Uint8Array<ArrayBuffer> {
  return typeof content === "string"
    ? new TextEncoder().encode(content)
    : new Uint8Array(content);
}
