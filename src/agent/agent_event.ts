import type { JsonObject } from "../model/content.ts";
import type { AssistantMessage, ToolResultMessage } from "../model/message.ts";
import type { AssistantMessageEvent } from "../model/stream.ts";
import type { AgentMessage } from "./agent_message.ts";
import type { AgentToolResult } from "./agent_tool.ts";

/**
 * Events of a run, in this order: `agent_start`, then turns, then
 * `agent_end`. A turn is `turn_start`, the messages that open it, one assistant
 * message, its tool calls and their results, `turn_end`.
 *
 * Each message has one `message_start` and one `message_end`; updates come for
 * assistant messages only. Calls that run beside each other end in the order
 * in which they complete; their result messages come in the order of the calls.
 */
export type AgentEvent =
  | { type: "agent_start" }
  | {
    type: "agent_end";
    /** The messages that this run added. */
    messages: AgentMessage[];
    /** True when the run was aborted. */
    aborted?: boolean;
  }
  | { type: "turn_start" }
  | {
    type: "turn_end";
    message: AssistantMessage;
    toolResults: ToolResultMessage[];
  }
  | { type: "message_start"; message: AgentMessage }
  | {
    type: "message_update";
    /** A snapshot, never changed later. */
    message: AssistantMessage;
    assistantMessageEvent: AssistantMessageEvent;
  }
  | { type: "message_end"; message: AgentMessage }
  | {
    type: "tool_execution_start";
    toolCallId: string;
    toolName: string;
    /** As the model wrote them. */
    args: JsonObject;
  }
  | {
    type: "tool_execution_update";
    toolCallId: string;
    toolName: string;
    args: JsonObject;
    partialResult: AgentToolResult;
  }
  | {
    type: "tool_execution_end";
    toolCallId: string;
    toolName: string;
    result: AgentToolResult;
    isError: boolean;
    /** Milliseconds of `execute`; absent when it never ran. */
    durationMs?: number;
  };

/** Hears an event. The run goes on when the returned promise settles; a throw ends it as failed. */
export type AgentEventSink = (event: AgentEvent) => void | Promise<void>;
