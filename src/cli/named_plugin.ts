import { UsageError } from "../settings/usage_error.ts";

/**
 * The real path of a plugin that was named: what it imports is looked for where
 * it lies. A name that is wrong is a mistake on the command line, not in a
 * plugin: throws a {@linkcode UsageError} that says what cannot be done.
 */
export function namedPlugin(path: string, action: "load" | "check"): string {
  try {
    return Deno.realPathSync(path);
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound
      ? "it does not exist"
      : cause instanceof Error
      ? cause.message
      : String(cause);
    throw new UsageError(
      `Cannot ${action} the plugin ${JSON.stringify(path)}: ${why}`,
      { cause },
    );
  }
}
