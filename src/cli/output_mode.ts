import type { RunEvent } from "../protocol/event_schemas.ts";
import type { RunResult } from "../protocol/result_schema.ts";
import type { SessionHeader } from "../session/session_entry.ts";

/**
 * How a run is told on stdout. Each way of telling is one implementation; it
 * hands text to a writer and waits for nobody.
 */
export interface OutputMode {
  /** Hears the header and each event of the run, in order. */
  emit(event: SessionHeader | RunEvent): void;
  /** Hears the result, once, as the last thing. */
  end(result: RunResult): void;
}
