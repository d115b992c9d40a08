import { callsIn } from "./calls_in.ts";
import type { RunLimit } from "./run_limit.ts";
import type { SessionEvent } from "./session_event.ts";

/** Ends a run before a response whose calls would go beyond a number; none of them is run. */
export class ToolCallLimit implements RunLimit {
  readonly kind = "tool_call_limit";
  readonly reason: string;
  /** A further request can still be answered without calls. */
  readonly isUsedUp = false;
  readonly #maxToolCalls: number;
  #toolCalls = 0;

  constructor(maxToolCalls: number) {
    this.#maxToolCalls = maxToolCalls;
    const calls = maxToolCalls === 1
      ? "1 tool call"
      : `${maxToolCalls} tool calls`;
    this.reason = `Not run: this run is limited to ${calls}`;
  }

  get isReached(): boolean {
    return this.#toolCalls > this.#maxToolCalls;
  }

  note(event: SessionEvent): void {
    this.#toolCalls += callsIn(event);
  }
}
