import type { ModelErrorKind } from "../model/mod.ts";

/** How a run came out, as the session saw it. */
export type RunOutcome =
  /** The model ended its turn by itself. */
  | { kind: "completed" }
  | { kind: "aborted" }
  | { kind: "limit"; limit: "turn_limit" | "output_limit" }
  | { kind: "model_error"; errorKind: ModelErrorKind; message: string }
  /** The run was asked for something that does not exist. */
  | { kind: "usage_error"; message: string }
  /** A hook or listener threw. */
  | { kind: "failed"; message: string };
