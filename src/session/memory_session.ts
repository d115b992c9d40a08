import type { EntryContent, SessionEntry } from "./session_entry.ts";

/** Keeps the entries of a session; what they are kept in is its own business. */
export interface SessionKeeper {
  /** Id of the session. */
  readonly id: string;
  /** All entries, in their order. */
  readonly entries: readonly SessionEntry[];
  /** Adds an entry behind the last one; returns its id. */
  append(content: EntryContent): string;
}

/** A session that lives as long as this object: another that is made over it goes on with the conversation. */
export class MemorySession implements SessionKeeper {
  readonly id: string = crypto.randomUUID();
  readonly #entries: SessionEntry[] = [];

  get entries(): readonly SessionEntry[] {
    return this.#entries;
  }

  append(content: EntryContent): string {
    const id = this.#entries.length.toString(16).padStart(8, "0");
    this.#entries.push({
      ...content,
      id,
      parentId: this.#entries.at(-1)?.id ?? null,
      timestamp: new Date().toISOString(),
    });
    return id;
  }
}
