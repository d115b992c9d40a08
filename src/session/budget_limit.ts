import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import { callsIn } from "./calls_in.ts";
import type { RunLimit } from "./run_limit.ts";
import type { SessionEvent } from "./session_event.ts";

/**
 * Ends a run when its requests have cost so much; the calls of the response
 * that went over it are not run. What one response costs is known only
 * afterwards, so that a run may spend that much more.
 */
export class BudgetLimit implements RunLimit {
  readonly kind = "budget_limit";
  readonly reason: string;
  readonly #maxUsd: number;
  #spentUsd = 0;
  #hasOpenCalls = false;

  constructor(maxUsd: number) {
    this.#maxUsd = maxUsd;
    this.reason = `Not run: this run has spent its budget of ${maxUsd} USD`;
  }

  get isUsedUp(): boolean {
    return this.#spentUsd >= this.#maxUsd;
  }

  get isReached(): boolean {
    return this.isUsedUp && this.#hasOpenCalls;
  }

  /** Counts a response, those that failed and those that only summarised included. */
  spend(usage: Usage, { cost }: Model): void {
    for (const key of ["input", "output", "cacheRead", "cacheWrite"] as const) {
      // Counted from the tokens: behind a proxy nobody else has the prices.
      this.#spentUsd += usage[key] * (cost?.[key] ?? 0) / 1e6;
    }
  }

  note(event: SessionEvent): void {
    if (event.type !== "message_end") return;
    if (event.message.role === "assistant") {
      this.#hasOpenCalls = callsIn(event) > 0;
    }
  }
}
