import type { RunOutcome } from "../session/run_outcome.ts";
import type { StopReason } from "./run.ts";
import type { RunRecord } from "./run_record.ts";

/** A run from its prompt to its outcome. */
export class OpenRun {
  readonly record: RunRecord;
  readonly #ended = Promise.withResolvers<void>();
  readonly #stopped = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(record: RunRecord) {
    this.record = record;
  }

  /** Resolves when the kernel has said how it came out. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves when it must end before its time. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  end(outcome: RunOutcome): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.record.noteOutcome(outcome);
    this.#ended.resolve();
  }

  stopFor(reason: StopReason | "timeout"): void {
    const { facts } = this.record;
    if (reason === "timeout") facts.timedOut = true;
    else if (reason === "stdout_closed") facts.stdoutClosed = true;
    else facts.stoppedBy ??= reason;
    this.#stopped.resolve();
  }

  stopListening(): void {
    this.#stopped.resolve();
  }
}
