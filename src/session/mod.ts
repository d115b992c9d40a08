// A conversation and its rules: the transcript, the system prompt, limits, and
// how a run came out. It knows no process, no file and no concrete tool.
export { AgentSession } from "./agent_session.ts";
export type { AgentSessionOptions } from "./agent_session.ts";
export { MemorySession } from "./memory_session.ts";
export type { SessionKeeper } from "./memory_session.ts";
export { openingMessages } from "./opening_messages.ts";
export type {
  EntryContent,
  SessionEntry,
  SessionHeader,
} from "./session_entry.ts";
export { SessionProjection } from "./session_projection.ts";
export type { CheckEvent, CheckResult, CheckRunner } from "./check_goal.ts";
export type {
  CompactionEvent,
  CompactionOptions,
  CompactionReason,
  CompactionResult,
} from "./compaction.ts";
export type { GoalOptions } from "./create_goals.ts";
export type { RetryEvent, RetryOptions } from "./retry.ts";
export type { LimitOptions, RunLimitKind } from "./run_limit.ts";
export type { RunOutcome } from "./run_outcome.ts";
export type {
  ProgressEvent,
  RunOpening,
  SessionHooks,
} from "./session_hooks.ts";
export { SessionTools } from "./session_tools.ts";
export type { ToolChange } from "./session_tools.ts";
export type {
  QueueEvent,
  SessionEvent,
  SessionEventSink,
} from "./session_event.ts";
export type {
  InstructionFile,
  PromptContext,
  SkillSummary,
} from "./prompt_context.ts";
export { buildSystemPrompt } from "./system_prompt.ts";
export type { SystemPromptOptions } from "./system_prompt.ts";
