import {
  FileChangedError,
  NotRegularFileError,
  PathRefusedError,
  type ReadOperations,
} from "../operations/file_operations.ts";
import { baseName, parentPath } from "../operations/lexical_path.ts";
import { ToolError } from "../agent/tool_error.ts";
import { nearestName } from "./nearest_name.ts";

const MAX_NAMES = 2000;

/** What failed, and where to look for a better name. */
export interface FailedFileCall {
  action: "edit" | "read" | "write";
  /** As the model gave it. */
  path: string;
  /** The same, resolved. */
  absolutePath: string;
  /** Lists the folder of a missing file; without it no name is proposed. */
  operations?: Pick<ReadOperations, "listNames">;
}

/**
 * Words a failure of file operations for the model, with what would work.
 * What it does not know, it gives back unchanged. Throw the result.
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
  let names: string[];
  try {
    names = await call.operations.listNames(
      parentPath(call.absolutePath),
      MAX_NAMES,
    );
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
