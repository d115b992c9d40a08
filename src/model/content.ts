/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | JsonValue[]
  | JsonObject;

/** A JSON object. */
export interface JsonObject {
  /** Any members. */
  [key: string]: JsonValue;
}

/** Text said by anybody. */
export interface TextContent {
  /** Tells the blocks apart. */
  type: "text";
  /** May be empty while it arrives. */
  text: string;
  /** Opaque provider token that must be replayed with the text, to the same model only. */
  textSignature?: string;
}

/** The thoughts of a reasoning model before its answer. */
export interface ThinkingContent {
  /** Tells the blocks apart. */
  type: "thinking";
  /** The thought, or a summary of it; empty when it was withheld. */
  thinking: string;
  /** Opaque provider token; the block is replayed only together with it and to the same model only. */
  thinkingSignature?: string;
  /** True when the provider withheld the text and sent only the signature. */
  redacted?: boolean;
}

/** A picture. */
export interface ImageContent {
  /** Tells the blocks apart. */
  type: "image";
  /** The encoded picture in base64. */
  data: string;
  /** `image/png`, `image/jpeg`, `image/gif` or `image/webp`. */
  mimeType: string;
}

/** The model's request to run a tool. */
export interface ToolCall {
  /** Tells the blocks apart. */
  type: "toolCall";
  /** Unique within the transcript. */
  id: string;
  /** The tool that is asked for; there may be none of that name. */
  name: string;
  /** As the model wrote them: not validated, `{}` when they did not parse. */
  arguments: JsonObject;
  /** Opaque provider token that must be replayed with the call, to the same model only. */
  thoughtSignature?: string;
  /** The reason why the argument text could not be parsed; the call is answered by an error. */
  argumentsError?: string;
}

/** A block of an assistant message. */
export type AssistantContent = TextContent | ThinkingContent | ToolCall;

/** A block of a user message or of a tool result. */
export type UserContent = TextContent | ImageContent;
