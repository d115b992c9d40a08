import type { RunEvent } from "../protocol/mod.ts";
import type { RecordedCall, RecordedResult } from "./recording.ts";

/** The id of a check, which is replayed as calls are; no provider gives one like it. */
export const CHECK_ID = "--check";

/** Puts the ends of calls together with what was called. Checks count as calls. */
export class RecordedCalls {
  readonly #open = new Map<string, RecordedCall>();

  /** Hears every event of the run; returns the call that has ended with it. */
  note(
    event: RunEvent,
  ): { call: RecordedCall; result: RecordedResult } | undefined {
    switch (event.type) {
      case "tool_execution_start": {
        const { toolCallId, toolName: name, args } = event;
        this.#open.set(toolCallId, { name, arguments: args });
        return undefined;
      }
      case "check_start": {
        const { command } = event;
        this.#open.set(CHECK_ID, { name: CHECK_ID, arguments: { command } });
        return undefined;
      }
      case "tool_execution_end": {
        const { isError, result } = event;
        return this.#end(event.toolCallId, { ...result, isError });
      }
      case "check_end": {
        const content = [{ type: "text" as const, text: event.output }];
        return this.#end(CHECK_ID, { content, isError: !event.passed });
      }
    }
    return undefined;
  }

  /** A call that has not ended. */
  open(id: string): RecordedCall | undefined {
    return this.#open.get(id);
  }

  #end(
    id: string,
    result: RecordedResult,
  ): { call: RecordedCall; result: RecordedResult } | undefined {
    const call = this.#open.get(id);
    this.#open.delete(id);
    return call && { call, result };
  }
}
