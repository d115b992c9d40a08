import { ChildOutput } from "./child_output.ts";
import { isAbsolutePath, joinPath, normalizePath } from "./lexical_path.ts";
import type {
  ProgramOperations,
  ProgramOptions,
  ProgramResult,
} from "./program_operations.ts";
import { within } from "./within.ts";

/** What programs of this machine run in. */
export interface LocalProgramOptions {
  /** Absolute and real; programs start in it or below. */
  cwd: string;
  /** All that programs inherit. */
  environment: Record<string, string>;
  /** Kills the processes whose environment holds `TAU_CALL=marker`, to find those that left the process group. */
  killTree(marker: string): Promise<unknown>;
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** What a program that was told to end gets to do so. */
const END_GRACE_MS = 5000;
/** How long the search for what it left behind may take. */
const KILL_MS = 2000;
/** A timer asked for more would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Runs programs of this machine, each in a session of its own and with nothing to read. */
export function createLocalProgramOperations(
  local: LocalProgramOptions,
): ProgramOperations {
  return {
    async run(command, args, options = {}) {
      options.signal?.throwIfAborted();
      const marker = crypto.randomUUID();
      const child = new Deno.Command(command, {
        args: [...args],
        cwd: await startFolder(options.cwd, local.cwd),
        env: { ...local.environment, TAU_CALL: marker },
        clearEnv: true,
        detached: true,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      return await new RunningProgram(
        child,
        options,
        () => local.killTree(marker),
      ).ended();
    },
  };
}

/** One program until it has ended. */
class RunningProgram {
  readonly #child: Deno.ChildProcess;
  readonly #options: ProgramOptions;
  readonly #killTree: () => Promise<unknown>;
  readonly #stdout: KeptOutput;
  readonly #stderr: KeptOutput;
  #isKilled = false;

  constructor(
    child: Deno.ChildProcess,
    options: ProgramOptions,
    killTree: () => Promise<unknown>,
  ) {
    this.#child = child;
    this.#options = options;
    this.#killTree = killTree;
    const { maxBytes = DEFAULT_MAX_BYTES } = options;
    this.#stdout = new KeptOutput(child.stdout, maxBytes);
    this.#stderr = new KeptOutput(child.stderr, maxBytes);
  }

  async ended(): Promise<ProgramResult> {
    const { signal, timeoutMs } = this.#options;
    const stop = Promise.withResolvers<void>();
    const onAbort = () => stop.resolve();
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    const timer = timeoutMs === undefined || timeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(onAbort, timeoutMs);
    try {
      const status = this.#child.status;
      const first = await Promise.race([
        status,
        stop.promise.then(() => undefined),
      ]);
      if (first === undefined) await this.#kill();
      const { code } = first ?? await status;
      await Promise.all([this.#stdout.drain(), this.#stderr.drain()]);
      return {
        stdout: this.#stdout.text(),
        stderr: this.#stderr.text(),
        code,
        killed: this.#isKilled,
        truncated: this.#stdout.isCut || this.#stderr.isCut,
      };
    } finally {
      signal?.removeEventListener("abort", onAbort);
      clearTimeout(timer);
      this.#child.unref();
    }
  }

  /** Tells the program to end, and ends it with all that it started when it does not. */
  async #kill(): Promise<void> {
    this.#isKilled = true;
    this.#signal("SIGTERM");
    await within(END_GRACE_MS, this.#child.status);
    // For whatever of its group is left, too.
    this.#signal("SIGKILL");
    await within(KILL_MS, Promise.resolve(this.#killTree()).catch(() => {}));
  }

  #signal(signal: Deno.Signal): void {
    try {
      if (Deno.build.os === "windows") this.#child.kill(signal);
      else Deno.kill(-this.#child.pid, signal);
    } catch (error) {
      // It has ended.
      const isOver = error instanceof Deno.errors.NotFound ||
        error instanceof TypeError;
      if (!isOver) throw error;
    }
  }
}

/** The beginning of one stream of output. */
class KeptOutput {
  readonly #output: ChildOutput;
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  /** Whether something was thrown away. */
  isCut = false;

  constructor(
    stream: ReadableStream<Uint8Array<ArrayBuffer>>,
    maxBytes: number,
  ) {
    this.#output = new ChildOutput([stream], (chunk) => {
      const kept = chunk.subarray(0, maxBytes - this.#bytes);
      if (kept.length < chunk.length) this.isCut = true;
      this.#chunks.push(kept);
      this.#bytes += kept.length;
    });
  }

  async drain(): Promise<void> {
    await this.#output.drain();
    await this.#output.cancel();
  }

  text(): string {
    const decoder = new TextDecoder();
    const texts = this.#chunks.map((chunk) =>
      decoder.decode(chunk, { stream: true })
    );
    return texts.join("") + decoder.decode();
  }
}

/** The real folder that a program starts in. Rejects for one outside the working folder. */
async function startFolder(
  wanted: string | undefined,
  cwd: string,
): Promise<string> {
  if (wanted === undefined) return cwd;
  const path = normalizePath(
    isAbsolutePath(wanted) ? wanted : joinPath(cwd, wanted),
  );
  const real = await Deno.realPath(path);
  if (real === cwd || real.startsWith(cwd === "/" ? cwd : `${cwd}/`)) {
    return real;
  }
  throw new Deno.errors.PermissionDenied(
    `Cannot run a program in ${
      JSON.stringify(wanted)
    }: it is outside the working folder`,
  );
}
