import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type {
  EntryContent,
  SessionEntry,
} from "../../src/session/session_entry.ts";

/** A message as an entry without a place. */
export function messageEntry(message: AgentMessage): EntryContent {
  return { type: "message", message };
}

/** Entries with ids `a`, `b`, …, each behind the one before. */
export function chain(...contents: EntryContent[]): SessionEntry[] {
  return contents.map((content, index) => ({
    ...content,
    id: letter(index),
    parentId: index === 0 ? null : letter(index - 1),
    timestamp: "2026-01-02T03:04:05.678Z",
  }));
}

function letter(index: number): string {
  return String.fromCharCode(97 + index);
}
