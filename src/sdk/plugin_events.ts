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

/** A tool call that is about to run. Handlers may change `input`, which is validated again, or block the call. */
export interface ToolCallEvent {
  /** Tells the events apart. */
  type: "tool_call";
  /** The tool that is called. */
  toolName: string;
  /** The id of the call, unique in the conversation. */
  toolCallId: string;
  /** The id of the call that made this one; absent where the model made it. */
  parentToolCallId?: string;
  /** The validated arguments. Change them in place to change the call. */
  input: JsonObject;
}

/** The result of a tool call, or, with `partial`, its progress. */
export interface ToolResultEvent {
  /** Tells the events apart. */
  type: "tool_result";
  /** The tool that was called. */
  toolName: string;
  /** The id of the call, unique in the conversation. */
  toolCallId: string;
  /** The id of the call that made this one; absent where the model made it. */
  parentToolCallId?: string;
  /** The arguments of the call. */
  input: JsonObject;
  /** The text and images that the model sees. */
  content: UserContent[];
  /** Data for renderers and hosts; the model does not see it. */
  details?: JsonValue;
  /** The result as data. */
  structuredContent?: JsonValue;
  /** True when the call failed. */
  isError: boolean;
  /** Tokens and money that the tool itself spent on models. */
  usage?: Usage;
  /** True for progress, which people and hosts see and the model does not. */
  partial: boolean;
}

/**
 * The events that `tau.on` takes, by their names. Handlers get copies:
 * changing one changes nothing, with the exception of `input` of `tool_call`.
 */
