import type { JsonObject, ToolCall } from "./content.ts";
import type { EventStream } from "./event_stream.ts";
import type { AssistantMessage, Message, Usage } from "./message.ts";
import type { Model, ThinkingLevel } from "./model.ts";
import type { ModelErrorKind } from "./model_error.ts";
import type { Tool } from "./tool.ts";

/** Everything that one request tells the model. */
export interface Context {
  /** Absent when there is nothing to say. */
  systemPrompt?: string;
  /** The conversation; its last message waits for an answer. */
  messages: Message[];
  /** Tools that the model may call. Default none. */
  tools?: Tool[];
}

/** Settings of one request. */
export interface StreamOptions {
  /** Ends the stream with an `error` event of reason `aborted`. */
  signal?: AbortSignal;
  /** The credential; it leaves only as a header. */
  apiKey?: string;
  /** Added to the request; `null` removes a header. */
  headers?: Record<string, string | null>;
  /** Randomness of the answer; the provider's default when absent. */
  temperature?: number;
  /** Tokens of output; the model's own limit when absent. */
  maxTokens?: number;
  /** Effort of thinking; no thinking when absent. */
  reasoning?: Exclude<ThinkingLevel, "off">;
  /** `none` keeps the model from calling tools. Default `auto`. */
  toolChoice?: "auto" | "none";
  /** Lets a provider find the cache of the conversation again. */
  sessionId?: string;
  /** Limits on a server's silence; parts that are absent keep their default. */
  timeouts?: StreamTimeouts;
  /** Look at the request and what comes back. Default: nobody does. */
  hooks?: RequestHooks;
  /** Sees the body before it is sent; one that it returns is sent in its place. After `hooks`. */
  onPayload?(payload: unknown, model: Model): unknown;
  /** Sees status and headers of the answer, without cookies, before its body is read. After `hooks`. */
  onResponse?(
    response: { status: number; headers: Record<string, string> },
    model: Model,
  ): void | Promise<void>;
  /** Sees each event of the answer as the provider sent it: its JSON, parsed. */
  onProviderStreamEvent?(event: unknown, model: Model): void;
  /** Who asks, for stream functions that tell a provider. */
  identity?: Record<string, string | undefined>;
  /** Data for stream functions of a host; the wire formats send none of it. */
  metadata?: Record<string, unknown>;
  /** A wish for stream functions of a host; the wire formats cache as the provider does. */
  cacheRetention?: "none" | "short" | "long";
  /** A wish for stream functions of a host; the wire formats know one transport. */
  transport?: string;
  /** Tokens of thinking by its level, for stream functions of a host. */
  thinkingBudgets?: Partial<Record<Exclude<ThinkingLevel, "off">, number>>;
  /** The longest wait before a request is made again, in milliseconds, for stream functions that make some again. */
  maxRetryDelayMs?: number;
}

/** Hooks on a request to a provider. Credentials are not shown. A rejection fails the request. */
export interface RequestHooks {
  /** The body, before it is JSON; returns what is sent. */
  request?(body: JsonObject): Promise<JsonObject>;
  /** The headers; returns what is added to them. */
  headers?(headers: Record<string, string>): Promise<Record<string, string>>;
  /** Sees the provider's answer, before its body is read. */
  response?(
    answer: { status: number; headers: Record<string, string> },
  ): Promise<void>;
}

/** Limits on silence, in milliseconds. Each has its default at the wire formats. */
export interface StreamTimeouts {
  /** Until the server accepts a connection. */
  connectMs?: number;
  /** Until the first byte of the response. */
  firstByteMs?: number;
  /** Between two reads of the response. */
  idleMs?: number;
  /** Between two pieces of the answer, whatever else is sent to keep the connection alive. */
  answerMs?: number;
}

/**
 * One step of a response as it crosses a process or a network: without
 * anything that earlier steps already said. {@linkcode assembleMessage} turns
 * a sequence of them into {@linkcode AssistantMessageEvent}s.
 *
 * `contentIndex` counts the blocks of the message from 0, in the order of
 * their start; blocks may grow interleaved. `done` or `error` is last.
 */
export type AssistantDelta =
  | { type: "start"; responseId?: string; responseModel?: string }
  | { type: "text_start"; contentIndex: number }
  | { type: "text_delta"; contentIndex: number; delta: string }
  | { type: "text_end"; contentIndex: number; contentSignature?: string }
  | { type: "thinking_start"; contentIndex: number; redacted?: boolean }
  | { type: "thinking_delta"; contentIndex: number; delta: string }
  | { type: "thinking_end"; contentIndex: number; contentSignature?: string }
  | {
    type: "toolcall_start";
    contentIndex: number;
    id: string;
    toolName: string;
  }
  | { type: "toolcall_delta"; contentIndex: number; delta: string }
  | { type: "toolcall_end"; contentIndex: number; thoughtSignature?: string }
  | {
    type: "done";
    reason: "stop" | "length" | "toolUse";
    usage: Usage;
    rawStopReason?: string;
    responseId?: string;
    responseModel?: string;
  }
  | {
    type: "error";
    reason: "error" | "aborted";
    errorMessage: string;
    errorKind?: ModelErrorKind;
    retryAfterMs?: number;
    usage?: Usage;
  };

/**
 * One step of a response as the agent sees it.
 *
 * `partial` is the message so far: a snapshot that is never changed later.
 */
export type AssistantMessageEvent =
  | { type: "start"; partial: AssistantMessage }
  | (
    & { contentIndex: number; partial: AssistantMessage }
    & (
      | { type: "text_start" }
      | { type: "text_delta"; delta: string }
      | { type: "text_end"; content: string }
      | { type: "thinking_start" }
      | { type: "thinking_delta"; delta: string }
      | { type: "thinking_end"; content: string }
      | { type: "toolcall_start" }
      | { type: "toolcall_delta"; delta: string }
      | { type: "toolcall_end"; toolCall: ToolCall }
    )
  )
  | {
    type: "done";
    reason: "stop" | "length" | "toolUse";
    message: AssistantMessage;
  }
  | { type: "error"; reason: "error" | "aborted"; error: AssistantMessage };

/** The events of one response; `result()` is its final message. */
export type AssistantMessageEventStream = EventStream<
  AssistantMessageEvent,
  AssistantMessage
>;

/**
 * Asks a model. Never throws and never rejects: a failure is a last event
 * `error` whose message has stopReason `error` or `aborted`.
 */
export type StreamFn = (
  model: Model,
  context: Context,
  options?: StreamOptions,
) => AssistantMessageEventStream | Promise<AssistantMessageEventStream>;

/**
 * A provider's side of a {@linkcode StreamFn}: the deltas of one response, in
 * batches of what arrived together. It never throws; where it ends without
 * `done` or `error`, the response counts as cut.
 */
export type DeltaSource = (
  model: Model,
  context: Context,
  options: StreamOptions,
) => AsyncIterable<AssistantDelta[]>;
