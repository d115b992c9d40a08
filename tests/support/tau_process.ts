import type { RunResult } from "../../src/protocol/result_schema.ts";
import { childEnvironment, TRACE } from "./host_run.ts";
import { killAll, leftAfter, processesWith } from "./processes.ts";
import { atOnce } from "./at_once.ts";
import { assertKnownLines } from "./output_lines.ts";
import { inTempFolder } from "./temp_folder.ts";

/** Options for the start of a program. */
export interface TauOptions {
  /** Default: a fresh folder. */
  cwd?: string;
  /** Added to a small environment without keys. */
  env?: Record<string, string>;
  /** The content of stdin; `open` is a pipe that nobody writes to or closes. Default: nothing. */
  stdin?: string | "open";
  /** `tests/support/kernels/<name>.ts` in place of the product's kernel. */
  kernel?: string;
  /** Another program, as a path. */
  main?: string;
  /** It is killed after that time. Default: half a minute. */
  maxLifeMs?: number;
}

/** A program that has ended. */
export interface TauRun {
  code: number;
  stdout: string;
  stderr: string;
  /** Its processes that were alive a moment later. */
  left: number[];
  /** Names in its folder for temporary files. */
  tempLeft: string[];
  durationMs: number;
}

/** Few tests wait longer than this for a program. */
const MAX_LIFE_MS = 30_000;

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const MAIN = new URL("../../src/main.ts", import.meta.url).pathname;
const MAIN_WITH_KERNEL =
  new URL("./tau_with_kernel.ts", import.meta.url).pathname;

/** Runs tau with arguments to its end. */
export function runTau(
  args: string[],
  options: TauOptions = {},
): Promise<TauRun> {
  return withTau(args, options, (tau) => tau.ended());
}

/** True for a program of `deno compile`: paths are open to code in its kernel, and it has no type checker. */
export async function isCompiled(): Promise<boolean> {
  const { stdout } = await runTau(["--version"]);
  return stdout.includes("(compiled, ");
}

/** Starts tau, lends it to `use`, and sees it dead afterwards. */
export function withTau<Value>(
  args: string[],
  options: TauOptions,
  use: (tau: TauProcess) => Promise<Value>,
): Promise<Value> {
  return inWorkplace(options, (place) => {
    const command = [...programOf(options), ...args];
    return TauProcess.lend({ command, ...place, stdin: options.stdin }, use);
  });
}

/** Runs a bash script in which `tau` is the program, and the array `TAU` its words. Ends with the script. */
export function runShell(
  script: string,
  options: TauOptions & { args?: string[] } = {},
): Promise<TauRun> {
  return inWorkplace(options, (place) => {
    const quoted = programOf(options).map((word) => `'${word}'`).join(" ");
    const command = [
      "bash",
      "-c",
      `TAU=(${quoted}); tau() { "\${TAU[@]}" "$@"; }\n${script}`,
      "bash",
      ...(options.args ?? []),
    ];
    return TauProcess.lend(
      { command, ...place, stdin: options.stdin },
      (tau) => tau.ended(),
    );
  });
}

/** A value of `--output-format`. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

/** Runs a test once for each output format, at the same time; fails when all have ended. */
export async function inEachFormat(
  test: (format: OutputFormat) => Promise<void>,
): Promise<void> {
  await atOnce(OUTPUT_FORMATS, test);
}

/** The result record on the last line of stdout. */
export function lastRecord(run: Pick<TauRun, "stdout">): RunResult {
  return JSON.parse(run.stdout.trimEnd().split("\n").at(-1) ?? "");
}

/** The lines of stderr, but for the one that is there on machines where nothing confines commands. */
export function warningsOf(run: Pick<TauRun, "stderr">): string[] {
  return run.stderr.split("\n").filter((line) =>
    line !== "" && !line.startsWith("tau: Commands are not confined: ")
  );
}

/** Each line of stdout. */
export function jsonLines(run: Pick<TauRun, "stdout">): { type: string }[] {
  return run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
}

/** A file of `deno task build` to test in place of the source. */
const PROGRAM = Deno.env.get("TAU_TEST_PROGRAM");

/** The words that start the program. */
export function programOf({ main, kernel }: TauOptions): string[] {
  if (PROGRAM && isProduct({ main, kernel })) return [PROGRAM];
  const module = main ?? (kernel === undefined ? MAIN : MAIN_WITH_KERNEL);
  return [
    ...[Deno.execPath(), "run", "-A", "--no-prompt", "--no-check"],
    ...["--config", CONFIG, module],
  ];
}

/** Nothing of it is replaced. */
function isProduct({ main, kernel }: TauOptions): boolean {
  return main === undefined && kernel === undefined;
}

interface Place {
  cwd: string;
  env: Record<string, string>;
  tempFolder: string;
  maxLifeMs: number;
}