export interface PluginEvents {
  /** The plugins are loaded, and no prompt has come yet. */
  session_start: {
    type: "session_start";
    /** `resume`: an earlier session goes on. `reload`: plugins were loaded anew. */
    reason: "startup" | "resume" | "reload";
  };
  /** The last event of a plugin, before tau ends or plugins are loaded anew. */
  session_shutdown: {
    type: "session_shutdown";
    /** `quit`: tau ends. `reload`: plugins are loaded anew. */
    reason: "quit" | "reload";
  };
  /** The user said something that is no command of a plugin. Prompt templates and skills are filled in already. */
  input: {
    type: "input";
    /** The text that the model would read. */
    text: string;
    /** Images that the user attached. */
    images: ImageContent[];
    /** `prompt` begins a run; `steer` and `follow_up` are said to one that goes on. */
    source: "prompt" | "steer" | "follow_up" | "plugin";
  };
  /** A run is about to start. */
  before_agent_start: {
    type: "before_agent_start";
    /** The text of the prompt. */
    prompt: string;
    /** Images of the prompt. */
    images: ImageContent[];
    /** The system prompt, as earlier handlers left it. */
    systemPrompt: string;
  };
  /** A run starts. */
  agent_start: { type: "agent_start" };
  /** A run is over. */
  agent_end: {
    type: "agent_end";
    /** The messages that the run added. */
    messages: AgentMessage[];
    /** True when the run was stopped. */
    aborted: boolean;
  };
  /** A run is over, with all retries, checks and summaries that belong to it. */
  agent_settled: {
    type: "agent_settled";
    /** True when the run was stopped. */
    aborted: boolean;
  };
  /** A turn starts: one answer of the model, and the tool calls in it. */
  turn_start: {
    type: "turn_start";
    /** Counts from 0 in each run. */
    turnIndex: number;
    /** Milliseconds since 1970. */
    timestamp: number;
  };
  /** A turn is over. */
  turn_end: {
    type: "turn_end";
    /** Counts from 0 in each run. */
    turnIndex: number;
    /** The answer of the model. */
    message: AssistantMessage;
    /** The results of its tool calls. */
    toolResults: ToolResultMessage[];
  };
  /** A message begins. */
  message_start: {
    type: "message_start";
    /** The message so far; that of a model may still be empty. */
    message: AgentMessage;
  };
  /** The answer of the model grows. */
  message_update: {
    type: "message_update";
    /** The answer so far. */
    message: AssistantMessage;
    /** The step that it grew by. */
    assistantMessageEvent: AssistantMessageEvent;
  };
  /** A message is complete, and not stored yet. */
  message_end: {
    type: "message_end";
    /** The whole message. */
    message: AgentMessage;
  };
  /** The model made a tool call; it is not validated yet. */
  tool_execution_start: {
    type: "tool_execution_start";
    /** The id of the call. */
    toolCallId: string;
    /** The name that was called; there may be no such tool. */
    toolName: string;
    /** The arguments as the model wrote them. */
    args: JsonObject;
  };
  /** A tool call reports progress. */
  tool_execution_update: {
    type: "tool_execution_update";
    /** The id of the call. */
    toolCallId: string;
    /** The tool that is called. */
    toolName: string;
    /** The arguments as the model wrote them. */
    args: JsonObject;
    /** The progress; each report replaces the one before. */
    partialResult: AgentToolResult;
  };
  /** A tool call has its result. */
  tool_execution_end: {
    type: "tool_execution_end";
    /** The id of the call. */
    toolCallId: string;
    /** The tool that was called. */
    toolName: string;
    /** The result, as handlers of `tool_result` left it. */
    result: AgentToolResult;
    /** True when the call failed. */
    isError: boolean;
  };
  /** A tool call is about to run. */
  tool_call: ToolCallEvent;
  /** A tool call has its result, or reports progress. */
  tool_result: ToolResultEvent;
  /** A request is about to be made. */
  context: {
    type: "context";
    /** The messages that it will send, without those of role `system`. */
    messages: Message[];
  };
  /** A request is about to be sent to the provider. */
  before_provider_request: {
    type: "before_provider_request";
    /** Its body, in the wire format of the provider. */
    payload: JsonObject;
  };
  /** A request is about to be sent to the provider. */
  before_provider_headers: {
    type: "before_provider_headers";
    /** Its headers, without those that hold a credential. */
    headers: Record<string, string>;
  };
  /** The provider answered a request; the body has not been read yet. */
  after_provider_response: {
    type: "after_provider_response";
    /** The HTTP status. */
    status: number;
    /** Headers by their names in lower case. */
    headers: Record<string, string>;
  };
  /** Another model answers from the next request on. */
  model_select: {
    type: "model_select";
    /** The model from now on. */
    model: PluginModel;
    /** The model until now. */
    previousModel: PluginModel;
  };
  /** The model thinks harder or less from the next request on. */
  thinking_level_select: {
    type: "thinking_level_select";
    /** The level from now on. */
    level: ThinkingLevel;
    /** The level until now. */
    previousLevel: ThinkingLevel;
  };
  /** The first part of the conversation is about to be replaced by a summary. */
  session_before_compact: {
    type: "session_before_compact";
    /** `threshold`: the window is nearly full. `overflow`: the provider refused a request as too long. `manual`: the user or a plugin wants it. */
    reason: "threshold" | "overflow" | "manual";
    /** Tokens of a request now. */
    tokens: number;
    /** The messages that the summary will replace. */
    messages: Message[];
  };
  /** The first part of the conversation was replaced by a summary. */
  session_compact: {
    type: "session_compact";
    /** As in `session_before_compact`. */
    reason: "threshold" | "overflow" | "manual";
    /** The summary. */
    summary: string;
    /** Tokens of a request before. */
    tokensBefore: number;
  };
  /** The conversation could not be shortened, and stays as it is. */
  session_compact_failed: {
    type: "session_compact_failed";
    /** As in `session_before_compact`. */
    reason: "threshold" | "overflow" | "manual";
    /** True when it was stopped. */
    aborted: boolean;
    /** Reason of the failure, for people. */
    errorMessage?: string;
  };
  /** The user runs a command beside the conversation (`!command`). */
  user_bash: {
    type: "user_bash";
    /** The command line. */
    command: string;
    /** True when the model does not see the command and its output (`!!command`). */
    excludeFromContext: boolean;
    /** The working folder, absolute. */
    cwd: string;
  };
  /** A plugin asks the user a question. */
  ui_prompt_start: {
    type: "ui_prompt_start";
    /** The kind of question. */
    kind: "select" | "confirm" | "input" | "editor";
    /** The question. */
    title: string;
  };
  /** The question was answered, dismissed or taken back. */
  ui_prompt_end: {
    type: "ui_prompt_end";
    /** The kind of question. */
    kind: "select" | "confirm" | "input" | "editor";
    /** The question. */
    title: string;
  };
}

