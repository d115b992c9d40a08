// What a model is told and what it answers: messages, streams of events, tool
// schemas and how arguments are checked against them. It knows no provider, no
// tool that runs and no file.
export { assembleMessage } from "./assemble_message.ts";
export { catalogEntry, isCatalogued } from "./catalog.ts";
export type { CatalogEntry } from "./catalog.ts";
export { checkSchema } from "./compile_schema.ts";
export type {
  AssistantContent,
  ImageContent,
  JsonObject,
  JsonValue,
  TextContent,
  ThinkingContent,
  ToolCall,
  UserContent,
} from "./content.ts";
export { EventStream } from "./event_stream.ts";
export { emptyUsage, textOf } from "./message.ts";
export type {
  AssistantMessage,
  Message,
  MessageOrigin,
  StopReason,
  SystemMessage,
  ToolResultMessage,
  Usage,
  UserMessage,
} from "./message.ts";
export type { Api, Model, ThinkingLevel } from "./model.ts";
export { isRetryable, ModelError } from "./model_error.ts";
export type { ModelErrorKind } from "./model_error.ts";
export { SchemaError } from "./schema_error.ts";
export type {
  AssistantDelta,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  DeltaSource,
  RequestHooks,
  StreamFn,
  StreamOptions,
  StreamTimeouts,
} from "./stream.ts";
export { readStructuredAnswer } from "./structured_answer.ts";
export type { StructuredAnswer } from "./structured_answer.ts";
export type { ConstrainedSampling, JsonSchema, Tool } from "./tool.ts";
export { toWireSchema } from "./wire_schema.ts";
export type { WireSchema } from "./wire_schema.ts";
export {
  parseToolCallArguments,
  ToolCallArgumentsStream,
} from "./tool_call_arguments.ts";
export type { ParsedArguments } from "./tool_call_arguments.ts";
export {
  ToolArgumentsError,
  validateToolArguments,
  validateValue,
} from "./validate_arguments.ts";
export type { ValueFault } from "./validate_arguments.ts";
