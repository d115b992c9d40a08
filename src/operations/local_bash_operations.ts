import {
  createLocalShellOperations,
  type LocalShellOperations,
  type LocalShellOptions,
} from "./local_shell_operations.ts";

/** Settings of {@linkcode createLocalBashOperations}. */
export interface LocalBashOptions extends LocalShellOptions {
  /** Default: `/bin/bash`, else bash on `PATH`, else sh. */
  shellPath?: string | undefined;
}

// sh starts the shell: both streams then share one pipe, which alone keeps
// their order, and to look for a shell takes no right to read `/bin`. `--` keeps
// a command that begins with a dash from being an option.
const START_SHELL = `exec 2>&1
if [ -n "$2" ]; then exec "$2" -c -- "$1"; fi
for shell in /bin/bash bash; do
  if command -v "$shell" >/dev/null; then exec "$shell" -c -- "$1"; fi
done
exec sh -c -- "$1"`;

/** Operations that run each command in bash. */
export function createLocalBashOperations(
  { shellPath, ...options }: LocalBashOptions = {},
): LocalShellOperations {
  return createLocalShellOperations({
    name: "bash",
    commandLine: (command) =>
      Deno.build.os === "windows"
        ? [shellPath ?? "bash", "-c", "--", command]
        : ["/bin/sh", "-c", START_SHELL, "sh", command, shellPath ?? ""],
  }, options);
}