/**
 * Results of handlers, for the events whose handlers decide something. A
 * handler that returns nothing leaves everything as it is.
 */
export interface PluginEventResults {
  /** `transform` changes the text for later handlers and the model. `handled` ends the prompt without a run. */
  input:
    | { action: "continue" }
    | { action: "transform"; text: string; images?: ImageContent[] }
    | { action: "handled" };
  /** The messages of all handlers are added; the system prompt of the last one is used. */
  before_agent_start: {
    /** Added to the conversation behind the prompt. */
    message?: PluginMessage;
    /** The system prompt of this run. */
    systemPrompt?: string;
  };
  /** The new content is stored and shown. Role and tool calls of the message cannot be changed. */
  message_end: {
    /** The message with other content. */
    message: AgentMessage;
  };
  /** The first handler that blocks decides. One that throws blocks the call, too. */
  tool_call: {
    /** True: the call does not run. */
    block?: boolean;
    /** The reason that the model reads. */
    reason?: string;
    /** True, with `block`: the run ends, when the other calls of the answer want that, too. */
    terminate?: boolean;
  };
  /** Each part replaces that of the result. A handler that throws withholds the result from the model. */
  tool_result: {
    /** The text and images that the model sees. */
    content?: UserContent[];
    /** Data for renderers and hosts. */
    details?: JsonValue;
    /** The result as data. */
    structuredContent?: JsonValue;
    /** True when the model should read it as a failure. */
    isError?: boolean;
    /** Tokens and money that the tool itself spent on models. */
    usage?: Usage;
  };
  /** Changes this request only: the conversation stays as it is. */
  context: {
    /** The messages to send. */
    messages: Message[];
  };
  /** The body to send. */
  before_provider_request: JsonObject;
  /** Headers to add to the request. One that holds a credential, such as `authorization`, fails the handler. */
  before_provider_headers: Record<string, string>;
  /** A handler that cancels decides; otherwise the last summary is used. */
  session_before_compact: {
    /** True: the conversation stays as it is. */
    cancel?: boolean;
    /** The summary to use; the model is not asked for one. */
    summary?: string;
  };
  /** The command does not run. The first handler that returns an output decides; one that throws cancels the command. */
  user_bash: {
    /** Shown as the output of the command. */
    output: string;
    /** True: the command counts as failed. Default false. */
    isError?: boolean;
  };
}

/** The name of an event. */
export type PluginEventName = keyof PluginEvents;

/** Any event. */
export type PluginEvent = PluginEvents[PluginEventName];

/** The type that a handler of an event may return. */
export type PluginEventResult<Name extends PluginEventName> = Name extends
  keyof PluginEventResults ? PluginEventResults[Name] | undefined | void : void;

/**
 * A handler of an event. Handlers run one after the other: in the order in
 * which their plugins were loaded, and within a plugin in that of their
 * registration. Each has 60 seconds; time in which the user is asked does not
 * count.
 */
export type PluginEventHandler<Name extends PluginEventName> = (
  event: PluginEvents[Name],
  ctx: PluginContext,
) => PluginEventResult<Name> | Promise<PluginEventResult<Name>>;

/** A message to the model that a plugin writes. */
export interface PluginMessage {
  /** A name of your own for this kind of message. */
  customType: string;
  /** The text or blocks that the model reads. */
  content: string | UserContent[];
  /** False hides the message from people. Default true. */
  display?: boolean;
  /** Data for renderers and hosts; the model does not see it. */
  details?: JsonValue;
}
