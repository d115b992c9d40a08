import type { PathPolicy } from "../policy/path_policy.ts";
import type { FileKind, FileOperations } from "./file_operations.ts";
import type { FileSystemCalls } from "./guarded_paths.ts";
import { baseName, normalizePath, parentPath } from "./lexical_path.ts";
import { createLocalFileOperations } from "./local_file_operations.ts";

/** An entry of a tree in memory; a text or bytes are a file. */
export type MemoryEntry =
  | string
  | Uint8Array
  | { link: string }
  | { kind: Exclude<FileKind, "file"> };

/** File operations on a tree in memory, and a way to look at it. */
export interface MemoryOperations extends FileOperations {
  /** Every file by its path, as text. */
  files(): Record<string, string>;
  /** Sets or, with undefined, removes what stands at a path, as another program would. */
  change(path: string, entry: MemoryEntry | undefined): void;
}

/** An entry as a file system has it. */
interface Node {
  kind: FileKind | "link";
  /** Bytes of a file. */
  bytes: Uint8Array;
  /** Target of a link. */
  target: string;
  ino: number;
  mtimeMs: number;
}

const MAX_LINKS = 40;

/**
 * File operations on a tree in memory: the local ones, over calls that keep the
 * rules of a file system. Keys of `tree` are absolute paths; the folders above
 * them need no entry. The clock of the tree ticks once at each change. Without
 * a policy everything is allowed.
 */
export function createMemoryOperations(
  tree: Record<string, MemoryEntry>,
  { policy }: { policy?: PathPolicy } = {},
): MemoryOperations {
  const nodes = new Map<string, Node>();
  let clock = 0;

  function add(path: string, kind: Node["kind"], target = ""): Node {
    const bytes = new Uint8Array();
    clock++;
    const node = { kind, bytes, target, ino: clock, mtimeMs: clock };
    nodes.set(path, node);
    return node;
  }

  function addFolders(path: string): void {
    const node = nodes.get(path);
    if (node?.kind === "directory") return;
    if (node) throw new Deno.errors.NotADirectory(`${path} is a ${node.kind}`);
    if (path !== "/") addFolders(parentPath(path));
    add(path, "directory");
  }

  function change(path: string, entry: MemoryEntry | undefined): void {
    const at = normalizePath(path);
    if (entry === undefined) return void nodes.delete(at);
    addFolders(parentPath(at));
    if (typeof entry === "string") {
      add(at, "file").bytes = new TextEncoder().encode(entry);
    } else if (entry instanceof Uint8Array) add(at, "file").bytes = entry;
    else if ("link" in entry) add(at, "link", entry.link);
    else add(at, entry.kind);
  }

  /** The entry at a path; a link at its end is not followed. */
  function find(path: string): Node {
    const parent = nodes.get(parentPath(path));
    if (parent && parent.kind !== "directory" && parent.kind !== "link") {
      throw new Deno.errors.NotADirectory(`Not a directory: ${path}`);
    }
    const node = nodes.get(path);
    if (!node) throw new Deno.errors.NotFound(`No such file: ${path}`);
    return node;
  }

  function realPath(path: string, links = 0): string {
    if (links > MAX_LINKS) {
      throw new Deno.errors.FilesystemLoop("Too many symbolic links");
    }
    let real = "/";
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue;
      if (part === "..") {
        real = parentPath(real);
        continue;
      }
      const next = real === "/" ? `/${part}` : `${real}/${part}`;
      const { kind, target } = find(next);
      real = kind !== "link" ? next : realPath(
        target.startsWith("/") ? target : `${real}/${target}`,
        links + 1,
      );
    }
    return real;
  }

  /** An opened file. */
  function opened(node: Node): Deno.FsFile {
    let at = 0;
    const file: Partial<Deno.FsFile> = {
      stat: async () => await statOf(node),
      read(buffer) {
        const part = node.bytes.subarray(at, at + buffer.byteLength);
        buffer.set(part);
        at += part.byteLength;
        return Promise.resolve(part.byteLength > 0 ? part.byteLength : null);
      },
      write(data) {
        const end = at + data.byteLength;
        const bytes = new Uint8Array(Math.max(end, node.bytes.byteLength));
        bytes.set(node.bytes);
        bytes.set(data, at);
        node.bytes = bytes;
        node.mtimeMs = ++clock;
        at = end;
        return Promise.resolve(data.byteLength);
      },
      sync: () => Promise.resolve(),
      close() {},
    };
    return file as Deno.FsFile;
  }

  const calls: FileSystemCalls = {
    chmod: () => Promise.resolve(),
    chown: () => Promise.resolve(),
    lstat: async (path) => await statOf(find(String(path))),
    mkdir: async (path) => await addFolders(String(path)),
    async open(path, { createNew } = {}) {
      if (!createNew) return await opened(find(String(path)));
      find(parentPath(String(path)));
      return opened(add(String(path), "file"));
    },
    async *readDir(path) {
      const folder = String(path);
      if (find(folder).kind !== "directory") {
        throw new Deno.errors.NotADirectory(`Not a directory: ${folder}`);
      }
      for (const [key, node] of nodes) {
        if (key === "/" || parentPath(key) !== folder) continue;
        yield await { name: baseName(key), ...kindFlags(node) };
      }
    },
    async readLink(path) {
      const { kind, target } = await find(String(path));
      if (kind === "link") return target;
      throw Object.assign(new Error("Not a link"), { code: "EINVAL" });
    },
    realPath: async (path) => await realPath(String(path)),
    remove: async (path) => void await nodes.delete(String(path)),
    async rename(from, to) {
      const node = await find(String(from));
      nodes.delete(String(from));
      nodes.set(String(to), node);
    },
    stat: async (path) => await statOf(find(realPath(String(path)))),
  };

  addFolders("/");
  for (const [path, entry] of Object.entries(tree)) change(path, entry);

  return {
    ...createLocalFileOperations({ policy, calls }),
    files() {
      const files = [...nodes].filter(([, { kind }]) => kind === "file");
      return Object.fromEntries(
        files.map((
          [path, { bytes }],
        ) => [path, new TextDecoder().decode(bytes)]),
      );
    },
    change,
  };
}

function kindFlags(
  { kind }: Node,
): Pick<Deno.DirEntry, "isFile" | "isDirectory" | "isSymlink"> {
  return {
    isFile: kind === "file",
    isDirectory: kind === "directory",
    isSymlink: kind === "link",
  };
}

function statOf(node: Node): Deno.FileInfo {
  const { kind, bytes, ino, mtimeMs } = node;
  const stat: Partial<Deno.FileInfo> = {
    ...kindFlags(node),
    isFifo: kind === "named pipe",
    isSocket: kind === "socket",
    isCharDevice: kind === "character device",
    isBlockDevice: kind === "block device",
    size: bytes.byteLength,
    mtime: new Date(mtimeMs),
    dev: 0,
    ino,
    nlink: 1,
    mode: null,
  };
  return stat as Deno.FileInfo;
}
