import type { SessionEvent } from "./session_event.ts";

/** Limits that end a run, and which one it was. */
export type RunLimitKind =
  | "turn_limit"
  | "tool_call_limit"
  | "repeat_limit"
  | "budget_limit";

/** How far a run may go, and what happens then. */
export interface LimitOptions {
  /** Responses of the model; no limit when absent. */
  maxTurns?: number | undefined;
  /** Tool calls; no limit when absent. */
  maxToolCalls?: number | undefined;
  /** Times that the same call may have the same result in a row. Default 8; 0 is no limit. */
  maxRepeats?: number | undefined;
  /** US dollars; no limit when absent. The model must have a price. */
  maxBudgetUsd?: number | undefined;
  /** `summarize` asks once more, without tools, for what was done. Default `stop`. */
  onLimit?: "stop" | "summarize" | undefined;
}

/** The limits among other options. */
export function limitsIn(
  { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit }: LimitOptions,
): LimitOptions {
  return { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit };
}

/** One limit of one run. */
export interface RunLimit {
  readonly kind: RunLimitKind;
  /** For the model: why its calls are not run. */
  readonly reason: string;
  /** True when the run may not go on: open calls are not run any more. */
  readonly isReached: boolean;
  /** True when a further request would go beyond the limit. */
  readonly isUsedUp: boolean;
  /** Hears every event of the run. */
  note(event: SessionEvent): void;
}
