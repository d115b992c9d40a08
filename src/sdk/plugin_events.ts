import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type {
  ImageContent,
  JsonObject,
  JsonValue,
  UserContent,
} from "../model/content.ts";
import type {
  AssistantMessage,
  Message,
  ToolResultMessage,
  Usage,
} from "../model/message.ts";
import type { ThinkingLevel } from "../model/model.ts";
import type { AssistantMessageEvent } from "../model/stream.ts";
import type { PluginContext, PluginModel } from "./plugin_context.ts";

/** A call that is about to run: handlers may change `input`, which is validated again, or block the call. */
export interface ToolCallEvent {
  /** Tells the events apart. */
  type: "tool_call";
  /** The tool that is called. */
  toolName: string;
  /** Unique in the conversation. */
  toolCallId: string;
  /** Set when another call made this one. */
  parentToolCallId?: string;
  /** The validated arguments; a copy, which may be changed in place. */
  input: JsonObject;
}

/** What a tool returned, or, with `partial`, what it reported so far. */
export interface ToolResultEvent {
  /** Tells the events apart. */
  type: "tool_result";
  /** The tool that was called. */
  toolName: string;
  /** Unique in the conversation. */
  toolCallId: string;
  /** Set when another call made this one. */
  parentToolCallId?: string;
  /** The arguments that it was called with. */
  input: JsonObject;
  /** For the model; a copy. */
  content: UserContent[];
  /** For renderers and hosts. */
  details?: JsonValue;
  /** The result as data. */
  structuredContent?: JsonValue;
  /** Whether the model hears of a failure. */
  isError: boolean;
  /** What the call spent on models. */
  usage?: Usage;
  /** True for progress: nobody but people and hosts see it. */
  partial: boolean;
}

/**
 * The events that `tau.on` takes, with what their handlers are given: copies,
 * which later events do not change.
 */
export interface PluginEvents {
  /** Plugins are loaded and the first prompt has not come. */
  session_start: {
    type: "session_start";
    reason: "startup" | "resume" | "reload";
  };
  /** The last that a plugin hears. */
  session_shutdown: { type: "session_shutdown"; reason: "quit" | "reload" };
  /** What the user said, before anything is made of it. */
  input: {
    type: "input";
    text: string;
    images: ImageContent[];
    source: "prompt" | "steer" | "follow_up" | "plugin";
  };
  /** A run is about to start. */
  before_agent_start: {
    type: "before_agent_start";
    prompt: string;
    images: ImageContent[];
    /** As the model will read it, with what earlier handlers made of it. */
    systemPrompt: string;
  };
  /** A run starts. */
  agent_start: { type: "agent_start" };
  /** A run is over; `messages` are those that it added. */
  agent_end: {
    type: "agent_end";
    messages: AgentMessage[];
    aborted: boolean;
  };
  /** A run is over and so is all that it caused. */
  agent_settled: { type: "agent_settled"; aborted: boolean };
  /** A turn starts; `turnIndex` counts from 0 in each run. */
  turn_start: { type: "turn_start"; turnIndex: number; timestamp: number };
  /** A turn is over. */
  turn_end: {
    type: "turn_end";
    turnIndex: number;
    message: AssistantMessage;
    toolResults: ToolResultMessage[];
  };
  /** A message begins. */
  message_start: { type: "message_start"; message: AgentMessage };
  /** The model's answer grows. */
  message_update: {
    type: "message_update";
    message: AssistantMessage;
    assistantMessageEvent: AssistantMessageEvent;
  };
  /** A message is complete and not yet stored. */
  message_end: { type: "message_end"; message: AgentMessage };
  /** A call is looked at; `args` are as the model wrote them. */
  tool_execution_start: {
    type: "tool_execution_start";
    toolCallId: string;
    toolName: string;
    args: JsonObject;
  };
  /** A call reports progress. */
  tool_execution_update: {
    type: "tool_execution_update";
    toolCallId: string;
    toolName: string;
    args: JsonObject;
    partialResult: AgentToolResult;
  };
  /** A call has its result. */
  tool_execution_end: {
    type: "tool_execution_end";
    toolCallId: string;
    toolName: string;
    result: AgentToolResult;
    isError: boolean;
  };
  /** A call is about to run. */
  tool_call: ToolCallEvent;
  /** A call ran, or reports progress. */
  tool_result: ToolResultEvent;
  /** The messages of a request, without those of role `system`. */
  context: { type: "context"; messages: Message[] };
  /** The body of a request, as the provider's wire format has it. */
  before_provider_request: {
    type: "before_provider_request";
    payload: JsonObject;
  };
  /** The headers of a request, without those that hold a credential. */
  before_provider_headers: {
    type: "before_provider_headers";
    headers: Record<string, string>;
  };
  /** The provider answered. */
  after_provider_response: {
    type: "after_provider_response";
    status: number;
    headers: Record<string, string>;
  };
  /** Another model answers from the next request on. */
  model_select: {
    type: "model_select";
    model: PluginModel;
    previousModel: PluginModel;
  };
  /** The model thinks harder, or less, from the next request on. */
  thinking_level_select: {
    type: "thinking_level_select";
    level: ThinkingLevel;
    previousLevel: ThinkingLevel;
  };
  /** The conversation is about to be shortened. */
  session_before_compact: {
    type: "session_before_compact";
    reason: "threshold" | "overflow" | "manual";
    /** Tokens of a request now. */
    tokens: number;
    /** What the summary takes the place of. */
    messages: Message[];
  };
  /** The conversation was shortened. */
  session_compact: {
    type: "session_compact";
    reason: "threshold" | "overflow" | "manual";
    summary: string;
    tokensBefore: number;
  };
  /** It was not shortened after all. */
  session_compact_failed: {
    type: "session_compact_failed";
    reason: "threshold" | "overflow" | "manual";
    aborted: boolean;
    errorMessage?: string;
  };
  /** The user runs a command beside the conversation. */
  user_bash: {
    type: "user_bash";
    command: string;
    /** The model will not hear of it. */
    excludeFromContext: boolean;
    cwd: string;
  };
  /** A plugin asks the user. */
  ui_prompt_start: {
    type: "ui_prompt_start";
    kind: "select" | "confirm" | "input" | "editor";
    title: string;
  };
  /** The user has answered, or nobody will. */
  ui_prompt_end: {
    type: "ui_prompt_end";
    kind: "select" | "confirm" | "input" | "editor";
    title: string;
  };
}

