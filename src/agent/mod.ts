// The agent core: runs a model and its tools against each other until the
// model stops. It knows neither providers, nor files, nor processes, nor any
// concrete tool: a stream function and tools are handed in.
export { Agent } from "./agent.ts";
export type { AgentConfig, AgentListener, AgentOptions } from "./agent.ts";
export type { AgentEvent, AgentEventSink } from "./agent_event.ts";
export {
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runAgentLoopContinue,
  setDefaultStreamFn,
} from "./agent_loop.ts";
export type { AgentMessage, CustomAgentMessages } from "./agent_message.ts";
export type { AgentState, InitialAgentState } from "./agent_state.ts";
export type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
  ArgumentsOf,
  DetailsField,
  ToolExecutionMode,
  ToolResultFields,
} from "./agent_tool.ts";
export { executeToolCall } from "./strict/execute_tool_call.ts";
export type {
  ExecutableToolCall,
  ToolCallFailureCode,
  ToolCallResult,
} from "./strict/execute_tool_call.ts";
export type {
  AfterToolCallContext,
  AfterToolCallResult,
  AgentContext,
  AgentLoopConfig,
  BeforeToolCallContext,
  BeforeToolCallResult,
  FinishedTurn,
  NextTurnChange,
  RequestChange,
  ToolCallHooks,
} from "./loop_config.ts";
export { MessageQueue } from "./message_queue.ts";
export type { QueueMode } from "./message_queue.ts";
export {
  isNonRecoverableToolError,
  NonRecoverableToolError,
} from "./non_recoverable_tool_error.ts";
export { snapshotTool } from "./strict/snapshot_tool.ts";
export type {
  ArgumentsDecision,
  RegistrableTool,
  StrictTool,
  StrictToolContext,
} from "./strict/snapshot_tool.ts";
export {
  keepModelMessages,
  renderSystemPrompt,
  replaySystemMessages,
} from "./request_messages.ts";
export { runToolCall } from "./tool_call.ts";
export type { AgentToolCallOutcome, ToolCallEnvironment } from "./tool_call.ts";
export {
  isToolContractError,
  ToolContractError,
} from "./strict/tool_contract_error.ts";
export type { ToolContractErrorCode } from "./strict/tool_contract_error.ts";
export { ToolError } from "./tool_error.ts";
export { ToolRegistry } from "./strict/tool_registry.ts";
