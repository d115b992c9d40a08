import {
  FileChangedError,
  NotRegularFileError,
  PathRefusedError,
  type ReadOperations,
} from "../operations/file_operations.ts";
import { baseName, parentPath } from "../operations/lexical_path.ts";
import { ToolError } from "../agent/tool_error.ts";
import { nearestKey } from "../model/nearest_key.ts";
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
  const mention = call.path.startsWith("@")
    ? "; the @ was left out, write ./@ for a name that begins with it"
    : "";
  const reason = error instanceof Deno.errors.NotFound
    ? await explainMissing(call) + mention
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
  const wanted = baseName(call.absolutePath);
  const name = nearestKey(
    wanted,
    names.filter((name) => name !== wanted).sort(),
  );
  if (name === undefined) return "no such file";
  const folder = call.path.slice(0, call.path.lastIndexOf("/") + 1);
  return `no such file; did you mean ${JSON.stringify(folder + name)}`;
}

const IS_A_DIRECTORY = "it is a directory; use ls to list it";

/** Reasons by the class of the error. */
const REASONS = [
  [Deno.errors.NotCapable, "outside what this run may touch"],
  [Deno.errors.PermissionDenied, "permission denied"],
  [Deno.errors.NotADirectory, "a part of the path is a file, not a folder"],
  [Deno.errors.IsADirectory, IS_A_DIRECTORY],
  [
    Deno.errors.TimedOut,
    "it has nothing to read now, and waiting for it takes too long",
  ],
  [Deno.errors.FilesystemLoop, "too many symbolic links"],
  [
    FileChangedError,
    "it changed since it was last read or written here; read it again, then repeat the change",
  ],
] as const;

/** Faults of the system for which Deno has no class. */
const REASONS_OF_CODES: Partial<Record<string, string>> = {
  EACCES: "permission denied",
  ENAMETOOLONG: "the name is too long",
  ENOSPC: "no space left on the device",
  EDQUOT: "no space left on the device",
  EROFS: "the file system is read-only",
  ETXTBSY: "it is a program that is running",
};

function reasonOf(error: unknown): string | undefined {
  if (error instanceof PathRefusedError) return error.message;
  if (error instanceof NotRegularFileError) {
    return error.kind === "directory"
      ? IS_A_DIRECTORY
      : `it is a ${error.kind}, not a regular file`;
  }
  const known = REASONS.find(([kind]) => error instanceof kind);
  if (known) return known[1];
  if (!(error instanceof Error && "code" in error)) return undefined;
  const code = String(error.code);
  return REASONS_OF_CODES[code] ??
    (/^E[A-Z0-9]+$/.test(code) ? `the system refused it (${code})` : undefined);
}
