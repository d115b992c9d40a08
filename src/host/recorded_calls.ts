import { stableJson } from "../model/stable_json.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { RecordedCall, RecordedResult } from "./recording.ts";

/** The id of a check, which is replayed as calls are; no provider gives one like it. */
export const CHECK_ID = "--check";

/** A call, and what came of it. */
interface EndedCall {
  call: RecordedCall;
  result: RecordedResult;
}

/** A call whose result nobody was told yet, in the order in which they began. */
interface OpenCall {
  call: RecordedCall;
  /** The same for equal calls. */
  key: string;
  result?: RecordedResult;
}

/** Puts the ends of calls together with what was called. Checks count as calls. */
export class RecordedCalls {
  readonly #open = new Map<string, OpenCall>();

  /**
   * Hears every event of the run; returns the calls whose results are known
   * with it. Of equal calls side by side that is the order in which they began,
   * in which a replay asks for their results.
   */
  note(event: RunEvent): EndedCall[] {
    switch (event.type) {
      case "tool_execution_start": {
        const { toolCallId, toolName: name, args } = event;
        return this.#begin(toolCallId, { name, arguments: args });
      }
      case "check_start": {
        const { command } = event;
        return this.#begin(CHECK_ID, {
          name: CHECK_ID,
          arguments: { command },
        });
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
    return [];
  }

  /** A call that has not ended. */
  open(id: string): RecordedCall | undefined {
    return this.#open.get(id)?.call;
  }

  #begin(id: string, call: RecordedCall): EndedCall[] {
    this.#open.set(id, { call, key: stableJson(call) });
    return [];
  }

  #end(id: string, result: RecordedResult): EndedCall[] {
    const ended = this.#open.get(id);
    if (!ended) return [];
    ended.result = result;
    const known: EndedCall[] = [];
    for (const [id, { call, key, result }] of this.#open) {
      if (key !== ended.key) continue;
      if (!result) break;
      this.#open.delete(id);
      known.push({ call, result });
    }
    return known;
  }
}
