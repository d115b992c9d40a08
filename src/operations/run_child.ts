import {
  ExecAbortedError,
  type ExecOptions,
  ExecTimeoutError,
} from "./bash_operations.ts";
import { ChildOutput, within } from "./child_output.ts";

/** Takes a chunk of output; nothing more is read until it has resolved. */
type Consumer = (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>;

/** Settings for one child process. */
export interface ChildOptions
  extends Pick<ExecOptions, "signal" | "timeoutMs"> {
  /** Absolute. */
  cwd: string;
  /** All of its environment but the marker `TAU_CALL`. */
  env: Record<string, string>;
  /** Takes both streams, or two of them take stdout and stderr. */
  consumers: [Consumer] | [stdout: Consumer, stderr: Consumer];
  /** Time to end in for a child that was told to. Default: it is killed at once. */
  graceMs?: number;
  /** Kills the processes whose environment holds `TAU_CALL=marker`, to find those that left the process group. Default: none. */
  killTree?: ((marker: string) => Promise<unknown>) | undefined;
  /** Gets outputs to which background processes still write once the child has ended. Default: nobody reads those any more. */
  left?: Set<ChildOutput>;
}

/** The end of a child. */
export interface ChildEnd {
  /** Undefined where it could not be killed in time. */
  status: Deno.CommandStatus | undefined;
  /** The reason why it was killed: {@linkcode ExecAbortedError}, {@linkcode ExecTimeoutError}, or what a consumer threw. Its cause is what went wrong with the killing. */
  fault?: unknown;
}

/** Time for a killed child and the scan for its children. */
const KILL_MS = 2000;

/** Time for the consumer of a killed child to take the rest of its output. */
const LAST_OUTPUT_MS = 200;

/** A timer asked for more would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs a program in a session of its own, without a terminal and with nothing
 * to read. Throws where it cannot be started. Resolves soon after it has ended,
 * also when processes that it left in the background hold its output; once it
 * was stopped, after all of them are dead.
 */
export async function runChild(
  [program = "", ...args]: readonly string[],
  options: ChildOptions,
): Promise<ChildEnd> {
  const { cwd, env, consumers: [first, second], left } = options;
  const marker = crypto.randomUUID();
  const child = new Deno.Command(program, {
    args,
    cwd,
    env: { ...env, TAU_CALL: marker },
    clearEnv: true,
    detached: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const { stdout, stderr } = child;
  const outputs = second
    ? [new ChildOutput([stdout], first), new ChildOutput([stderr], second)]
    : [new ChildOutput([stdout, stderr], first)];
  const each = (act: (output: ChildOutput) => Promise<void>) =>
    Promise.all(outputs.map(act));
  const drained = () => each((output) => output.drain());
  const stop = stopOf(options);
  try {
    const stopped = Promise.race([
      stop.promise,
      ...outputs.map(({ failure }) => failure),
    ]);
    const status = await Promise.race([child.status, stopped]);
    await Promise.race([drained(), stopped]);
    if (!left) await each((output) => output.cancel());
    return { status };
  } catch (fault) {
    const { status, problem } = await end(child, options, marker);
    await within(LAST_OUTPUT_MS, drained());
    await each((output) => output.cancel());
    if (fault instanceof Error && problem) fault.cause ??= problem;
    return { status, fault };
  } finally {
    stop.release();
    // Nothing that goes on in the background keeps this process alive.
    child.unref();
    for (const output of outputs) {
      output.discard();
      left?.add(output);
      output.ended.then(() => left?.delete(output));
    }
  }
}

/** A promise that rejects when a child must end before its time. */
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

/** Ends a child with all that it started; tells how, and what went wrong. */
async function end(
  child: Deno.ChildProcess,
  { graceMs, killTree }: ChildOptions,
  marker: string,
): Promise<{ status: Deno.CommandStatus | undefined; problem: unknown }> {
  let status: Deno.CommandStatus | undefined;
  let problem: unknown;
  const ended = child.status.then((value) => status = value);
  const note = (error: unknown) => problem ??= error;
  if (graceMs !== undefined) {
    await signalGroup(child, "SIGTERM").catch(note);
    await within(graceMs, ended);
  }
  // Also for what is left of the group of a child that has ended.
  const killed = [signalGroup(child, "SIGKILL"), killTree?.(marker), ended];
  await within(
    KILL_MS,
    Promise.all(killed.map((one) => one?.catch(note))),
  );
  return { status, problem };
}

async function signalGroup(
  child: Deno.ChildProcess,
  signal: "SIGTERM" | "SIGKILL",
): Promise<void> {
  try {
    if (Deno.build.os !== "windows") Deno.kill(-child.pid, signal);
    else if (signal === "SIGTERM") child.kill(signal);
    else {
      const args = ["/F", "/T", "/PID", String(child.pid)];
      await new Deno.Command("taskkill", { args, stdin: "null" }).output();
    }
  } catch (error) {
    // The child has ended, and all of its group.
    const isOver = error instanceof Deno.errors.NotFound ||
      error instanceof TypeError;
    if (!isOver) throw error;
  }
}
