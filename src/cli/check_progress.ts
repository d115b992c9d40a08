import type { RunEvent } from "../protocol/event_schemas.ts";

type CheckEvent = Extract<RunEvent, { type: "check_start" | "check_end" }>;

/** Lines of output that tell why a check failed; how it ended stands in the last. */
const SHOWN_LINES = 10;

/** What there is to tell of a check, a line each. */
export function checkLines(event: CheckEvent): string[] {
  if (event.type === "check_start") return [`check: ${event.command}`];
  if (event.passed) return ["check passed"];
  const lines = event.output.trimEnd().split("\n").filter((line) =>
    line !== ""
  );
  return ["check failed", ...lines.slice(-SHOWN_LINES)];
}
