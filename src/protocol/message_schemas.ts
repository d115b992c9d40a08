import { type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JsonObject, JsonValue } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import type { ModelErrorKind } from "../model/model_error.ts";
import type { JsonSchema } from "../model/tool.ts";
import { STATUS_OF_MODEL_ERROR } from "./exit_codes.ts";

/**
 * Marks bounds that the host sets to what it is told, beside what the published
 * document says. A symbol, since JSON leaves these out.
 */
export const BOUND: unique symbol = Symbol("bound");

/** The schema with bounds of the host. */
export function bounded<Schema extends TSchema>(
  schema: Schema,
  bound: { maxLength: number },
): Schema {
  return { ...schema, [BOUND]: bound };
}

/** One of some words. */
export function oneOf<Word extends string>(...words: Word[]): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: "string", enum: words });
}

/** Any text. */
export const text = Type.String();
/** A count, or a place counted from 0. */
export const count = Type.Integer({ minimum: 0 });
/** Any number. */
export const number = Type.Number();
/** True or false. */
export const flag = Type.Boolean();
/** Any object. */
export const anyObject = Type.Unsafe<JsonObject>({ type: "object" });

const when = Type.Number({ description: "Milliseconds since 1970" });
/** Any value of JSON. */
export const anyJson = Type.Unsafe<JsonValue>({});

/** Tokens and money. */
export const usage = Type.Object({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  reasoning: Type.Optional(count),
  totalTokens: count,
  cost: Type.Object({
    input: number,
    output: number,
    cacheRead: number,
    cacheWrite: number,
    total: number,
  }, { description: "US dollars; 0 where no price is known" }),
}, { $id: "Usage" });

const textContent = Type.Object({
  type: Type.Literal("text"),
  text,
  textSignature: Type.Optional(text),
}, { $id: "TextContent" });

const imageContent = Type.Object({
  type: Type.Literal("image"),
  data: text,
  mimeType: text,
}, { $id: "ImageContent" });

const thinkingContent = Type.Object({
  type: Type.Literal("thinking"),
  thinking: text,
  thinkingSignature: Type.Optional(text),
  redacted: Type.Optional(flag),
}, { $id: "ThinkingContent" });

/** A model's request to run a tool. */
export const toolCall = Type.Object({
  type: Type.Literal("toolCall"),
  id: text,
  name: text,
  arguments: anyObject,
  thoughtSignature: Type.Optional(text),
  argumentsError: Type.Optional(text),
}, { $id: "ToolCall" });

/** Content of a user's message: text and images. */
export const userContent = Type.Array(Type.Union([textContent, imageContent]));

/** A tool as the model is told of it. */
export const tool = Type.Object({
  name: text,
  description: text,
  parameters: Type.Unsafe<JsonSchema>({}),
  constrainedSampling: Type.Optional(Type.Union([
    Type.Literal(false),
    Type.Object({
      type: Type.Literal("json_schema"),
      strict: oneOf("prefer", "require"),
    }),
    Type.Object({
      type: Type.Literal("grammar"),
      variants: Type.Object({
        openai_lark: Type.Optional(text),
        openai_regex: Type.Optional(text),
      }),
    }),
  ])),
}, { $id: "Tool" });

const systemMessage = Type.Object({
  role: Type.Literal("system"),
  content: Type.Union([text, Type.Array(textContent)]),
  sections: Type.Optional(
    Type.Record(text, Type.Union([text, Type.Null()])),
  ),
  toolsAdded: Type.Optional(Type.Array(tool)),
  toolsRemoved: Type.Optional(Type.Array(Type.Object({ name: text }))),
  timestamp: when,
}, { $id: "SystemMessage" });

const userMessage = Type.Object({
  role: Type.Literal("user"),
  origin: Type.Optional(Type.Union([
    Type.Object({ kind: Type.Literal("shell"), command: text }),
    Type.Object({
      kind: Type.Literal("custom"),
      customType: text,
      display: flag,
      details: Type.Optional(anyJson),
    }),
  ])),
  content: Type.Union([text, userContent]),
  timestamp: when,
}, { $id: "UserMessage" });

/** Kind of a failure of a model. */
export const errorKind = oneOf(
  ...Object.keys(STATUS_OF_MODEL_ERROR) as ModelErrorKind[],
);

const assistantMessage = Type.Object({
  role: Type.Literal("assistant"),
  content: Type.Array(Type.Union([textContent, thinkingContent, toolCall])),
  api: oneOf(
    "openai-completions",
    "openai-responses",
    "anthropic-messages",
    "google-generative-ai",
  ),
  provider: text,
  model: text,
  responseModel: Type.Optional(text),
  responseId: Type.Optional(text),
  usage,
  thinkingLevel: Type.Optional(
    oneOf("off", "minimal", "low", "medium", "high", "xhigh", "max"),
  ),
  stopReason: oneOf(
    "pending",
    "stop",
    "length",
    "toolUse",
    "error",
    "aborted",
  ),
  rawStopReason: Type.Optional(text),
  errorMessage: Type.Optional(text),
  errorKind: Type.Optional(errorKind),
  retryAfterMs: Type.Optional(number),
  timestamp: when,
  durationMs: Type.Optional(number),
}, { $id: "AssistantMessage" });

const toolResultMessage = Type.Object({
  role: Type.Literal("toolResult"),
  toolCallId: text,
  toolName: text,
  content: userContent,
  details: Type.Optional(anyJson),
  usage: Type.Optional(usage),
  isError: flag,
  addedToolNames: Type.Optional(Type.Array(text)),
  timestamp: when,
  durationMs: Type.Optional(number),
}, { $id: "ToolResultMessage" });

/** The messages of a transcript; a test compares their types with {@linkcode Message}, whose members are documented for plugins. */
export const messages = Type.Union([
  systemMessage,
  userMessage,
  assistantMessage,
  toolResultMessage,
], { $id: "Message" });

/** A message of a transcript. */
export const message = Type.Unsafe<Message>(messages);

/** Content of a message that can be worked with. */
export const readableBlocks = Type.Array(Type.Union([
  Type.Object({ type: Type.Literal("text"), text }),
  Type.Object({ type: Type.Literal("thinking"), thinking: text }),
  Type.Object({ type: Type.Literal("image"), data: text, mimeType: text }),
  Type.Object({
    type: Type.Literal("toolCall"),
    id: text,
    name: text,
    arguments: anyObject,
  }),
]));

/** The least that a message must have to be worked with: those of older programs, and of others, have it. */
export const readableMessage = Type.Union([
  Type.Object({
    role: oneOf("system", "user"),
    content: Type.Union([text, readableBlocks]),
  }),
  Type.Object({
    role: Type.Literal("assistant"),
    content: readableBlocks,
    stopReason: text,
  }),
  Type.Object({
    role: Type.Literal("toolResult"),
    toolCallId: text,
    toolName: text,
    content: readableBlocks,
  }),
], { $id: "ReadableMessage" });

/** Result of a tool. */
export const toolResult = Type.Object({
  content: userContent,
  details: Type.Optional(anyJson),
  structuredContent: Type.Optional(anyJson),
  usage: Type.Optional(usage),
  isError: Type.Optional(flag),
  terminate: Type.Optional(flag),
  addedToolNames: Type.Optional(Type.Array(text)),
}, { $id: "ToolResult" });
