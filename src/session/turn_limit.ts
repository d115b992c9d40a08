import type { AgentEvent, AgentLoopConfig } from "../agent/mod.ts";

/**
 * Ends a run after a number of responses. The calls of the last one are not
 * run: each gets an error result that says why.
 */
export class TurnLimit {
  readonly #maxTurns: number;
  #turns = 0;
  #reached = false;

  constructor(maxTurns: number) {
    this.#maxTurns = maxTurns;
  }

  /** True when the limit kept calls from running. */
  get reached(): boolean {
    return this.#reached;
  }

  count(event: AgentEvent): void {
    if (event.type !== "message_end") return;
    const { message } = event;
    if (message.role !== "assistant" || message.stopReason === "error") return;
    this.#turns++;
    this.#reached = this.#turns >= this.#maxTurns &&
      message.content.some(({ type }) => type === "toolCall");
  }

  hooks(): Pick<AgentLoopConfig, "beforeToolCall" | "finishTurn"> {
    return {
      beforeToolCall: () =>
        this.#reached ? { block: true, reason: this.#reason() } : undefined,
      finishTurn: () => this.#reached ? { action: "end" } : undefined,
    };
  }

  #reason(): string {
    const turns = this.#maxTurns === 1 ? "1 turn" : `${this.#maxTurns} turns`;
    return `Not run: this run has reached its limit of ${turns}`;
  }
}
