import type { ModelErrorKind } from "../model/model_error.ts";
import type { RunLimitKind } from "../session/run_outcome.ts";

/** Status of a run that has ended. Each has one exit code. */
export type RunStatus = keyof typeof EXIT_CODES;

/**
 * Exit codes, the same in every output format. Where several could apply, the
 * first in this order does.
 */
export const EXIT_CODES = {
  /** Ctrl-C. */
  interrupted: 130,
  terminated: 143,
  hung_up: 129,
  /** Nothing reads the output any more. */
  stdout_closed: 141,
  /** The kernel process died, hung, or flooded its pipe. */
  kernel_failed: 32,
  timeout: 22,
  turn_limit: 20,
  /** A response called more tools than the run may. */
  tool_call_limit: 20,
  /** The same call had the same result again and again. */
  repeat_limit: 20,
  /** The requests have cost what the run may spend. */
  budget_limit: 21,
  /** The answer hit the model's output token limit. */
  output_limit: 23,
  /** No key, or one that the provider does not take. */
  auth_failed: 10,
  /** Unreachable, overloaded, or the stream was cut: a later try may pass. */
  provider_unavailable: 11,
  /** The provider will not answer this request. */
  provider_refused: 12,
  /** The recording has no answer to this request. */
  replay_miss: 50,
  /** A sandbox was required, and there is none. */
  sandbox_unavailable: 31,
  /** Something was denied, and `--fail-on-denied` was given. */
  denied: 30,
  /** The answer does not fit the schema that it had to. */
  schema_failed: 40,
  /** The command that had to succeed fails. */
  check_failed: 41,
  /** Wrong arguments or settings. */
  usage_error: 2,
  internal_error: 1,
  completed: 0,
} as const;

/** Facts about a run that is over; several can be true at once. */
export interface RunFacts {
  stoppedBy?: "interrupted" | "terminated" | "hung_up";
  stdoutClosed?: boolean;
  kernelFailure?: string;
  timedOut?: boolean;
  limit?: RunLimitKind | "output_limit";
  modelError?: { kind?: ModelErrorKind; message: string };
  sandboxFailure?: string;
  /** The denial, of a run that has to fail then. */
  denial?: string;
  schemaFailure?: string;
  checkFailure?: string;
  usageError?: string;
  internalError?: string;
}

/** Statuses of a run that a failure of the model ended. */
export const STATUS_OF_MODEL_ERROR: Record<ModelErrorKind, RunStatus> = {
  auth: "auth_failed",
  rate_limit: "provider_unavailable",
  overloaded: "provider_unavailable",
  unreachable: "provider_unavailable",
  timeout: "provider_unavailable",
  stream_cut: "provider_unavailable",
  refused: "provider_refused",
  context_overflow: "provider_refused",
  quota: "provider_refused",
  content_filter: "provider_refused",
  replay_miss: "replay_miss",
};

/** The one way from what happened to how a run ended. */
export function statusOf(facts: RunFacts): RunStatus {
  const { kind } = facts.modelError ?? {};
  if (facts.stoppedBy) return facts.stoppedBy;
  if (facts.stdoutClosed) return "stdout_closed";
  if (facts.kernelFailure !== undefined) return "kernel_failed";
  if (facts.timedOut) return "timeout";
  if (facts.limit) return facts.limit;
  if (kind) return STATUS_OF_MODEL_ERROR[kind];
  if (facts.sandboxFailure !== undefined) return "sandbox_unavailable";
  if (facts.denial !== undefined) return "denied";
  if (facts.schemaFailure !== undefined) return "schema_failed";
  if (facts.checkFailure !== undefined) return "check_failed";
  if (facts.usageError !== undefined) return "usage_error";
  if (facts.modelError || facts.internalError !== undefined) {
    return "internal_error";
  }
  return "completed";
}
