import { childEnvironment } from "../policy/environment.ts";
import {
  type BashOperations,
  ExecAbortedError,
  type ExecOptions,
  type ExecResult,
  ExecTimeoutError,
  type OutputFile,
} from "./bash_operations.ts";
import { ChildOutput } from "./child_output.ts";
import { within } from "./within.ts";

/** A shell of this machine. */
export interface LocalShell {
  /** Begins the names of its output files. */
  name: string;
  /**
   * The program and the arguments that run a command. Rejects with
   * `Deno.errors.NotSupported` where there is no such shell.
   */
  commandLine(
    command: string,
    environment: Record<string, string>,
  ): string[] | Promise<string[]>;
}

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

/** How long a killed shell and the scan for its children may take. */
const KILL_MS = 2000;

/** How long the consumer of a killed command may take with the rest of its output. */
const LAST_OUTPUT_MS = 200;

/** A timer asked for more would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** What a call may set for one command, and none may inherit. */
const OF_ONE_CALL = new Set([
  "TAU_CALL",
  "TAU_SESSION_ID",
  "TAU_SESSION_FILE",
  "TAU_PROVIDER",
  "TAU_MODEL",
  "TAU_REASONING_LEVEL",
]);

const onWindows = Deno.build.os === "windows";

/**
 * Operations that run each command in a shell of this machine, in a session of
 * its own without a terminal and with nothing to read on stdin.
 */
export function createLocalShellOperations(
  shell: LocalShell,
  options: LocalShellOptions = {},
): LocalShellOperations {
  const environment = options.environment ??
    childEnvironment(Deno.env.toObject());
  const inherited = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !OF_ONE_CALL.has(name)),
  );
  /** What background processes still write to. */
  const left = new Set<ChildOutput>();

  return {
    async exec(command, cwd, { onData, signal, timeoutMs, env }) {
      if (signal?.aborted) throw new ExecAbortedError();
      const marker = crypto.randomUUID();
      const child = await spawn(shell, command, {
        cwd,
        env: { ...inherited, ...env, TAU_CALL: marker },
      });
      const output = new ChildOutput([child.stdout, child.stderr], onData);
      const stop = stopOf({ signal, timeoutMs });
      try {
        const interrupted = Promise.race([stop.promise, output.failure]);
        const status = await Promise.race([child.status, interrupted]);
        await Promise.race([output.drain(), interrupted]);
        return toResult(status);
      } catch (error) {
        const fault = await killAll(child, () => options.killTree?.(marker));
        await within(LAST_OUTPUT_MS, output.drain());
        await output.cancel();
        if (error instanceof Error && fault) error.cause ??= fault;
        throw error;
      } finally {
        stop.release();
        output.discard();
        // Nothing that goes on in the background keeps this process alive.
        child.unref();
        left.add(output);
        output.ended.then(() => left.delete(output));
      }
    },
    createOutputFile: (folder) => createOutputFile(folder, shell.name),
    async close() {
      await Promise.all([...left].map((output) => output.cancel()));
    },
  };
}

async function spawn(
  shell: LocalShell,
  command: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<Deno.ChildProcess> {
  const [program, ...args] = await shell.commandLine(command, env);
  try {
    return new Deno.Command(program as string, {
      args,
      cwd,
      env,
      clearEnv: true,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    // It is the folder that is missing, or the shell.
    if (!(await Deno.stat(cwd)).isDirectory) {
      throw new Deno.errors.NotADirectory(cwd);
    }
    throw new Deno.errors.NotSupported(`No shell found: ${program}`, {
      cause: error,
    });
  }
}

/** A promise that rejects when the command must end before its time. */
function stopOf(
  { signal, timeoutMs }: Pick<ExecOptions, "signal" | "timeoutMs">,
): { promise: Promise<never>; release(): void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const abort = () => reject(new ExecAbortedError());
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  const timer = timeoutMs === undefined || timeoutMs > MAX_TIMER_MS
    ? undefined
    : setTimeout(() => reject(new ExecTimeoutError()), timeoutMs);
  return {
    promise,
    release() {
      signal?.removeEventListener("abort", abort);
      clearTimeout(timer);
    },
  };
}

function toResult(status: Deno.CommandStatus): ExecResult {
  const { code: exitCode, signal } = status;
  return signal === null ? { exitCode } : { exitCode, signal };
}

/** Kills a shell with all that it started; returns what went wrong. */
async function killAll(
  child: Deno.ChildProcess,
  killTree: () => Promise<unknown> | undefined,
): Promise<unknown> {
  let fault: unknown;
  const killed = Promise.all([killGroup(child.pid), killTree(), child.status]);
  await within(KILL_MS, killed.catch((error) => fault = error));
  return fault;
}

async function killGroup(pid: number): Promise<void> {
  try {
    if (onWindows) {
      const args = ["/F", "/T", "/PID", String(pid)];
      await new Deno.Command("taskkill", { args, stdin: "null" }).output();
    } else {
      Deno.kill(-pid, "SIGKILL");
    }
  } catch (error) {
    // The whole group has ended.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function createOutputFile(
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
    async write(bytes) {
      for (let at = 0; at < bytes.byteLength;) {
        at += await file.write(bytes.subarray(at));
      }
    },
    close: () => file.close(),
  };
}
