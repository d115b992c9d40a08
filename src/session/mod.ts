// A conversation and its rules: the transcript, the system prompt, limits, and
// how a run came out. It knows no process, no file and no concrete tool.
export { AgentSession } from "./agent_session.ts";
export type { AgentSessionOptions } from "./agent_session.ts";
export type { RunOutcome } from "./run_outcome.ts";
export { buildSystemPrompt } from "./system_prompt.ts";
export type { SystemPromptOptions } from "./system_prompt.ts";
