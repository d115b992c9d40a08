import type { StopReason } from "../host/run.ts";
import type { PromptSource } from "./read_prompt.ts";
import { StopSignals, type StopSignalsOptions } from "./stop_signals.ts";

/** A signal, or the end of the time limit, came where there was no run to stop. */
export class StoppedError extends Error {
  readonly reason: StopReason | "timeout";

  constructor(reason: StopReason | "timeout", message?: string) {
    super(
      message ??
        (reason === "timeout"
          ? "The prompt was not complete on stdin before the end of --timeout"
          : "Stopped while the prompt was read from stdin"),
    );
    this.name = "StoppedError";
    this.reason = reason;
  }
}

/**
 * A source whose reads reject with a {@linkcode StoppedError} when a signal
 * comes or `timeoutMs` is over: who waits for stdin can be stopped with a
 * record of it. Listens from the first read until it is disposed of.
 */
export class StoppableSource implements PromptSource, Disposable {
  readonly #source: PromptSource;
  readonly #options: StopSignalsOptions & { timeoutMs?: number | undefined };
  readonly #stopped = Promise.withResolvers<never>();
  #signals: StopSignals | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;

  constructor(
    source: PromptSource,
    options: StopSignalsOptions & { timeoutMs?: number | undefined } = {},
  ) {
    this.#source = source;
    this.#options = options;
  }

  isTerminal(): boolean {
    return this.#source.isTerminal();
  }

  async read(buffer: Uint8Array): Promise<number | null> {
    this.#signals ??= this.#listen();
    return await Promise.race([
      this.#source.read(buffer),
      this.#stopped.promise,
    ]);
  }

  [Symbol.dispose](): void {
    this.#signals?.close();
    if (this.#deadline !== undefined) clearTimeout(this.#deadline);
  }

  #listen(): StopSignals {
    const signals = new StopSignals(this.#options);
    signals.signal.addEventListener("abort", () => {
      this.#stopped.reject(new StoppedError(signals.signal.reason));
    });
    const { timeoutMs } = this.#options;
    if (timeoutMs !== undefined) {
      this.#deadline = setTimeout(
        () => this.#stopped.reject(new StoppedError("timeout")),
        timeoutMs,
      );
    }
    // Also when it comes between two reads.
    this.#stopped.promise.catch(() => {});
    return signals;
  }
}
