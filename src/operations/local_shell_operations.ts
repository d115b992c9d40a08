import { childEnvironment } from "../policy/environment.ts";
import {
  type BashOperations,
  ExecAbortedError,
  type OutputFile,
} from "./bash_operations.ts";
import type { ChildOutput } from "./child_output.ts";
import { writeAll } from "./replace_file.ts";
import { runChild } from "./run_child.ts";

/** Settings of operations that run commands on this machine. */
export interface LocalShellOptions {
  /** All that commands inherit, but for the variables of one session or call. Default: this process's own through the allow list. */
  environment?: Record<string, string> | undefined;
  /** Kills the processes whose environment holds `TAU_CALL=marker`, to find those that left the process group. Default: none. */
  killTree?: ((marker: string) => Promise<unknown>) | undefined;
}

/** Runs commands on this machine. */
export interface LocalShellOperations extends BashOperations {
  createOutputFile(folder: string): Promise<OutputFile>;
  /** Stops reading from background processes that outlived their command; SIGPIPE ends them when they print. */
  close(): Promise<void>;
}

const onWindows = Deno.build.os === "windows";

/** Variables that are set for each call, and never inherited. */
const PER_CALL_VARIABLES = new Set([
  "TAU_CALL",
  "TAU_SESSION_ID",
  "TAU_SESSION_FILE",
  "TAU_PROVIDER",
  "TAU_MODEL",
  "TAU_REASONING_LEVEL",
]);

// sh starts the shell: both streams then share one pipe, which alone keeps
// their order, and to look for a shell takes no right to read `/bin`. `--` keeps
// a command that begins with a dash from being an option.
const START_BASH = `exec 2>&1
if [ -n "$2" ]; then exec "$2" -c -- "$1"; fi
for shell in /bin/bash bash; do
  if command -v "$shell" >/dev/null; then exec "$shell" -c -- "$1"; fi
done
exec sh -c -- "$1"`;

/** Operations that run each command in bash. */
export function createLocalBashOperations(
  { shellPath, ...options }: LocalShellOptions & {
    /** Default: `/bin/bash`, else bash on `PATH`, else sh. */
    shellPath?: string | undefined;
  } = {},
): LocalShellOperations {
  return createLocalShellOperations(
    "bash",
    options,
    (command) =>
      onWindows
        ? [shellPath ?? "bash", "-c", "--", command]
        : ["/bin/sh", "-c", START_BASH, "sh", command, shellPath ?? ""],
  );
}

/** The newer one first, which runs on every system. */
const POWERSHELLS = ["pwsh", "powershell"];

/** Prints where the first of several programs is. */
const LOOK_UP = onWindows ? ["where"] : [
  "/bin/sh",
  "-c",
  'for name; do command -v "$name" && exit; done; true',
  "sh",
];

const POWERSHELL_FLAGS = [
  "-NoLogo",
  "-NoProfile",
  "-NonInteractive",
  // Only Windows keeps scripts from running.
  ...(onWindows ? ["-ExecutionPolicy", "Bypass"] : []),
  "-Command",
];

// Output has the encoding of the console, which on Windows is an old one. The
// lines also keep a command of `-` from being read as "from stdin".
const USE_UTF8 =
  "[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)\n" +
  "$OutputEncoding = [Console]::OutputEncoding\n";

// Both streams then share one pipe, which alone keeps their order.
const JOIN_STREAMS = 'exec "$@" 2>&1';

/** Operations that run each command in PowerShell: pwsh, else powershell, on any system that has one. */
export function createLocalPowerShellOperations(
  options: LocalShellOptions = {},
): LocalShellOperations {
  return createLocalShellOperations(
    "powershell",
    options,
    async (command, environment) => {
      const program = await findPowerShell(environment);
      const call = [program, ...POWERSHELL_FLAGS, USE_UTF8 + command];
      return onWindows ? call : ["/bin/sh", "-c", JOIN_STREAMS, "sh", ...call];
    },
  );
}

/** Asks a child: this process may have no right to look into the folders of `PATH`. */
async function findPowerShell(
  environment: Record<string, string>,
): Promise<string> {
  const [program = "", ...args] = [...LOOK_UP, ...POWERSHELLS];
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
    `No PowerShell found: ${POWERSHELLS.join(", ")}`,
  );
}

/** Operations that run each command by the program and arguments that `commandLine` gives. */
function createLocalShellOperations(
  name: string,
  { environment = childEnvironment(Deno.env.toObject()), killTree }:
    LocalShellOptions,
  commandLine: (
    command: string,
    environment: Record<string, string>,
  ) => string[] | Promise<string[]>,
): LocalShellOperations {
  const inherited = Object.fromEntries(
    Object.entries(environment).filter(([name]) =>
      !PER_CALL_VARIABLES.has(name)
    ),
  );
  /** Outputs that background processes still write to. */
  const left = new Set<ChildOutput>();
  return {
    async exec(command, cwd, { onData, env, ...stop }) {
      if (stop.signal?.aborted) throw new ExecAbortedError();
      const all = { ...inherited, ...env };
      const argv = await commandLine(command, all);
      const { status, fault } = await runChild(argv, {
        ...stop,
        cwd,
        env: all,
        consumers: [onData],
        killTree,
        left,
      }).catch((error) => explainStart(error, { cwd, program: argv[0] }));
      if (fault !== undefined || !status) throw fault;
      const { code: exitCode, signal } = status;
      return signal === null ? { exitCode } : { exitCode, signal };
    },
    createOutputFile: (folder) => createOutputFile(folder, name),
    async close() {
      await Promise.all([...left].map((output) => output.cancel()));
    },
  };
}

/** Throws the error of a shell that did not start: it is missing, or the folder is. */
async function explainStart(
  error: unknown,
  { cwd, program }: { cwd: string; program: string | undefined },
): Promise<never> {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
  if (!(await Deno.stat(cwd)).isDirectory) {
    throw new Deno.errors.NotADirectory(cwd);
  }
  throw new Deno.errors.NotSupported(`No shell found: ${program}`, {
    cause: error,
  });
}

/** Makes the folder, and a private file in it that takes the full output of a command. */
export async function createOutputFile(
  folder: string,
  prefix: string,
): Promise<OutputFile> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const name = crypto.randomUUID().replaceAll("-", "").slice(0, 16);
  const path = `${folder}/${prefix}-${name}.log`;
  const options = { write: true, createNew: true, mode: 0o600 };
  const file = await Deno.open(path, options);
  return {
    path,
    write: (bytes) => writeAll(file, bytes),
    close: () => file.close(),
  };
}
