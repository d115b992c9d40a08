import type { PluginSessionEntry } from "../sdk/plugin_context.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import type { SessionEvent } from "../session/session_event.ts";

/** The session as plugins see it: its messages and their own entries, those of earlier runs included. */
export class EntryLog {
  readonly #entries: PluginSessionEntry[] = [];

  constructor(history: readonly SessionEntry[]) {
    for (const entry of history) {
      if (entry.type === "message") {
        this.#entries.push({ type: "message", message: entry.message });
      } else if (entry.type === "custom") {
        const { type, customType, data } = entry;
        this.add({ type, customType, ...(data === undefined ? {} : { data }) });
      }
    }
  }

  add(entry: PluginSessionEntry): void {
    this.#entries.push(entry);
  }

  note(event: SessionEvent): void {
    if (event.type !== "message_end") return;
    this.#entries.push({ type: "message", message: event.message });
  }

  /** Copies. */
  all(): PluginSessionEntry[] {
    return structuredClone(this.#entries);
  }
}
