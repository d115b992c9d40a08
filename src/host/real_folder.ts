import { UsageError } from "../settings/usage_error.ts";

/** The real path of a folder to work in. Throws {@linkcode UsageError} for anything else. */
export function realFolder(path: string): string {
  let why = "not a folder";
  try {
    const real = Deno.realPathSync(path);
    // Through its own entry, which only who may enter it can look at.
    if (Deno.statSync(`${real}/.`).isDirectory) return real;
  } catch (error) {
    why = error instanceof Deno.errors.NotFound
      ? "no such folder"
      : error instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : error instanceof Deno.errors.NotADirectory
      ? "not a folder"
      : error instanceof Error
      ? error.message
      : String(error);
  }
  throw new UsageError(`Cannot work in "${path}": ${why}`);
}
