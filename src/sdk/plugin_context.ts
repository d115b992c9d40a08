import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { JsonObject, JsonValue } from "../model/content.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { PluginUi } from "./plugin_ui.ts";
import type { ToolContext } from "./tool_definition.ts";

/** A model without how it is reached. */
export type PluginModel = Omit<Model, "baseUrl" | "headers">;

/** How the session is driven: `print` writes text, `json` a record or events, `rpc` speaks with a program, `tui` with a person. */
export type PluginMode = "print" | "json" | "rpc" | "tui";

/** How full the model's window is. */
export interface ContextUsage {
  /** Of a request as it would be now, by estimate where the provider has not said. */
  tokens: number;
  /** Of input and output together. */
  contextWindow: number;
  /** Of the window; 0 to 100 and beyond. */
  percent: number;
}

/** One entry of the session, without its place in it. */
export type PluginSessionEntry =
  | { type: "message"; message: AgentMessage }
  | { type: "custom"; customType: string; data?: JsonValue };

/** The session to look at. */
export interface SessionView {
  /** Of the session. */
  getSessionId(): string;
  /** Undefined where the session is not stored. */
  getSessionFile(): string | undefined;
  /** Its messages and what plugins appended, in their order, those of earlier runs included. Copies. */
  getEntries(): PluginSessionEntry[];
}

/**
 * What a plugin may know of the session and do with it. Made for one call of a
 * handler, and of no use once its plugin was unloaded: every member then throws
 * {@linkcode StalePluginError}.
 */
export interface PluginContext {
  /** The working folder, absolute. */
  readonly cwd: string;
  /** How the session is driven. */
  readonly mode: PluginMode;
  /** Whether somebody can answer {@linkcode PluginContext.ui}'s questions. */
  readonly hasUI: boolean;
  /** Questions to the user. */
  readonly ui: PluginUi;
  /** The model that answers. */
  readonly model: PluginModel;
  /** How hard it thinks. */
  readonly thinkingLevel: ThinkingLevel;
  /** Aborts with the run; undefined while there is none. */
  readonly signal: AbortSignal | undefined;
  /** The session to look at. */
  readonly sessionManager: SessionView;
  /** Whether the user trusts the project in the working folder. */
  isProjectTrusted(): boolean;
  /** Whether no run goes on. */
  isIdle(): boolean;
  /** Whether something waits to be said to the model. */
  hasPendingMessages(): boolean;
  /** Ends the run that goes on. */
  abort(): void;
  /** Shortens the conversation as soon as no run goes on. */
  compact(options?: { instructions?: string }): void;
  /** How full the window is; undefined before the first request. */
  getContextUsage(): ContextUsage | undefined;
  /** The system prompt as the model reads it. */
  getSystemPrompt(): string;
}

/** What a plugin's tool gets beside that. */
export interface PluginToolContext
  extends PluginContext, Pick<ToolContext, "sessionEnvironment"> {
  /** The call's signal. */
  readonly signal: AbortSignal;
  /** The active tools as functions: `await ctx.tools.read({ path: "a.txt" })`. */
  readonly tools: Readonly<
    Record<string, (args: JsonObject) => Promise<AgentToolResult>>
  >;
  /**
   * Calls another active tool as the model would: arguments are validated, and
   * handlers of `tool_call` and `tool_result` see the call. A call that fails
   * resolves to a result with `isError`.
   */
  executeTool(
    name: string,
    args: JsonObject,
    options?: { signal?: AbortSignal; onUpdate?: AgentToolUpdate },
  ): Promise<AgentToolResult>;
}

/** What a plugin's command gets beside the context. */
export interface PluginCommandContext extends PluginContext {
  /** Resolves when no run goes on. */
  waitForIdle(): Promise<void>;
  /** Loads the plugins anew, where their files have changed. This context is stale afterwards. */
  reload(): Promise<void>;
}

/** A plugin used what it was given after it was unloaded. */
export class StalePluginError extends Error {
  /** Always `StalePluginError`. */
  override name = "StalePluginError";
}
