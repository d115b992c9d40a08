import {
  FileChangedError,
  NotRegularFileError,
  PathRefusedError,
  type ReadOperations,
} from "../operations/file_operations.ts";
import { baseName, parentPath } from "../operations/lexical_path.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { LsOperations } from "../operations/search_operations.ts";
import { resolvePath, type ResolvePathOptions } from "./resolve_path.ts";

const MAX_NAMES = 2000;

/** A call that failed, and where to look for a better name. */
export interface FailedFileCall {
  action: "edit" | "read" | "write";
  /** As the model gave it. */
  path: string;
  /** The same, resolved. */
  absolutePath: string;
  /** Lists the folder of a missing file; without it no name is proposed. */
  operations?:
    | Pick<ReadOperations, "listNames">
    | Pick<LsOperations, "readDirectory">;
}

/** Resolves the path of a call and does its work; what fails is worded by {@linkcode explainFileError}. */
export async function fileCall<Result>(
  { path, cwd, homeDir, ...call }:
    & Omit<FailedFileCall, "absolutePath">
    & ResolvePathOptions,
  work: (absolutePath: string) => Promise<Result>,
): Promise<Result> {
  const absolutePath = resolvePath(path, { cwd, homeDir });
  try {
    return await work(absolutePath);
  } catch (error) {
    throw await explainFileError(error, { ...call, path, absolutePath });
  }
}

/**
 * Turns a failed file operation into a `ToolError` that says what would work.
 * Gives back unchanged what it does not know. Throw the result.
 */
export async function explainFileError(
  error: unknown,
  call: FailedFileCall,
): Promise<unknown> {
  const reason = error instanceof Deno.errors.NotFound
    ? await explainMissing(call) + aboutMention(call.path)
    : reasonOf(error);
  if (reason === undefined) return error;
  return new ToolError(
    `Cannot ${call.action} ${JSON.stringify(call.path)}: ${reason}`,
    { cause: error },
  );
}

async function explainMissing(call: FailedFileCall): Promise<string> {
  if (!call.operations) return "no such file or folder";
  const folderPath = parentPath(call.absolutePath);
  let names: string[];
  try {
    names = "listNames" in call.operations
      ? await call.operations.listNames(folderPath, MAX_NAMES)
      : (await call.operations.readDirectory(folderPath))
        .slice(0, MAX_NAMES).map(({ name }) => name);
  } catch (error) {
    return error instanceof Deno.errors.NotFound
      ? "no such file; its folder does not exist either"
      : "no such file";
  }
  const name = nearestName(baseName(call.absolutePath), names);
  if (name === undefined) return "no such file";
  const folder = call.path.slice(0, call.path.lastIndexOf("/") + 1);
  return `no such file; did you mean ${JSON.stringify(folder + name)}`;
}

function aboutMention(path: string): string {
  return path.startsWith("@")
    ? "; the @ was left out, write ./@ for a name that begins with it"
    : "";
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof PathRefusedError) return error.message;
  if (error instanceof FileChangedError) {
    return "it changed since it was last read or written here; read it again, then repeat the change";
  }
  if (error instanceof NotRegularFileError) {
    return error.kind === "directory"
      ? "it is a directory; use ls to list it"
      : `it is a ${error.kind}, not a regular file`;
  }
  if (error instanceof Deno.errors.NotCapable) {
    return "outside what this run may touch";
  }
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotADirectory) {
    return "a part of the path is a file, not a folder";
  }
  if (error instanceof Deno.errors.IsADirectory) {
    return "it is a directory; use ls to list it";
  }
  if (error instanceof Deno.errors.TimedOut) {
    return "it has nothing to read now, and waiting for it takes too long";
  }
  if (error instanceof Deno.errors.FilesystemLoop) {
    return "too many symbolic links";
  }
  return reasonOfCode(error);
}

/** Faults of the system for which Deno has no class. */
function reasonOfCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  switch (error.code) {
    case "EACCES":
      return "permission denied";
    case "ENAMETOOLONG":
      return "the name is too long";
    case "ENOSPC":
    case "EDQUOT":
      return "no space left on the device";
    case "EROFS":
      return "the file system is read-only";
    case "ETXTBSY":
      return "it is a program that is running";
    default:
      return typeof error.code === "string" && /^E[A-Z0-9]+$/.test(error.code)
        ? `the system refused it (${error.code})`
        : undefined;
  }
}

const MAX_NAME_LENGTH = 100;

/**
 * The name of a list that is most like a wanted one, by edits of single
 * characters without regard to case; undefined when none is near. Among equals
 * the first in code-unit order.
 */
function nearestName(
  wanted: string,
  names: Iterable<string>,
): string | undefined {
  if (wanted.length > MAX_NAME_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const lower = wanted.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > limit || name === wanted) {
      continue;
    }
    const distance = editDistance(lower, name.toLowerCase());
    if (distance > limit) continue;
    if (
      !best || distance < best.distance ||
      distance === best.distance && name < best.name
    ) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** Levenshtein's: insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      ));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
