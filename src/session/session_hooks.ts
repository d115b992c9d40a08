import type { AgentMessage } from "../agent/agent_message.ts";
import type { ToolCallHooks } from "../agent/loop_config.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { Message, UserMessage } from "../model/message.ts";
import type { CompactionReason } from "./compaction.ts";
import type { SessionEvent } from "./session_event.ts";

/** Additions of hooks before a run. */
export interface RunOpening {
  /** Join the conversation behind the prompt. */
  messages: UserMessage[];
  /** Holds for the run; undefined where it stays as it is. */
  systemPrompt: string | undefined;
}

/** A report of progress that is about to be told. */
export type ProgressEvent = Extract<
  SessionEvent,
  { type: "tool_execution_update" }
>;

/**
 * Whoever looks at a session and changes what it does, such as its plugins.
 * Without hooks a session pays nothing for them. None of these rejects; where
 * one does all the same, the run ends as a failed one.
 */
export interface SessionHooks {
  /** Before the first request of a run. */
  beforeRun(
    said: readonly AgentMessage[],
    systemPrompt: string,
  ): Promise<RunOpening>;
  /** Changes what a request sends, the system messages aside; undefined while nobody wants to. */
  readonly context:
    | ((messages: Message[]) => Message[] | Promise<Message[]>)
    | undefined;
  /** Calls that the rules let through; undefined while nobody wants to decide. */
  readonly beforeToolCall: ToolCallHooks["beforeToolCall"];
  /** Results of calls that ran; undefined while nobody wants to see any. */
  readonly afterToolCall: ToolCallHooks["afterToolCall"];
  /** Progress before it is told; undefined while nobody wants to see it. */
  readonly progress:
    | ((event: ProgressEvent) => AgentToolResult | Promise<AgentToolResult>)
    | undefined;
  /** A complete message before it is stored; undefined while nobody wants to change any. */
  readonly completeMessage:
    | ((message: AgentMessage) => AgentMessage | Promise<AgentMessage>)
    | undefined;
  /** Each event, once everybody else has heard of it. */
  hear(event: SessionEvent): void | Promise<void>;
  /** A compaction has ended. */
  compacted?(event: SessionEvent): void | Promise<void>;
  /** Before a summary is asked for. */
  beforeCompact(compaction: {
    reason: CompactionReason;
    tokens: number;
    messages: Message[];
  }): Promise<{ cancel: boolean; summary: string | undefined }>;
}
