import type { StopReason } from "../host/run_options.ts";

/** A signal, or the end of the time limit, came before there was a run to stop. */
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

/** Source of signals; `Deno` itself outside of tests. */
export interface SignalSource {
  addSignalListener(signal: Deno.Signal, handler: () => void): void;
  removeSignalListener(signal: Deno.Signal, handler: () => void): void;
}

/** Settings of {@linkcode StopSignals}. */
export interface StopSignalsOptions {
  /** Default `Deno`. */
  source?: SignalSource;
  /** Time that a stopped run has to end by itself. Default 10 s. */
  patienceMs?: number;
  /** The same, after a second SIGINT. Default 2 s. */
  shortPatienceMs?: number;
}

const REASON_OF_SIGNAL: [Deno.Signal, StopReason][] = [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "hung_up"],
];

/**
 * Turns the signals of the system, and a lost reader, into one stop of the
 * run. The first reason counts. Listens until it is closed or disposed of.
 */
export class StopSignals implements Disposable {
  readonly #controller = new AbortController();
  readonly #gaveUp = Promise.withResolvers<void>();
  readonly #source: SignalSource;
  readonly #patienceMs: number;
  readonly #shortPatienceMs: number;
  readonly #listeners: [Deno.Signal, () => void][] = [];
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(options: StopSignalsOptions = {}) {
    this.#source = options.source ?? Deno;
    this.#patienceMs = options.patienceMs ?? 10_000;
    this.#shortPatienceMs = options.shortPatienceMs ?? 2000;
    for (const [signal, reason] of REASON_OF_SIGNAL) {
      this.#listen(signal, () => this.#hear(reason));
    }
  }

  /** Aborts with a {@linkcode StopReason}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The reason for the stop; undefined for a run that goes on. */
  get reason(): StopReason | undefined {
    const { aborted, reason } = this.#controller.signal;
    return aborted ? reason as StopReason : undefined;
  }

  /** Resolves when the run was stopped and took too long to end. */
  get gaveUp(): Promise<void> {
    return this.#gaveUp.promise;
  }

  /** Rejects with a {@linkcode StoppedError} at the first stop, or after `timeoutMs`. */
  stopped(timeoutMs: number | undefined): Promise<never> {
    return new Promise((_, reject) => {
      const stop = () => reject(new StoppedError(this.signal.reason));
      if (this.signal.aborted) stop();
      this.signal.addEventListener("abort", stop);
      if (timeoutMs === undefined) return;
      const late = () => reject(new StoppedError("timeout"));
      this.#timers.push(setTimeout(late, timeoutMs));
    });
  }

  /** Stops the run, unless it is being stopped. */
  stop(reason: StopReason): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    this.#giveUpIn(this.#patienceMs);
  }

  /** Gives the signals back their usual meaning. */
  close(): void {
    for (const [signal, listener] of this.#listeners) {
      this.#source.removeSignalListener(signal, listener);
    }
    this.#listeners.length = 0;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers = [];
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #hear(reason: StopReason): void {
    if (this.signal.aborted && reason === "interrupted") {
      this.#giveUpIn(this.#shortPatienceMs);
    }
    this.stop(reason);
  }

  #giveUpIn(ms: number): void {
    this.#timers.push(setTimeout(this.#gaveUp.resolve, ms));
  }

  #listen(signal: Deno.Signal, listener: () => void): void {
    try {
      this.#source.addSignalListener(signal, listener);
      this.#listeners.push([signal, listener]);
    } catch (error) {
      // Windows knows fewer signals, and says so by a TypeError.
      if (!(error instanceof TypeError)) throw error;
    }
  }
}
