import { callsIn } from "./calls_in.ts";
import type { RunLimit } from "./run_limit.ts";
import type { SessionEvent } from "./session_event.ts";

/** Ends a run after a number of responses; the calls of the last one are not run. */
export class TurnLimit implements RunLimit {
  readonly kind = "turn_limit";
  readonly reason: string;
  readonly #maxTurns: number;
  #turns = 0;
  #hasOpenCalls = false;

  constructor(maxTurns: number) {
    this.#maxTurns = maxTurns;
    const turns = maxTurns === 1 ? "1 turn" : `${maxTurns} turns`;
    this.reason = `Not run: this run has reached its limit of ${turns}`;
  }

  get isUsedUp(): boolean {
    return this.#turns >= this.#maxTurns;
  }

  get isReached(): boolean {
    return this.isUsedUp && this.#hasOpenCalls;
  }

  note(event: SessionEvent): void {
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role !== "assistant" || message.stopReason === "error") return;
    this.#turns++;
    this.#hasOpenCalls = callsIn(event) > 0;
  }
}