/**
 * What handlers may return, for the events whose handlers decide something.
 * Nothing returned means: leave it as it is.
 */
export interface PluginEventResults {
  /** `transform` is what later handlers see; `handled` ends the prompt without a run. */
  input:
    | { action: "continue" }
    | { action: "transform"; text: string; images?: ImageContent[] }
    | { action: "handled" };
  /** Messages of all handlers join the conversation; the last system prompt holds for the run. */
  before_agent_start: { message?: PluginMessage; systemPrompt?: string };
  /** Takes the place of the message, before it is stored; of the same role. */
  message_end: { message: AgentMessage };
  /** The first that blocks decides. A handler that throws blocks too. */
  tool_call: {
    /** The call does not run. */
    block?: boolean;
    /** For the model. */
    reason?: string;
    /** With `block`: the result votes to end the run. */
    terminate?: boolean;
  };
  /** Parts that take the place of the result's own. A handler that throws withholds the result. */
  tool_result: {
    content?: UserContent[];
    details?: JsonValue;
    structuredContent?: JsonValue;
    isError?: boolean;
    usage?: Usage;
  };
  /** What the request sends; the conversation stays as it is. */
  context: { messages: Message[] };
  /** Takes the place of the body. */
  before_provider_request: JsonObject;
  /** Headers to add; those that hold a credential are left out. */
  before_provider_headers: Record<string, string>;
  /** `cancel` keeps the conversation as it is; a `summary` is used in place of the model's. */
  session_before_compact: { cancel?: boolean; summary?: string };
  /** Told in place of running the command. */
  user_bash: { output: string; isError?: boolean };
}

/** The name of an event. */
export type PluginEventName = keyof PluginEvents;

/** Any event. */
export type PluginEvent = PluginEvents[PluginEventName];

/** What a handler of an event may return. */
export type PluginEventResult<Name extends PluginEventName> = Name extends
  keyof PluginEventResults ? PluginEventResults[Name] | undefined | void : void;

/**
 * Hears an event. Handlers run one after the other: plugins in the order in
 * which they were loaded, handlers of a plugin in that of their registration.
 * Each has 60 seconds, time in dialogs not counted.
 */
export type PluginEventHandler<Name extends PluginEventName> = (
  event: PluginEvents[Name],
  ctx: PluginContext,
) => PluginEventResult<Name> | Promise<PluginEventResult<Name>>;

/** A message to the model that a plugin writes. */
export interface PluginMessage {
  /** Says what it is, to whoever wrote it. */
  customType: string;
  /** For the model. */
  content: string | UserContent[];
  /** Whether people are shown it. Default true. */
  display?: boolean;
  /** For renderers and hosts. */
  details?: JsonValue;
}
