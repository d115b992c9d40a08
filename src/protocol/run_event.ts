import type { AgentEvent } from "../agent/agent_event.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import type { PluginRunEvent } from "./plugin_events.ts";
import type { ToolCall } from "../model/content.ts";
import type { AssistantDelta } from "../model/stream.ts";
import type { CheckEvent } from "../session/check_goal.ts";
import type {
  CompactionEvent,
  CompactionResult,
} from "../session/compaction.ts";
import type { RetryEvent } from "../session/retry.ts";
import type { QueueEvent } from "../session/session_event.ts";

/**
 * One step of an assistant message in an event: without the message so far.
 * The last two kinds of a stream (`done`, `error`) are not among them, since
 * `message_end` carries the whole message.
 */
export type MessageStep =
  | Extract<
    AssistantDelta,
    {
      type:
        | "text_start"
        | "text_delta"
        | "text_end"
        | "thinking_start"
        | "thinking_delta"
        | "thinking_end"
        | "toolcall_start"
        | "toolcall_delta";
    }
  >
  | { type: "toolcall_end"; contentIndex: number; toolCall: ToolCall };

/** Lines that the tool's own renderer made, when the host asked for them. */
interface Rendered {
  rendered?: string[];
}

/** How a compaction ended; `firstKept` is the number of the stored message. */
type CompactionEnd =
  & Omit<Extract<CompactionEvent, { type: "compaction_end" }>, "result">
  & { result?: Omit<CompactionResult, "firstKept"> & { firstKept: number } };

/** A rule kept a call from being made, or nobody approved it. */
export interface ToolDeniedEvent {
  type: "tool_denied";
  toolCallId: string;
  toolName: string;
  /** A rule denies it; the user said no; or nobody could be asked. */
  reason: "denied" | "not_approved" | "no_approver";
  /** As it was written; absent where no rule was about the call. */
  rule?: string;
  /** The settings file that it is from, or the command line. */
  source?: string;
}

/** A file that starts programs or changes permissions is not as it was when the run began. */
export interface ControlFileEvent {
  type: "control_file_changed";
  path: string;
  change: "created" | "changed" | "removed";
  /** What is different, as a patch that may be cut short; absent where it is no text. */
  diff?: string;
}

/** What a command of the user printed since the last such event. */
export interface ShellUpdateEvent {
  type: "shell_update";
  /** As whoever ran it named it. */
  id?: string;
  delta: string;
}

/** What a run tells of itself: agent events that never repeat what earlier ones said. */
export type RunEvent =
  | Exclude<
    AgentEvent,
    {
      type:
        | "message_update"
        | "tool_execution_start"
        | "tool_execution_end"
        | "agent_end"
        | "turn_end";
    }
  >
  | { type: "message_update"; assistantMessageEvent: MessageStep }
  | (Extract<AgentEvent, { type: "tool_execution_start" }> & Rendered)
  | (Extract<AgentEvent, { type: "tool_execution_end" }> & Rendered)
  | CheckEvent
  | QueueEvent
  | ToolDeniedEvent
  | PluginRunEvent
  | ControlFileEvent
  | ShellUpdateEvent
  | RetryEvent
  | Extract<CompactionEvent, { type: "compaction_start" }>
  | CompactionEnd
  | { type: "turn_end" }
  | { type: "agent_end"; aborted?: boolean };

/** The message of an event that ends one; it is stored. */
export function storedMessage(event: RunEvent): AgentMessage | undefined {
  return event.type === "message_end" ? event.message : undefined;
}