async function inWorkplace<Value>(
  { cwd, env, main, kernel, maxLifeMs = MAX_LIFE_MS }: TauOptions,
  use: (place: Place) => Promise<Value>,
): Promise<Value> {
  let value: Value | undefined;
  await inTempFolder(async (folder) => {
    const tempFolder = `${folder}/tmp`;
    const work = `${folder}/work`;
    await Deno.mkdir(tempFolder);
    await Deno.mkdir(work);
    value = await use({
      cwd: cwd ?? work,
      tempFolder,
      maxLifeMs,
      env: {
        ...childEnvironment(),
        TMPDIR: tempFolder,
        TAU_HOME: `${folder}/home`,
        // What it unpacks into: not the temporary folder, which is looked at.
        ...(PROGRAM && isProduct({ main, kernel })
          ? { XDG_CACHE_HOME: `${PROGRAM}.cache` }
          : {}),
        [TRACE]: crypto.randomUUID(),
        ...(kernel === undefined ? {} : { TAU_TEST_KERNEL: kernel }),
        ...env,
      },
    });
  });
  return value as Value;
}

/** A program that runs. */
export class TauProcess {
  readonly #child: Deno.ChildProcess;
  readonly #place: Place;
  readonly #startMs = performance.now();
  readonly #read: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #stdin: WritableStreamDefaultWriter<Uint8Array> | undefined;
  stdout = "";
  stderr = "";
  #isRead = false;

  private constructor(child: Deno.ChildProcess, place: Place) {
    this.#child = child;
    this.#place = place;
    this.#read = Promise.all([
      this.#collect(child.stdout, (text) => this.stdout += text),
      this.#collect(child.stderr, (text) => this.stderr += text),
    ]).then(() => {
      this.#isRead = true;
      this.#notify();
    });
  }

  static async lend<Value>(
    { command, stdin, ...place }: Place & {
      command: string[];
      stdin: string | undefined;
    },
    use: (tau: TauProcess) => Promise<Value>,
  ): Promise<Value> {
    const { cwd, env } = place;
    const child = new Deno.Command(command[0] as string, {
      args: command.slice(1),
      cwd,
      env,
      clearEnv: true,
      stdin: stdin === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const timer = setTimeout(() => killAll([child.pid]), place.maxLifeMs);
    const tau = new TauProcess(child, place);
    try {
      if (stdin !== undefined && stdin !== "open") await tau.#write(stdin);
      return await use(tau);
    } finally {
      clearTimeout(timer);
      killAll([
        child.pid,
        ...await processesWith(TRACE, env[TRACE] as string),
      ]);
      await child.status;
      if (stdin === "open") {
        await (tau.#stdin ?? child.stdin).abort().catch(() => {});
      }
      await tau.#read;
    }
  }

  /** Writes JSON values to a stdin that is `open`, a line each. */
  async send(...values: unknown[]): Promise<void> {
    const lines = values.map((value) => `${JSON.stringify(value)}\n`);
    await this.sendText(lines.join(""));
  }

  /** Writes to a stdin that is `open`. */
  async sendText(text: string): Promise<void> {
    this.#stdin ??= this.#child.stdin.getWriter();
    await this.#stdin.write(new TextEncoder().encode(text));
  }

  /** Ends a stdin that is `open`. */
  async endStdin(): Promise<void> {
    this.#stdin ??= this.#child.stdin.getWriter();
    await this.#stdin.close();
  }

  signal(signal: Deno.Signal): void {
    this.#child.kill(signal);
  }

  /** Resolves when what was printed so far matches. */
  async printed(
    pattern: RegExp,
    stream: "stdout" | "stderr" = "stdout",
  ): Promise<void> {
    while (!pattern.test(this[stream])) {
      if (this.#isRead) {
        throw new Error(
          `${pattern} was not printed:\n${this.stdout}\n${this.stderr}`,
        );
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  /** Processes that carry this program's mark, itself included. */
  processes(): Promise<number[]> {
    return processesWith(TRACE, this.#place.env[TRACE] as string);
  }

  /** Waits for the end of the program. Fails where it printed JSON that the published schemas do not describe. */
  async ended(): Promise<TauRun> {
    const { code } = await this.#child.status;
    const durationMs = performance.now() - this.#startMs;
    const value = this.#place.env[TRACE] as string;
    const left = await leftAfter(200, { name: TRACE, value });
    killAll(left);
    await this.#read;
    const tempLeft: string[] = [];
    for await (const { name } of Deno.readDir(this.#place.tempFolder)) {
      tempLeft.push(name);
    }
    const { stdout, stderr } = this;
    assertKnownLines(stdout);
    return { code, stdout, stderr, left, tempLeft, durationMs };
  }

  async #write(text: string): Promise<void> {
    const writer = this.#child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  }

  async #collect(
    stream: ReadableStream<Uint8Array>,
    add: (text: string) => void,
  ): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      add(decoder.decode(chunk, { stream: true }));
      this.#notify();
    }
  }

  #notify(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
