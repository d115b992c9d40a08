import type { JsonValue, UserContent } from "../model/content.ts";
import type {
  ProgramOptions,
  ProgramResult,
} from "../operations/program_operations.ts";
import type { isToolCallEventType } from "./is_tool_call_event.ts";
import type {
  PluginEventHandler,
  PluginEventName,
  PluginMessage,
} from "./plugin_events.ts";
import type { PluginCommandContext } from "./plugin_context.ts";
import type { TSchema, Type } from "../model/schema_types.ts";
import type { defineTool, ToolDefinition } from "./tool_definition.ts";
import type { ToolFactories } from "./tool_factories.ts";

/** A plugin: the function that its file exports as `default`. What it registers takes effect when it has returned, or when its promise has resolved. */
export type PluginFactory = (tau: PluginAPI) => void | Promise<void>;

/** Options of {@linkcode PluginAPI.registerTool}. */
export interface RegisterToolOptions {
  /** Replaces the built-in tool of the same name. Default false. */
  override?: boolean;
}

/** A command that the user can call as `/name arguments`. */
export interface PluginCommand {
  /** One line for people. */
  description?: string;
  /** Runs the command. `args` is the text behind its name. */
  handler(args: string, ctx: PluginCommandContext): void | Promise<void>;
}

/** An option of the plugin, which the user sets with `--plugin-flag name=value`. */
export interface PluginFlag {
  /** A `boolean` option takes no value. */
  type: "boolean" | "string";
  /** The value where the user sets none. */
  default?: boolean | string;
  /** One line for people. */
  description?: string;
}

/** A tool of the session. */
export interface ToolSummary {
  /** The name that the model calls it by. */
  name: string;
  /** The description that the model reads. */
  description: string;
  /** True when the model may call it now. */
  active: boolean;
  /** The plugin that registered it; absent for built-in tools. */
  plugin?: string;
}

/** Options of {@linkcode PluginAPI.sendMessage} and {@linkcode PluginAPI.sendUserMessage}. */
export interface SendOptions {
  /** `steer`: before the next request of the run. `followUp`: when the run would end. Where no run goes on, the message waits for the next run. Default `steer`. */
  deliverAs?: "steer" | "followUp";
}

/** Options of {@linkcode PluginAPI.fetch}. */
export interface PluginFetchOptions {
  /** `GET` (default), `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`. */
  method?: string;
  /** Headers of the request, at most 100. */
  headers?: Record<string, string>;
  /** Text or bytes, at most 1 MiB. */
  body?: string | Uint8Array;
  /** Cancels the request. */
  signal?: AbortSignal;
  /** Milliseconds from the request to the end of the answer. Default 30,000, at most 600,000. */
  timeoutMs?: number;
}

/** The answer of a server. */
export interface PluginFetchResult {
  /** The HTTP status. A redirect is an answer, too: it is not followed. */
  status: number;
  /** Headers by their names in lower case. */
  headers: Record<string, string>;
  /** The body. One of more than 8 MiB is an error. */
  body: Uint8Array;
  /** The body as UTF-8. */
  text(): string;
}

/** Messages between the plugins of a run. */
export interface PluginEventBus {
  /** Calls `listener` for each message on the channel. Returns a function that removes it. */
  on(channel: string, listener: (data: unknown) => void): () => void;
  /** Calls the listeners of the channel before it returns. One that throws is reported; the others are still called. */
  emit(channel: string, data?: unknown): void;
}

/**
 * The object that a plugin's default function gets.
 *
 * While that function runs, a plugin can only register. The members that act
 * on the session (`getActiveTools`, `sendMessage`, `exec` and so on) throw
 * until the plugin is loaded, and every member throws once it is unloaded:
 * use them in handlers, tools and commands.
 */
export interface PluginAPI extends ToolFactories {
  /** Builds schemas: `tau.Type.Object({ path: tau.Type.String() })`. This is the `Type` of TypeBox. */
  readonly Type: typeof Type;
  /** Returns a definition as it is, with its types inferred. Use it for a definition that stands apart from `registerTool`, which infers them itself. */
  readonly defineTool: typeof defineTool;
  /** True when a `tool_call` event is a call of the built-in tool of that name; TypeScript then knows the type of `event.input`. */
  readonly isToolCallEventType: typeof isToolCallEventType;
  /** Messages between plugins. */
  readonly events: PluginEventBus;

  /** Calls `handler` each time the event happens. */
  on<Name extends PluginEventName>(
    event: Name,
    handler: PluginEventHandler<Name>,
  ): void;
  /**
   * Adds a tool. Works at any time: the next request offers the tool to the
   * model. A tool whose name is taken, or whose schema no provider would take,
   * is left out and reported; the rest of the plugin works.
   */
  // deno-lint-ignore no-explicit-any -- types of a tool's own
  registerTool<Params extends TSchema, Details = any, State = any>(
    definition: ToolDefinition<Params, Details, State>,
    options?: RegisterToolOptions,
  ): void;
  /** Adds a command, which the user calls as `/name arguments`. */
  registerCommand(name: string, command: PluginCommand): void;
  /** Adds an option, which the user sets with `--plugin-flag name=value`. */
  registerFlag(name: string, flag: PluginFlag): void;
  /** Returns the value of an option that this plugin registered: the one that the user set, or else its default. */
  getFlag(name: string): boolean | string | undefined;

  /** Returns the names of the tools that the model may call now. */
  getActiveTools(): string[];
  /** Offers the model these tools and no others, from the next request on. Names that are unknown or that the run does not allow are ignored. */
  setActiveTools(names: readonly string[]): void;
  /** Returns all tools of the session, active or not. */
  getAllTools(): ToolSummary[];

  /** Adds a message of the plugin to the conversation. The model reads it. */
  sendMessage(message: PluginMessage, options?: SendOptions): void;
  /** Adds a message to the conversation as if the user had written it. */
  sendUserMessage(
    content: string | UserContent[],
    options?: SendOptions,
  ): void;
  /** Stores data in the session. The model does not see it; `ctx.sessionManager.getEntries()` returns it, also in later runs. */
  appendEntry(customType: string, data?: JsonValue): void;

  /**
   * Runs a program without a shell, in the working folder and with the
   * environment of the run. When its time is over or its signal aborts it gets
   * SIGTERM, and SIGKILL five seconds later. An exit code other than 0 is a
   * result, not an error.
   */
  exec(
    command: string,
    args: readonly string[],
    options?: ProgramOptions,
  ): Promise<ProgramResult>;
  /** Makes an HTTP request through the host. Rejects where the run does not grant the server (`--allow-net`). */
  fetch(url: string, options?: PluginFetchOptions): Promise<PluginFetchResult>;
  /** Runs `change` when all earlier changes of the file are done, those of the built-in tools included. Returns what `change` returns. */
  withFileMutationQueue<Value>(
    path: string,
    change: () => Promise<Value>,
  ): Promise<Value>;
}
