import type { JsonObject, JsonValue } from "../model/content.ts";
import type { RunLimit } from "./run_limit.ts";
import type { SessionEvent } from "./session_event.ts";

/** Ends a run in which the same call has the same result again and again. */
export class RepeatLimit implements RunLimit {
  readonly kind = "repeat_limit";
  readonly reason: string;
  readonly isUsedUp = false;
  readonly #maxRepeats: number;
  /** Calls that have not ended, by id. */
  readonly #open = new Map<string, string>();
  #last = "";
  #count = 0;

  constructor(maxRepeats: number) {
    this.#maxRepeats = maxRepeats;
    this.reason =
      `Not run: the same call had the same result ${maxRepeats} times in a row`;
  }

  get isReached(): boolean {
    return this.#count >= this.#maxRepeats;
  }

  note(event: SessionEvent): void {
    if (event.type === "tool_execution_start") {
      const call = [event.toolName, canonical(event.args)];
      this.#open.set(event.toolCallId, JSON.stringify(call));
    } else if (event.type === "tool_execution_end") {
      const { toolCallId, isError, result } = event;
      const call = this.#open.get(toolCallId);
      this.#open.delete(toolCallId);
      const seen = JSON.stringify([call, isError, result.content]);
      this.#count = seen === this.#last ? this.#count + 1 : 1;
      this.#last = seen;
    }
  }
}

/** Arguments as text in which the order of keys says nothing. */
function canonical(args: JsonObject): string {
  return JSON.stringify(
    args,
    (_key, value: JsonValue) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(
          Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1),
        )
        : value,
  );
}
