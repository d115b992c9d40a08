import type {
  AssistantContent,
  JsonValue,
  TextContent,
  UserContent,
} from "./content.ts";
import type { Api, ThinkingLevel } from "./model.ts";
import type { ModelErrorKind } from "./model_error.ts";
import type { Tool } from "./tool.ts";

/** Tokens and money that one response cost. */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  input: number;
  /** Output tokens, those spent on reasoning included. */
  output: number;
  /** Input tokens that were read from a cache. */
  cacheRead: number;
  /** Input tokens that were written to a cache. */
  cacheWrite: number;
  /** The part of `output` spent on reasoning, where the provider tells. */
  reasoning?: number;
  /** All tokens together. */
  totalTokens: number;
  /** US dollars; 0 where no price is known. */
  cost: {
    input: number;
    output: number;
    cacheRead: number;
    cacheWrite: number;
    total: number;
  };
}

/**
 * The reason why an assistant message ended. `pending` only while it streams; `error` and
 * `aborted` mean that it is incomplete: its tool calls are never run and it is
 * left out of later requests.
 */
export type StopReason =
  | "pending"
  | "stop"
  | "length"
  | "toolUse"
  | "error"
  | "aborted";

/** Instructions, and changes of the tool set, at their place in the transcript. */
export interface SystemMessage {
  /** Tells the messages apart. */
  role: "system";
  /** Added to what earlier system messages say; may be empty. */
  content: string | TextContent[];
  /** Named parts of the prompt; a later message replaces a part by name, `null` removes it. */
  sections?: Record<string, string | null>;
  /** From here on the model has these too; applied after `toolsRemoved`. */
  toolsAdded?: Tool[];
  /** From here on the model no longer has these. */
  toolsRemoved?: { name: string }[];
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** The source of a message that is not the prompt of the user. */
export type MessageOrigin =
  /** A command that the user ran beside the conversation. */
  | { kind: "shell"; command: string }
  /** A plugin. */
  | {
    kind: "custom";
    /** Says what it is, to whoever wrote it. */
    customType: string;
    /** False hides the message from people. */
    display: boolean;
    /** For renderers and hosts. */
    details?: JsonValue;
  };

/** A message of the user, or one in the place of the user. */
export interface UserMessage {
  /** Tells the messages apart. */
  role: "user";
  /** The source of the message where that is not the prompt of the user. The model does not see this. */
  origin?: MessageOrigin;
  /** Text alone, or blocks in the order in which they were given. */
  content: string | UserContent[];
  /** Milliseconds since 1970. */
  timestamp: number;
}

/** One response of the model. */
export interface AssistantMessage {
  /** Tells the messages apart. */
  role: "assistant";
  /** Blocks in the order in which they began. */
  content: AssistantContent[];
  /** The wire format that it came in. */
  api: Api;
  /** Format that it came in; signatures are replayed to the same provider and model only. */
  provider: string;
  /** The model id that was asked for. */
  model: string;
  /** The model id that the provider says answered, when it differs. */
  responseModel?: string;
  /** The provider's id of the response. */
  responseId?: string;
  /** Tokens and money that it cost; all 0 while it streams, and where the provider does not tell. */
  usage: Usage;
  /** The thinking level that was asked for; set by an `Agent`. */
  thinkingLevel?: ThinkingLevel;
  /** The reason why it ended. */
  stopReason: StopReason;
  /** The provider's own word for `stopReason`. */
  rawStopReason?: string;
  /** The reason of the failure, for people; set with stopReason `error` and `aborted`. */
  errorMessage?: string;
  /** The kind of failure; set with stopReason `error` when a provider failed. */
  errorKind?: ModelErrorKind;
  /** Milliseconds that the provider asked to wait before the next try. */
  retryAfterMs?: number;
  /** Milliseconds since 1970, when the response began. */
  timestamp: number;
  /** Milliseconds from the request to the last byte, by a monotonic clock. */
  durationMs?: number;
}

/** The outcome of one tool call. Each call of the transcript has exactly one. */
// deno-lint-ignore no-explicit-any -- a tool may have details of any type
export interface ToolResultMessage<Details = any> {
  /** Tells the messages apart. */
  role: "toolResult";
  /** The id of the call that it answers. */
  toolCallId: string;
  /** The name that was called. */
  toolName: string;
  /** The text and images that the model sees; may be empty. */
  content: UserContent[];
  /** Data for renderers and hosts; the model never sees it. */
  details?: Details;
  /** Tokens and money that the tool itself spent on models. */
  usage?: Usage;
  /** True when the call failed. */
  isError: boolean;
  /** Names of tools that this call added to the tool set. */
  addedToolNames?: string[];
  /** Milliseconds since 1970. */
  timestamp: number;
  /** Milliseconds of `execute` alone; absent when it never ran. */
  durationMs?: number;
}

/** A message that a provider can be sent. */
export type Message =
  | SystemMessage
  | UserMessage
  | AssistantMessage
  | ToolResultMessage;

/** A usage of nothing. */
export function emptyUsage(): Usage {
  return {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}

/** The text blocks of a message's content, one line break between them. */
export function textOf(content: Message["content"]): string {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of content) {
    if (block.type === "text") texts.push(block.text);
  }
  return texts.join("\n");
}
