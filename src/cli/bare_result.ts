import { emptyUsage } from "../model/message.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import { EXIT_CODES, type RunStatus } from "../protocol/exit_codes.ts";
import { NOTHING_GRANTED } from "../protocol/run_result.ts";

/** The record of a run that the host did not get to tell about. */
export function bareResult(
  status: RunStatus,
  message: string,
  { cwd, durationMs = 0 }: { cwd: string; durationMs?: number },
): RunResult {
  return {
    type: "result",
    version: 1,
    status,
    exitCode: EXIT_CODES[status],
    text: "",
    error: { kind: status, message },
    sessionId: "",
    session: { stored: false },
    cwd,
    model: "",
    turns: 0,
    toolCalls: 0,
    failedToolCalls: 0,
    usage: emptyUsage(),
    durationMs: Math.round(durationMs),
    sandbox: { requested: "auto", state: "unconfined" },
    capabilities: {
      granted: NOTHING_GRANTED,
      denied: [],
      attempted: { read: 0, write: 0, protected: 0 },
      reportedBy: "kernel",
    },
  };
}
