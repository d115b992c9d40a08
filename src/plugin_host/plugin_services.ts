import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { JsonObject, JsonValue, UserContent } from "../model/content.ts";
import type {
  ProgramOptions,
  ProgramResult,
} from "../operations/program_operations.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
  SendOptions,
  ToolSummary,
} from "../sdk/plugin_api.ts";
import type { PluginContext } from "../sdk/plugin_context.ts";
import type { PluginMessage } from "../sdk/plugin_events.ts";
import type { PluginDialog, PluginDialogAnswer } from "../sdk/plugin_ui.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";

/** The session that plugins look at and act on. Its getters are asked anew each time. */
export interface PluginSession extends Omit<PluginContext, "ui"> {
  /** Names of the tools that the model is told of. */
  activeTools(): string[];
  /** Unknown names, and those that the run does not allow, are ignored. */
  setActiveTools(names: readonly string[]): void;
  allTools(): ToolSummary[];
  sendMessage(message: PluginMessage, options: SendOptions): void;
  sendUserMessage(
    content: string | UserContent[],
    options: SendOptions,
  ): void;
  appendEntry(customType: string, data: JsonValue | undefined): void;
  /** Calls an active tool for another call; a failure is a result with `isError`. */
  executeTool(call: NestedCall): Promise<AgentToolResult>;
  waitForIdle(): Promise<void>;
}

/** A call that a tool makes. */
export interface NestedCall {
  parentToolCallId: string;
  toolName: string;
  args: JsonObject;
  signal: AbortSignal | undefined;
  onUpdate: AgentToolUpdate | undefined;
}

/** Services that plugins reach the session and the user through. */
export interface PluginServices {
  session: PluginSession;
  factories: ToolFactories;
  /** Asks the user. Undefined when nobody answers; also when the signal aborts. */
  ask(
    dialog: PluginDialog,
    signal: AbortSignal | undefined,
  ): Promise<PluginDialogAnswer>;
  notify(
    message: string,
    details: { plugin: string; level: "info" | "warning" | "error" },
  ): void;
  exec(
    command: string,
    args: readonly string[],
    options: ProgramOptions,
  ): Promise<ProgramResult>;
  fetch(url: string, options: PluginFetchOptions): Promise<PluginFetchResult>;
  withFileMutationQueue<Value>(
    path: string,
    change: () => Promise<Value>,
  ): Promise<Value>;
  /**
   * Notes, before anything else happens, that code of a plugin runs: it may
   * never give JavaScript back. Returns how to note that it is through.
   */
  enter(plugin: string): () => void;
}
