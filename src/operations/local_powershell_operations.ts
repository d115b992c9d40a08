import {
  createLocalShellOperations,
  type LocalShellOperations,
  type LocalShellOptions,
} from "./local_shell_operations.ts";

const onWindows = Deno.build.os === "windows";

/** The newer one first, which runs on every system. */
const PROGRAMS = ["pwsh", "powershell"];

/** What prints where the first of several programs is. */
const LOOK_UP = onWindows ? ["where"] : [
  "/bin/sh",
  "-c",
  'for name; do command -v "$name" && exit; done; true',
  "sh",
];

const FLAGS = [
  "-NoLogo",
  "-NoProfile",
  "-NonInteractive",
  // Only Windows keeps scripts from running.
  ...(onWindows ? ["-ExecutionPolicy", "Bypass"] : []),
  "-Command",
];

// What is printed has the encoding of the console, which on Windows is an old
// one. It also keeps a command of `-` from being read as "from stdin".
const USE_UTF8 =
  "[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)\n" +
  "$OutputEncoding = [Console]::OutputEncoding\n";

// Both streams then share one pipe, which alone keeps their order.
const JOIN_STREAMS = 'exec "$@" 2>&1';

/** Operations that run each command in PowerShell: pwsh, else powershell, on any system that has one. */
export function createLocalPowerShellOperations(
  options: LocalShellOptions = {},
): LocalShellOperations {
  return createLocalShellOperations({
    name: "powershell",
    async commandLine(command, environment) {
      const program = await findPowerShell(environment);
      const call = [program, ...FLAGS, USE_UTF8 + command];
      return onWindows ? call : ["/bin/sh", "-c", JOIN_STREAMS, "sh", ...call];
    },
  }, options);
}

/** Asks a child: this process may have no right to look into the folders of `PATH`. */
async function findPowerShell(
  environment: Record<string, string>,
): Promise<string> {
  const [program = "", ...args] = [...LOOK_UP, ...PROGRAMS];
  const { stdout } = await new Deno.Command(program, {
    args,
    env: environment,
    clearEnv: true,
    stdin: "null",
    stderr: "null",
  }).output();
  const [found] = new TextDecoder().decode(stdout).split(/\r?\n/);
  if (found) return found;
  throw new Deno.errors.NotSupported(
    `No PowerShell found: ${PROGRAMS.join(", ")}`,
  );
}
