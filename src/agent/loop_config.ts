import type { JsonObject, ToolCall } from "../model/content.ts";
import type {
  AssistantMessage,
  Message,
  ToolResultMessage,
} from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { StreamOptions } from "../model/stream.ts";
import type { AgentMessage } from "./agent_message.ts";
import type {
  AgentTool,
  AgentToolResult,
  ToolExecutionMode,
} from "./agent_tool.ts";

/** The transcript and tools that a run starts from. */
export interface AgentContext {
  /** The transcript. A run reads each message once: hooks return another context instead of changing this one. */
  messages: AgentMessage[];
  /** Copied when a run starts, unless frozen. */
  tools?: readonly AgentTool[];
}

/** A call that is about to run. */
export interface BeforeToolCallContext {
  /** Holds the call. */
  assistantMessage: AssistantMessage;
  /** As the model wrote it. */
  toolCall: ToolCall;
  /** Validated. `beforeToolCall` may change them in place; they are validated again then. `afterToolCall` sees them frozen. */
  args: JsonObject;
  /** That of the request which was answered by the call. */
  context: AgentContext;
}

/** The decision of a hook about a call. */
export interface BeforeToolCallResult {
  /** The call does not run; `reason` becomes its error result. */
  block?: boolean;
  /** For the model, with `block`. Default `Tool execution was blocked`. */
  reason?: string;
  /** With `block`: the result votes to end the run. */
  terminate?: boolean;
  /** Takes the place of the arguments; validated again. */
  args?: JsonObject;
  /** With `args`: who gave them, for the model to hear of when they are wrong. */
  changedBy?: string;
}

/** A call that ran. */
export interface AfterToolCallContext extends BeforeToolCallContext {
  /** The tool's result, or the error that it threw, as a result. */
  result: AgentToolResult;
  /** True when the model hears of a failure. */
  isError: boolean;
}

/**
 * Fields that take the place of the result's own, one by one. New `content`
 * without new `structuredContent` drops the old structured content.
 */
export type AfterToolCallResult = Partial<
  Omit<AgentToolResult, "addedToolNames">
>;

/** Hooks around one tool call. A throw makes an error result with its message. */
export interface ToolCallHooks {
  /** Between the validation of a call and its execution; calls of one batch are asked about one after the other. */
  beforeToolCall?(
    call: BeforeToolCallContext,
    signal?: AbortSignal,
  ):
    | BeforeToolCallResult
    | undefined
    | void
    | Promise<BeforeToolCallResult | undefined | void>;
  /** Only for calls that ran. */
  afterToolCall?(
    call: AfterToolCallContext,
    signal?: AbortSignal,
  ):
    | AfterToolCallResult
    | undefined
    | void
    | Promise<AfterToolCallResult | undefined | void>;
}

/** A turn that has ended. */
export interface FinishedTurn {
  /** The answer. */
  message: AssistantMessage;
  /** One for each of its calls, in their order; none when the answer failed. */
  toolResults: ToolResultMessage[];
  /** The transcript and the tools so far. */
  context: AgentContext;
  /** The messages that the run has added so far. */
  newMessages: readonly AgentMessage[];
}

/** Replacements that hold from the next request on. `thinkingLevel` `"off"` turns reasoning off. */
export interface RequestChange {
  /** Its arrays are copied. */
  context?: AgentContext;
  /** Answers the request. */
  model?: Model;
  /** Effort of its thinking. */
  thinkingLevel?: ThinkingLevel;
}

/** Changes that the next turn starts with. */
export interface NextTurnChange extends RequestChange {
  /** Open the turn. */
  messages?: AgentMessage[];
  /** Take the place of the context's tools; what changes is declared in the transcript. The same frozen list again costs nothing. */
  tools?: readonly AgentTool[];
}

/**
 * Settings and hooks of a loop.
 *
 * A hook that throws ends the run as a failed one: an assistant message with
 * stopReason `error`, `turn_end`, `agent_end`. There is no limit on turns: a
 * host that wants one ends the run in `finishTurn`.
 */
export interface AgentLoopConfig
  extends Omit<StreamOptions, "signal">, ToolCallHooks {
  /** Answers, unless a hook replaces it. */
  model: Model;
  /** Turns the transcript into what a provider can be sent. */
  convertToLlm(messages: AgentMessage[]): Message[] | Promise<Message[]>;
  /** Changes what a request sees; the transcript stays as it is. Before `convertToLlm`. */
  transformContext?(
    messages: AgentMessage[],
    signal?: AbortSignal,
  ): AgentMessage[] | Promise<AgentMessage[]>;
  /** A key for one request; `apiKey` when it returns nothing. */
  getApiKey?(
    provider: string,
  ): string | undefined | Promise<string | undefined>;
  /** Before each request. */
  prepareRequest?(
    request: {
      context: AgentContext;
      model: Model;
      thinkingLevel: ThinkingLevel;
    },
    signal?: AbortSignal,
  ): RequestChange | undefined | Promise<RequestChange | undefined>;
  /** Before each turn but the first. */
  prepareNextTurn?(
    lastTurn: FinishedTurn,
  ): NextTurnChange | undefined | Promise<NextTurnChange | undefined>;
  /**
   * Before `turn_end`, applied after it. `end` ends the run and leaves queued
   * messages queued; `continue` guarantees one more request. Ignored when the
   * turn failed or was aborted.
   */
  finishTurn?(
    turn: FinishedTurn,
    signal?: AbortSignal,
  ):
    | { action: "continue" | "end" }
    | undefined
    | void
    | Promise<{ action: "continue" | "end" } | undefined | void>;
  /** Changes a message that is complete, between its `message_start` and `message_end`, before it is part of the transcript. Of the same role, with the same calls. */
  completeMessage?(
    message: AgentMessage,
  ): AgentMessage | Promise<AgentMessage>;
  /** Messages to put before the next request, however busy the run is. What it returns is taken off its queue. */
  getSteeringMessages?(): AgentMessage[] | Promise<AgentMessage[]>;
  /** Messages to go on with when the run would end. */
  getFollowUpMessages?(): AgentMessage[] | Promise<AgentMessage[]>;
  /** Default `parallel`. */
  toolExecution?: ToolExecutionMode;
  /** True: each answer says the thinking level that it was asked with. Default false. */
  notesThinkingLevel?: boolean;
}
