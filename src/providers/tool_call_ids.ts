import type { Context } from "../model/stream.ts";

/** A provider's rules for the id of a tool call. */
export interface ToolCallIdRules {
  /** Longest id in characters. */
  maxLength: number;
  /** Matches each character that must not occur; with the `g` flag. */
  forbidden?: RegExp;
  /** True when every id must have `maxLength` characters. */
  exact?: boolean;
}

/** Ids of letters, digits, `_` and `-`, which most formats want. */
export const WORD_IDS: ToolCallIdRules = {
  maxLength: 64,
  forbidden: /[^a-zA-Z0-9_-]/g,
};

/**
 * Makes ids that are unique and that a provider accepts.
 *
 * The ids depend on the order of calls alone: a transcript that only grows
 * keeps the ids of its beginning from request to request, and so the
 * provider's prompt cache.
 */
export class ToolCallIds {
  #rules: ToolCallIdRules;
  #taken = new Set<string>();
  /** The number that a repeated id gets next, so that many repeats stay linear. */
  #next = new Map<string, number>();

  constructor(rules: ToolCallIdRules = { maxLength: 64 }) {
    this.#rules = rules;
  }

  /** Marks an id as used. */
  take(id: string): void {
    this.#taken.add(id);
  }

  /** The id itself where it is acceptable and free, otherwise one like it. */
  give(id: string): string {
    const base = this.#clean(id) || "call";
    let candidate = this.#fit(base, "");
    for (let n = this.#next.get(base) ?? 2; this.#taken.has(candidate); n++) {
      candidate = this.#fit(base, String(n));
      this.#next.set(base, n + 1);
    }
    this.#taken.add(candidate);
    return candidate;
  }

  #clean(id: string): string {
    const { forbidden, exact } = this.#rules;
    if (!forbidden) return id;
    return id.replace(forbidden, exact ? "" : "_");
  }

  /** Cuts from the front: ids share their beginnings and differ at their ends. */
  #fit(base: string, suffix: string): string {
    const { maxLength, exact } = this.#rules;
    const room = maxLength - suffix.length;
    const cut = base.length > room ? base.slice(base.length - room) : base;
    return (exact ? cut.padEnd(room, "0") : cut) + suffix;
  }
}

/** Makes ids for the calls of a new answer; none is in the transcript already. */
export function usedToolCallIds(context: Context): ToolCallIds {
  const ids = new ToolCallIds();
  for (const message of context.messages) {
    if (message.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type === "toolCall") ids.take(block.id);
    }
  }
  return ids;
}
