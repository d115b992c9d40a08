import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { JsonObject, JsonValue } from "../model/content.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { PluginUi } from "./plugin_ui.ts";
import type { ToolContext } from "./tool_context.ts";

/** A model, without its address and headers. */
export type PluginModel = Omit<Model, "baseUrl" | "headers">;

/** Way in which tau was started. `print`: `-p` with text. `json`: `-p` with `--output-format json` or `stream-json`. `rpc`: `tau rpc`. `tui`: a conversation on a terminal. */
export type PluginMode = "print" | "json" | "rpc" | "tui";

/** Fill of the model's window. */
export interface ContextUsage {
  /** Tokens of the next request; an estimate where the provider has not told. */
  tokens: number;
  /** Tokens of input and output that the model can take. */
  contextWindow: number;
  /** The part of the window that is used, in percent. May be more than 100. */
  percent: number;
}

/** One entry of the session: a message, or data that a plugin stored. */
export type PluginSessionEntry =
  | { type: "message"; message: AgentMessage }
  | { type: "custom"; customType: string; data?: JsonValue };

/** Reads the session. */
export interface SessionView {
  /** Returns the id of the session. */
  getSessionId(): string;
  /** Returns the path of the session's file; undefined where it is not stored. */
  getSessionFile(): string | undefined;
  /** Returns copies of the messages and of the data that plugins stored, in their order, those of earlier runs included. */
  getEntries(): PluginSessionEntry[];
}

/**
 * The session as a plugin sees it. Each call of a handler gets one. Once the
 * plugin is unloaded, every member throws a {@linkcode StalePluginError}.
 */
export interface PluginContext {
  /** The working folder, absolute. */
  readonly cwd: string;
  /** Way in which tau was started. */
  readonly mode: PluginMode;
  /** True when somebody can answer the questions of `ui`. */
  readonly hasUI: boolean;
  /** Questions to the user. */
  readonly ui: PluginUi;
  /** The model that answers. */
  readonly model: PluginModel;
  /** Thinking level of the model. */
  readonly thinkingLevel: ThinkingLevel;
  /** Aborts when the run is stopped; undefined while no run goes on. */
  readonly signal: AbortSignal | undefined;
  /** Reads the session. */
  readonly sessionManager: SessionView;
  /** Returns true when the user trusts the project in the working folder (`tau trust`). */
  isProjectTrusted(): boolean;
  /** Returns true while no run goes on. */
  isIdle(): boolean;
  /** Returns true when messages wait for the next request or run. */
  hasPendingMessages(): boolean;
  /** Stops the run that goes on. */
  abort(): void;
  /** Ends a conversation or `tau rpc` as its user would, as soon as no run goes on. Does nothing where the program ends with its run anyway. */
  shutdown(): void;
  /** Replaces the first part of the conversation by a summary, as soon as no run goes on. */
  compact(options?: { instructions?: string }): void;
  /** Returns how full the model's window is; undefined before the first request. */
  getContextUsage(): ContextUsage | undefined;
  /** Returns the system prompt as the model reads it. */
  getSystemPrompt(): string;
}

/** The context of a tool's `execute`. */
export interface PluginToolContext
  extends PluginContext, Pick<ToolContext, "sessionEnvironment"> {
  /** Aborts when this call is stopped. */
  readonly signal: AbortSignal;
  /** The active tools as functions: `await ctx.tools.read({ path: "a.txt" })`. */
  readonly tools: Readonly<
    Record<string, (args: JsonObject) => Promise<AgentToolResult>>
  >;
  /**
   * Calls another active tool as the model would: its arguments are validated,
   * and handlers of `tool_call` and `tool_result` see the call. A call that
   * fails resolves to a result with `isError: true`.
   */
  executeTool(
    name: string,
    args: JsonObject,
    options?: { signal?: AbortSignal; onUpdate?: AgentToolUpdate },
  ): Promise<AgentToolResult>;
}

/** The context of a command's `handler`. */
export interface PluginCommandContext extends PluginContext {
  /** Resolves when no run goes on. */
  waitForIdle(): Promise<void>;
  /** Loads plugins anew whose files have changed. If this plugin is one of them, its context is stale afterwards. */
  reload(): Promise<void>;
}

/** Thrown when a plugin uses `tau` or a context after it was unloaded. */
export class StalePluginError extends Error {
  /** Always `StalePluginError`. */
  override name = "StalePluginError";
}
