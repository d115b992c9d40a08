// The public library: the agent core, what tools are written against, and the
// built-in tools. A host brings a model's stream function and, where it wants
// other than this machine, operations.
export {
  Agent,
  agentLoop,
  agentLoopContinue,
  executeToolCall,
  isNonRecoverableToolError,
  isToolContractError,
  keepModelMessages,
  NonRecoverableToolError,
  renderSystemPrompt,
  runAgentLoop,
  runAgentLoopContinue,
  runToolCall,
  setDefaultStreamFn,
  snapshotTool,
  ToolContractError,
  ToolError,
  ToolRegistry,
} from "./agent/mod.ts";
export type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentConfig,
  AgentContext,
  AgentEvent,
  AgentEventSink,
  AgentListener,
  AgentLoopConfig,
  AgentMessage,
  AgentOptions,
  AgentState,
  AgentTool,
  AgentToolCallOutcome,
  AgentToolResult,
  AgentToolUpdate,
  ArgumentsDecision,
  BeforeToolCallContext,
  BeforeToolCallResult,
  CustomAgentMessages,
  ExecutableToolCall,
  FinishedTurn,
  InitialAgentState,
  NextTurnChange,
  QueueMode,
  RegistrableTool,
  RequestChange,
  StrictTool,
  StrictToolContext,
  ToolCallEnvironment,
  ToolCallFailureCode,
  ToolCallHooks,
  ToolCallResult,
  ToolContractErrorCode,
  ToolExecutionMode,
} from "./agent/mod.ts";
export {
  assembleMessage,
  checkSchema,
  emptyUsage,
  EventStream,
  isRetryable,
  ModelError,
  SchemaError,
  textOf,
  validateToolArguments,
  validateValue,
} from "./model/mod.ts";
export type {
  Api,
  AssistantContent,
  AssistantDelta,
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  ConstrainedSampling,
  Context,
  DeltaSource,
  ImageContent,
  JsonObject,
  JsonSchema,
  JsonValue,
  Message,
  Model,
  ModelErrorKind,
  StopReason,
  StreamFn,
  StreamOptions,
  StreamTimeouts,
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
} from "./model/mod.ts";
export { withFileMutationQueue } from "./operations/file_mutation_queue.ts";
export {
  createLocalBashOperations,
  createLocalPowerShellOperations,
} from "./operations/local_shell_operations.ts";
export { createLocalFileOperations } from "./operations/local_file_operations.ts";
export { createMemoryOperations } from "./operations/memory_operations.ts";
export { createLocalSearchOperations } from "./operations/search_operations.ts";
export type {
  BashOperations,
  PowerShellOperations,
} from "./operations/bash_operations.ts";
export {
  FileChangedError,
  NotRegularFileError,
  PathRefusedError,
} from "./operations/file_operations.ts";
export type {
  EditOperations as LocalEditOperations,
  OpenedFile,
  ReadOperations as LocalReadOperations,
  WriteOperations as LocalWriteOperations,
} from "./operations/file_operations.ts";
export type {
  PlainEditOperations as EditOperations,
  PlainGrepOperations as GrepOperations,
  PlainReadOperations as ReadOperations,
  PlainWriteOperations as WriteOperations,
} from "./operations/plain_operations.ts";
export type {
  FindOperations,
  GrepOperations as LocalGrepOperations,
  LsOperations,
} from "./operations/search_operations.ts";
export {
  ExecAbortedError,
  ExecTimeoutError,
} from "./operations/bash_operations.ts";
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  defineTool,
  formatSize,
  isToolCallEventType,
  plainTheme,
  StalePluginError,
  terminalTheme,
  truncateHead,
  truncateLine,
  truncateTail,
  wrapToolDefinition,
} from "./sdk/mod.ts";
export { Type } from "./model/schema_types.ts";
export type {
  AnyToolDefinition,
  PluginAPI,
  PluginCommandContext,
  PluginContext,
  PluginEvent,
  PluginEventName,
  PluginEventResult,
  PluginEvents,
  PluginFactory,
  PluginMessage,
  PluginToolContext,
  RenderContext,
  RenderOptions,
  Static,
  Theme,
  ThemeColor,
  ToolContext,
  ToolDefinition,
  TSchema,
} from "./sdk/mod.ts";
export {
  createAgentSession,
  type CreateAgentSessionOptions,
  type EmbeddedSession,
  type LocalSessionEvent,
  type LocalSessionListener,
  SessionManager,
} from "./library/create_agent_session.ts";
export {
  builtinModels,
  ModelRuntime,
  type ModelRuntimeOptions,
} from "./library/model_runtime.ts";
export type { PathPolicy } from "./policy/path_policy.ts";
export { MemorySession, type SessionKeeper } from "./session/memory_session.ts";
export type { PromptContext } from "./session/prompt_context.ts";
export type { RunOutcome } from "./session/run_outcome.ts";
export type { EntryContent, SessionEntry } from "./session/session_entry.ts";
export { proxyDeltas, streamProxy } from "./providers/proxy/stream_proxy.ts";
export type { StreamProxyOptions } from "./providers/proxy/ask_proxy.ts";
export { createStreamProxyHandler } from "./providers/proxy/stream_proxy_handler.ts";
export type {
  AskedModel,
  ProxiedModel,
  StreamProxyHandlerOptions,
} from "./providers/proxy/stream_proxy_handler.ts";
export {
  createBashTool,
  createBashToolDefinition,
  createEditTool,
  createEditToolDefinition,
  createFindTool,
  createFindToolDefinition,
  createGrepTool,
  createGrepToolDefinition,
  createLsTool,
  createLsToolDefinition,
  createPowerShellTool,
  createPowerShellToolDefinition,
  createReadTool,
  createReadToolDefinition,
  createWriteTool,
  createWriteToolDefinition,
} from "./tools/factories.ts";
