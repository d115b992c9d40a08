import { isInside } from "../policy/path_policy.ts";
import { joinPath } from "./lexical_path.ts";
import type { ProgramOperations } from "./program_operations.ts";
import { runChild } from "./run_child.ts";

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Time to end in for a program that was told to. */
const END_GRACE_MS = 5000;

/** Code of a program that SIGKILL ended. */
const KILLED = 137;

/** Runs programs of this machine, each in a session of its own and with nothing to read. */
export function createLocalProgramOperations(
  { cwd, environment: env, killTree }: {
    /** Absolute and real; programs start in it or below. */
    cwd: string;
    /** All that programs inherit. */
    environment: Record<string, string>;
    /** Kills the processes whose environment holds `TAU_CALL=marker`, to find those that left the process group. */
    killTree(marker: string): Promise<unknown>;
  },
): ProgramOperations {
  return {
    async run(command, args, options = {}) {
      const { maxBytes = DEFAULT_MAX_BYTES, signal, timeoutMs } = options;
      signal?.throwIfAborted();
      const stdout = new KeptOutput(maxBytes);
      const stderr = new KeptOutput(maxBytes);
      const { status, fault } = await runChild([command, ...args], {
        cwd: await startFolder(options.cwd, cwd),
        env,
        signal,
        timeoutMs,
        consumers: [stdout.add, stderr.add],
        graceMs: END_GRACE_MS,
        killTree,
      });
      return {
        stdout: stdout.text(),
        stderr: stderr.text(),
        code: status?.code ?? KILLED,
        killed: fault !== undefined,
        truncated: stdout.isCut || stderr.isCut,
      };
    },
  };
}

/** The beginning of one stream of output. */
class KeptOutput {
  readonly #decoder = new TextDecoder();
  #left: number;
  #text = "";
  /** Something was thrown away. */
  isCut = false;

  constructor(maxBytes: number) {
    this.#left = maxBytes;
  }

  readonly add = (chunk: Uint8Array<ArrayBuffer>): void => {
    const kept = chunk.subarray(0, this.#left);
    this.isCut ||= kept.length < chunk.length;
    this.#left -= kept.length;
    this.#text += this.#decoder.decode(kept, { stream: true });
  };

  /** To be called once, at the end. */
  text(): string {
    return this.#text + this.#decoder.decode();
  }
}

/** The real folder that a program starts in. Rejects for one outside the working folder. */
async function startFolder(
  wanted: string | undefined,
  cwd: string,
): Promise<string> {
  if (wanted === undefined) return cwd;
  const real = await Deno.realPath(joinPath(cwd, wanted));
  if (isInside(cwd, real)) return real;
  throw new Deno.errors.PermissionDenied(
    `Cannot run a program in ${
      JSON.stringify(wanted)
    }: it is outside the working folder`,
  );
}
