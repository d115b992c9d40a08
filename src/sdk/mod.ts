// What tools and plugins are written against: definitions, themes, truncation
// and the schema builder. It knows no concrete tool and does no I/O.
export { ToolError } from "../agent/mod.ts";
export type {
  AgentMessage,
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
  CustomAgentMessages,
  ToolExecutionMode,
} from "../agent/mod.ts";
export { SchemaError, toWireSchema, validateValue } from "../model/mod.ts";
export type {
  Api,
  AssistantContent,
  AssistantMessage,
  AssistantMessageEvent,
  ConstrainedSampling,
  ImageContent,
  JsonObject,
  JsonSchema,
  JsonValue,
  Message,
  MessageOrigin,
  Model,
  ModelErrorKind,
  StopReason,
  SystemMessage,
  TextContent,
  ThinkingContent,
  ThinkingLevel,
  Tool,
  ToolCall,
  ToolResultMessage,
  Usage,
  UserContent,
  UserMessage,
  ValueFault,
  WireSchema,
} from "../model/mod.ts";
export type {
  BashOperations,
  ExecOptions,
  ExecResult,
  OutputFile,
  PowerShellOperations,
} from "../operations/bash_operations.ts";
export type {
  EditOperations,
  FileKind,
  FileStamp,
  OpenedFile,
  ReadOperations,
  WriteFileOptions,
  WriteOperations,
  WriteOutcome,
} from "../operations/file_operations.ts";
export type {
  PlainEditOperations,
  PlainGrepOperations,
  PlainReadOperations,
  PlainWriteOperations,
} from "../operations/plain_operations.ts";
export type {
  ProgramOptions,
  ProgramResult,
} from "../operations/program_operations.ts";
export type {
  DirectoryEntry,
  FindOperations,
  GrepOperations,
  LsOperations,
} from "../operations/search_operations.ts";
export { isToolCallEventType } from "./is_tool_call_event.ts";
export type {
  BuiltInToolInputs,
  ToolCallEventOf,
} from "./is_tool_call_event.ts";
export type {
  PluginAPI,
  PluginCommand,
  PluginEventBus,
  PluginFactory,
  PluginFetchOptions,
  PluginFetchResult,
  PluginFlag,
  RegisterToolOptions,
  SendOptions,
  ToolSummary,
} from "./plugin_api.ts";
export { StalePluginError } from "./plugin_context.ts";
export type {
  ContextUsage,
  PluginCommandContext,
  PluginContext,
  PluginMode,
  PluginModel,
  PluginSessionEntry,
  PluginToolContext,
  SessionView,
} from "./plugin_context.ts";
export type {
  PluginEvent,
  PluginEventHandler,
  PluginEventName,
  PluginEventResult,
  PluginEventResults,
  PluginEvents,
  PluginMessage,
  ToolCallEvent,
  ToolResultEvent,
} from "./plugin_events.ts";
export type {
  DialogOptions,
  PluginDialog,
  PluginDialogAnswer,
  PluginUi,
} from "./plugin_ui.ts";
export type { Static, TSchema, Type } from "../model/schema_types.ts";
export { plainTheme, terminalTheme } from "./theme.ts";
export type { Theme, ThemeColor } from "./theme.ts";
export { defineTool, wrapToolDefinition } from "./tool_definition.ts";
export type {
  AnyToolDefinition,
  RenderContext,
  RenderOptions,
  ToolDefinition,
} from "./tool_definition.ts";
export type { ToolContext } from "./tool_context.ts";
export type {
  CommandSpawn,
  ShellToolChoice,
  ToolFactories,
} from "./tool_factories.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./truncate.ts";
export type { TruncationOptions, TruncationResult } from "./truncate.ts";
export { visibleText } from "./visible_text.ts";
