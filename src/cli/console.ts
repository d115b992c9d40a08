import type { PromptSource } from "./read_prompt.ts";
import {
  type ByteSink,
  type OutputFailure,
  OutputWriter,
} from "./output_writer.ts";
import { terminalText, useColor } from "./terminal_text.ts";

/** The streams of a program; `Deno.stdin`, `Deno.stdout` and `Deno.stderr` fit. */
export interface ConsoleStreams {
  stdin: PromptSource;
  stdout: ByteSink & { isTerminal(): boolean };
  stderr: ByteSink & { isTerminal(): boolean };
}

/** Messages on stderr that may wait for a reader who does not come. */
const MAX_WAITING_ON_STDERR = 1024 * 1024;
const DEFAULT_WIDTH = 80;

/** The three streams of the program, and what is known of them. */
export class Console {
  readonly stdin: PromptSource;
  readonly stdout: OutputWriter;
  readonly stderr: OutputWriter;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  readonly #env: Record<string, string>;

  constructor(streams: ConsoleStreams, env: Record<string, string>) {
    this.stdin = streams.stdin;
    this.stdout = new OutputWriter(streams.stdout);
    this.stderr = new OutputWriter(streams.stderr, {
      maxWaitingBytes: MAX_WAITING_ON_STDERR,
    });
    this.stdoutIsTerminal = streams.stdout.isTerminal();
    this.stderrIsTerminal = streams.stderr.isTerminal();
    this.#env = env;
  }

  /** Tells the user something on stderr. */
  warn(message: string): void {
    this.stderr.write(`tau: ${terminalText(message)}\n`);
  }

  /** Width and colour of lines for one of the streams. */
  renderingFor(stream: "stdout" | "stderr"): { width: number; color: boolean } {
    const isTerminal = stream === "stdout"
      ? this.stdoutIsTerminal
      : this.stderrIsTerminal;
    return {
      width: isTerminal ? terminalWidth() : DEFAULT_WIDTH,
      color: useColor(isTerminal, this.#env),
    };
  }

  /**
   * Waits until all is written and returns what to exit with: `exitCode`,
   * unless the output was lost. Once `hurry` aborts, readers have two seconds.
   */
  async settle(exitCode: number, hurry?: AbortSignal): Promise<number> {
    await this.stdout.flush(hurry);
    const { failure } = this.stdout;
    if (failure?.kind === "failed") {
      this.warn(`Cannot write to stdout: ${failure.message}`);
    }
    await this.stderr.flush(AbortSignal.abort());
    return failure ? await exitCodeAfter(failure, exitCode) : exitCode;
  }
}

/** A signal is named before the loss of the output, and that before all else. */
async function exitCodeAfter(
  failure: OutputFailure,
  exitCode: number,
): Promise<number> {
  const { EXIT_CODES } = await import("../protocol/exit_codes.ts");
  const { interrupted, terminated, hung_up, stdout_closed, internal_error } =
    EXIT_CODES;
  const bySignal: number[] = [interrupted, terminated, hung_up];
  if (bySignal.includes(exitCode)) return exitCode;
  if (failure.kind === "closed") return stdout_closed;
  // The run was stopped as if its output had been closed.
  return exitCode === 0 || exitCode === stdout_closed
    ? internal_error
    : exitCode;
}

function terminalWidth(): number {
  try {
    return Deno.consoleSize().columns || DEFAULT_WIDTH;
  } catch {
    return DEFAULT_WIDTH;
  }
}
