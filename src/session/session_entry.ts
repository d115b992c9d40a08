import type { AgentMessage } from "../agent/agent_message.ts";
import type { JsonValue, UserContent } from "../model/content.ts";
import type { SystemMessage, Usage } from "../model/message.ts";
import type { ThinkingLevel } from "../model/model.ts";

/** First line of a stored session, and of a stream of events. */
export interface SessionHeader {
  type: "session";
  version: 3;
  id: string;
  /** ISO 8601. */
  timestamp: string;
  /** Working folder in which the session began. */
  cwd: string;
  /** The file that this session is a fork of. */
  parentSession?: string;
}

/**
 * One line of a stored session. Entries form a tree: each names the entry that
 * it follows, and the last line is the leaf that the conversation is at.
 */
export type SessionEntry = EntryPlace & EntryContent;

/** An entry before it has its place. */
export type EntryContent =
  | { type: "message"; message: AgentMessage }
  | { type: "model_change"; provider: string; modelId: string }
  | { type: "thinking_level_change"; thinkingLevel: ThinkingLevel }
  /** Usage beside the answers of the conversation. */
  | {
    type: "usage";
    kind: string;
    provider: string;
    model: string;
    usage: Usage;
  }
  /** Takes the place of the messages before `firstKeptEntryId`. */
  | {
    type: "compaction";
    summary: string;
    firstKeptEntryId: string;
    tokensBefore: number;
    /** The prompt and the tools as they were then. */
    systemMessage?: SystemMessage;
    usage?: Usage;
    details?: JsonValue;
  }
  /** Other words in place of a message, or, with null, nothing. */
  | { type: "context_edit"; targetId: string; replacement: string | null }
  | { type: "branch_summary"; fromId: string; summary: string }
  /** Means something to whoever wrote it; the model does not see it. */
  | { type: "custom"; customType: string; data?: JsonValue }
  /** A message to the model that neither the user nor the model wrote. */
  | {
    type: "custom_message";
    customType: string;
    content: string | UserContent[];
    display: boolean;
    details?: JsonValue;
  }
  | { type: "label"; targetId: string; label?: string }
  | { type: "session_info"; name: string };

interface EntryPlace {
  /** Eight hexadecimal digits, unique in the session. */
  id: string;
  /** The entry that this one follows; null for the first. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}
