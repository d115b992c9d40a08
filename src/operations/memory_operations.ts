import {
  decideRead,
  decideWrite,
  type PathPolicy,
} from "../policy/path_policy.ts";
import {
  FileChangedError,
  type FileKind,
  type FileOperations,
  NotRegularFileError,
  PathRefusedError,
  sameStamp,
} from "./file_operations.ts";
import { baseName, normalizePath, parentPath } from "./lexical_path.ts";
import { type RealPath, resolveRealPath } from "./real_path.ts";

/** What stands at a path of a tree in memory; a text or bytes are a file. */
export type MemoryEntry =
  | string
  | Uint8Array
  | { link: string }
  | { kind: Exclude<FileKind, "file"> };

/** How operations in memory are made. */
export interface MemoryOperationsOptions {
  /** What they may touch; without one, everything. */
  policy?: PathPolicy;
}

/** File operations on a tree in memory, and a way to look at it. */
export interface MemoryOperations extends FileOperations {
  /** Every file by its path, as text. */
  files(): Record<string, string>;
  /** Sets or, with undefined, removes what stands at a path, as another program would. */
  change(path: string, entry: MemoryEntry | undefined): void;
}

type Node =
  | { kind: "file"; bytes: Uint8Array; mtimeMs: number }
  | { kind: "link"; target: string }
  | { kind: Exclude<FileKind, "file"> };

/**
 * A tree of files in memory that keeps the rules of the local one: links are
 * followed, special files refused, the policy is asked about real paths. Keys
 * of `tree` are absolute paths; the folders above them are there of themselves.
 * Its clock ticks once at each change.
 */
export function createMemoryOperations(
  tree: Record<string, MemoryEntry>,
  options: MemoryOperationsOptions = {},
): MemoryOperations {
  const { policy } = options;
  const nodes = new Map<string, Node>([["/", { kind: "directory" }]]);
  let clock = 0;

  function set(path: string, entry: MemoryEntry): void {
    addFolders(parentPath(path));
    nodes.set(path, nodeOf(entry, ++clock));
  }

  function addFolders(path: string): void {
    const node = nodes.get(path);
    if (node?.kind === "directory") return;
    if (node) throw new Deno.errors.NotADirectory(`${path} is a ${node.kind}`);
    addFolders(parentPath(path));
    nodes.set(path, { kind: "directory" });
  }

  /** One node, its folder's links not followed: as lstat. */
  function find(path: string): Node {
    const parent = path === "/" ? undefined : nodes.get(parentPath(path));
    if (parent && parent.kind !== "directory" && parent.kind !== "link") {
      throw new Deno.errors.NotADirectory(
        `Not a directory: ${parentPath(path)}`,
      );
    }
    const node = nodes.get(path);
    if (!node) throw new Deno.errors.NotFound(`No such file: ${path}`);
    return node;
  }

  /** As the system's own: every part must exist. */
  function realPath(path: string, links = 0): string {
    if (links > 40) {
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
      const node = find(next);
      real = node.kind !== "link" ? next : realPath(
        node.target.startsWith("/") ? node.target : `${real}/${node.target}`,
        links + 1,
      );
    }
    return real;
  }

  function resolve(path: string): Promise<RealPath> {
    return resolveRealPath(path, {
      realPath: async (path) => await realPath(String(path)),
      readLink: async (path) => {
        const node = await find(String(path));
        if (node.kind === "link") return node.target;
        throw Object.assign(new Error("Not a link"), { code: "EINVAL" });
      },
    });
  }

  async function allowed(
    path: string,
    decide: typeof decideRead,
  ): Promise<string> {
    const real = await resolve(path);
    const reason = policy && decide(policy, real.path);
    if (reason !== undefined) throw new PathRefusedError(reason);
    return real.path;
  }

  function fileAt(path: string): Extract<Node, { kind: "file" }> {
    const node = find(path);
    if (node.kind === "file") return node;
    throw new NotRegularFileError(
      node.kind === "link" ? "special file" : node.kind,
    );
  }

  for (const [path, entry] of Object.entries(tree)) {
    set(normalizePath(path), entry);
  }

  return {
    async openFile(path) {
      const real = await allowed(path, decideRead);
      const { bytes, mtimeMs } = fileAt(real);
      let offset = 0;
      return {
        realPath: real,
        stamp: { size: bytes.byteLength, mtimeMs },
        read(buffer) {
          const part = bytes.subarray(offset, offset + buffer.byteLength);
          buffer.set(part);
          offset += part.byteLength;
          return Promise.resolve(part.byteLength > 0 ? part.byteLength : null);
        },
        close() {},
      };
    },

    async listNames(path, limit) {
      const real = await allowed(path, decideRead);
      if (find(real).kind !== "directory") {
        throw new Deno.errors.NotADirectory(`Not a directory: ${real}`);
      }
      return [...nodes.keys()]
        .filter((key) => key !== "/" && parentPath(key) === real)
        .slice(0, limit)
        .map(baseName);
    },

    async realPath(path) {
      return (await resolve(path)).path;
    },

    async mkdir(path) {
      const real = await resolve(path);
      if (!real.exists) await allowed(path, decideWrite);
      addFolders(real.path);
    },

    async writeFile(path, data, { expected } = {}) {
      const real = await allowed(path, decideWrite);
      if (nodes.has(real)) {
        const { bytes, mtimeMs } = fileAt(real);
        const stamp = { size: bytes.byteLength, mtimeMs };
        if (expected && !sameStamp(stamp, expected)) {
          throw new FileChangedError();
        }
      } else if (find(parentPath(real)).kind !== "directory") {
        throw new Deno.errors.NotADirectory(
          `Not a directory: ${parentPath(real)}`,
        );
      }
      nodes.set(real, { kind: "file", bytes: data.slice(), mtimeMs: ++clock });
      return {
        realPath: real,
        stamp: { size: data.byteLength, mtimeMs: clock },
      };
    },

    files() {
      const decoder = new TextDecoder();
      return Object.fromEntries(
        [...nodes].flatMap(([path, node]) =>
          node.kind === "file" ? [[path, decoder.decode(node.bytes)]] : []
        ),
      );
    },

    change(path, entry) {
      if (entry === undefined) nodes.delete(normalizePath(path));
      else set(normalizePath(path), entry);
    },
  };
}

function nodeOf(entry: MemoryEntry, mtimeMs: number): Node {
  if (typeof entry === "string") {
    return { kind: "file", bytes: new TextEncoder().encode(entry), mtimeMs };
  }
  if (entry instanceof Uint8Array) {
    return { kind: "file", bytes: entry, mtimeMs };
  }
  return "link" in entry
    ? { kind: "link", target: entry.link }
    : { kind: entry.kind };
}
