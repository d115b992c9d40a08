import type { RunEvent } from "../protocol/event_schemas.ts";
import type { SessionHeader } from "../session/session_entry.ts";

/**
 * What a run does to go on after a failure, or in a conversation that grew
 * long, in a line for people; undefined for all else. Not made safe for a
 * terminal.
 */
export function recoveryLine(
  event: SessionHeader | RunEvent,
): string | undefined {
  switch (event.type) {
    case "auto_retry_start": {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      const seconds = (delayMs / 1000).toFixed(1);
      return `retry ${attempt} of ${maxAttempts} in ${seconds} s: ${errorMessage}`;
    }
    case "compaction_start":
      return event.reason === "overflow"
        ? "the request was too long: summarising the conversation"
        : "the conversation is long: summarising its beginning";
    case "compaction_end":
      return event.errorMessage === undefined
        ? undefined
        : `no summary: ${event.errorMessage}`;
    default:
      return undefined;
  }
}
