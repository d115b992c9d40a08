import type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
} from "../agent/agent_tool.ts";
import type { JsonObject, ToolCall } from "../model/content.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { AgentSession } from "./agent_session.ts";
import type { SessionHooks } from "./session_hooks.ts";

/** A call or a result that is to be shown. */
export type Shown =
  & { toolCallId: string }
  & ({ args: JsonObject } | { result: AgentToolResult });

/** A tool of a session: what the loop runs, and what the system prompt and the screen need of it. */
export interface ServedTool
  extends Pick<AnyToolDefinition, "promptSnippet" | "promptGuidelines"> {
  tool: AgentTool;
  /** The plugin that brings it; absent for all other tools. */
  plugin?: string;
  /** Lines for the screen; absent where it has none. Undefined ones did not come in time. */
  render?(shown: Shown): string[] | undefined | Promise<string[] | undefined>;
}

/** A call that a tool makes of another one. */
export interface NestedCall {
  parentToolCallId: string;
  toolName: string;
  args: JsonObject;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdate | undefined;
}

/** The side of a session that its tool server uses. */
export interface SessionPort {
  session: AgentSession;
  /** The served tools are others than before. */
  toolsChanged(): void;
  /** Runs a call of an active tool through all steps. Rejects when there are too many. */
  runCall(call: NestedCall): Promise<AgentToolResult>;
  /** The call that made a call; undefined where the model did. */
  parentOf(call: ToolCall): string | undefined;
}

/** Serves a session with tools and hooks, out of kernels or out of this process. */
export interface ToolServer {
  /** Tools beside the built-in ones, as they are now; they stand before those of the same name. */
  readonly tools: readonly ServedTool[];
  /** Members that nobody listens to are undefined. */
  readonly hooks: SessionHooks;
  /** Reason why no call of a tool is made, such as a guard that is gone. */
  withheld?(toolName: string): string | undefined;
  /** Called once, before anything else. */
  join(port: SessionPort): void;
}
