/** A session that cannot be opened, for the user: `message` is one line. */
export class SessionError extends Error {
  override name = "SessionError";
}

/** Why something that was asked of the file system failed, in a few words. */
export function fileProblem(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "no such file";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  return error instanceof Error ? error.message : String(error);
}
