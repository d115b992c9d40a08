import type { StopReason } from "../host/mod.ts";
import type { PromptSource } from "./read_prompt.ts";
import { StopSignals, type StopSignalsOptions } from "./stop_signals.ts";

/** A signal came before there was a run to stop. */
export class StoppedError extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super("Stopped while the prompt was read from stdin");
    this.name = "StoppedError";
    this.reason = reason;
  }
}

/**
 * A source whose reads reject with a {@linkcode StoppedError} when a signal
 * comes: who waits for stdin can be stopped with a record of it. Listens from
 * the first read until it is disposed of.
 */
export class StoppableSource implements PromptSource, Disposable {
  readonly #source: PromptSource;
  readonly #options: StopSignalsOptions;
  readonly #stopped = Promise.withResolvers<never>();
  #signals: StopSignals | undefined;

  constructor(source: PromptSource, options: StopSignalsOptions = {}) {
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
  }

  #listen(): StopSignals {
    const signals = new StopSignals(this.#options);
    signals.signal.addEventListener("abort", () => {
      this.#stopped.reject(new StoppedError(signals.signal.reason));
    });
    // Also when it comes between two reads.
    this.#stopped.promise.catch(() => {});
    return signals;
  }
}
