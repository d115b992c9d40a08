/** The user asked for something that cannot be: one line on stderr, exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}
