import type { ModelErrorKind } from "../model/model_error.ts";

/** Limits that can end a run. */
export type RunLimitKind =
  | "turn_limit"
  | "tool_call_limit"
  | "repeat_limit"
  | "budget_limit";

/** The end of a run, as the session saw it. */
export type RunOutcome =
  /** The model ended its turn by itself. */
  | { kind: "completed" }
  | { kind: "aborted" }
  | { kind: "limit"; limit: RunLimitKind | "output_limit" }
  | { kind: "model_error"; errorKind: ModelErrorKind; message: string }
  /** The model ended its turn without what the run had to reach. */
  | { kind: "goal_missed"; goal: "check" | "schema"; message: string }
  /** The run was asked for something that does not exist. */
  | { kind: "usage_error"; message: string }
  /** A hook or listener threw. */
  | { kind: "failed"; message: string };
