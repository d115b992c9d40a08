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
import type {
  PluginCommandContext,
  PluginToolContext,
} from "./plugin_context.ts";
import type { TSchema, Type } from "./schema_types.ts";
import type { defineTool, ToolDefinition } from "./tool_definition.ts";
import type { ToolFactories } from "./tool_factories.ts";

/** A plugin: the default export of its file. What it registers counts when it has returned, or its promise resolved. */
export type PluginFactory = (tau: PluginAPI) => void | Promise<void>;

/** How a tool is registered. */
export interface RegisterToolOptions {
  /** The tool takes the place of a built-in one of the same name. Default false. */
  override?: boolean;
}

/** A command that the user can call as `/name arguments`. */
export interface PluginCommand {
  /** One line for people. */
  description?: string;
  /** Runs the command; `args` is what stands behind its name. */
  handler(args: string, ctx: PluginCommandContext): void | Promise<void>;
}

/** An option of the plugin. */
export interface PluginFlag {
  /** What it takes. */
  type: "boolean" | "string";
  /** Its value where nobody set it. */
  default?: boolean | string;
  /** One line for people. */
  description?: string;
}

/** A tool of the session. */
export interface ToolSummary {
  /** What the model calls it by. */
  name: string;
  /** What the model is told. */
  description: string;
  /** Whether the model is told of it. */
  active: boolean;
  /** The plugin that it comes from; absent for built-in tools. */
  plugin?: string;
}

/** When a message of a plugin is said. */
export interface SendOptions {
  /** Before the next request of the run, or when the run would end. Where no run goes on, the next one takes it along. Default `steer`. */
  deliverAs?: "steer" | "followUp";
}

/** What is asked of a server. */
export interface PluginFetchOptions {
  /** Default `GET`. */
  method?: string;
  /** Names are those of HTTP. */
  headers?: Record<string, string>;
  /** Text or bytes, at most 1 MiB. */
  body?: string | Uint8Array;
  /** Ends the request. */
  signal?: AbortSignal;
  /** Milliseconds for everything. Default 30,000, at most 600,000. */
  timeoutMs?: number;
}

/** What a server answered. */
export interface PluginFetchResult {
  /** Of HTTP; a redirect is an answer too, and not followed. */
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  /** At most 8 MiB. */
  body: Uint8Array;
  /** The body as UTF-8. */
  text(): string;
}

/** Lets plugins speak with each other. */
export interface PluginEventBus {
  /** Hears what is emitted on a channel; returns how to stop. */
  on(channel: string, listener: (data: unknown) => void): () => void;
  /** Tells everybody who listens, at once. A listener that throws is reported and the others still hear of it. */
  emit(channel: string, data?: unknown): void;
}

/**
 * What a plugin's default function is given.
 *
 * While that function runs only registrations work; the members that act on
 * the session (`getActiveTools`, `sendMessage`, `exec` …) throw until the
 * plugin is loaded, and every member throws once it is unloaded.
 */
export interface PluginAPI extends ToolFactories {
  /** Builds schemas: `tau.Type.Object({ path: tau.Type.String() })`. TypeBox's own. */
  readonly Type: typeof Type;
  /** Gives a definition its types: `tau.registerTool(tau.defineTool({ … }))`. */
  readonly defineTool: typeof defineTool;
  /** Narrows an event to a call of a built-in tool. */
  readonly isToolCallEventType: typeof isToolCallEventType;
  /** Plugins speak with each other here. */
  readonly events: PluginEventBus;

  /** Hears an event. */
  on<Name extends PluginEventName>(
    event: Name,
    handler: PluginEventHandler<Name>,
  ): void;
  /**
   * Adds a tool; also later: the next request has it. One that cannot be taken
   * (its name is taken, its schema fits no wire format) is left out and
   * reported, and all else goes on.
   */
  registerTool<Params extends TSchema, Details = JsonValue | undefined>(
    definition: ToolDefinition<Params, Details, PluginToolContext>,
    options?: RegisterToolOptions,
  ): void;
  /** Adds a command. */
  registerCommand(name: string, command: PluginCommand): void;
  /** Adds an option. */
  registerFlag(name: string, flag: PluginFlag): void;
  /** The value of an option that this plugin registered. */
  getFlag(name: string): boolean | string | undefined;

  /** Names of the tools that the model is told of. */
  getActiveTools(): string[];
  /** Has the model told of these tools and no others, from the next request on. Unknown names, and those that the run does not allow, are ignored. */
  setActiveTools(names: readonly string[]): void;
  /** All tools that could be active. */
  getAllTools(): ToolSummary[];

  /** Says something to the model as the plugin. */
  sendMessage(message: PluginMessage, options?: SendOptions): void;
  /** Says something to the model as the user. */
  sendUserMessage(
    content: string | UserContent[],
    options?: SendOptions,
  ): void;
  /** Keeps something in the session that the model does not see; `ctx.sessionManager` has it in later runs. */
  appendEntry(customType: string, data?: JsonValue): void;

  /**
   * Runs a program, without a shell. It gets the run's environment and starts
   * in the working folder; after its time, and on an abort, it is told to end
   * and five seconds later ended.
   */
  exec(
    command: string,
    args: readonly string[],
    options?: ProgramOptions,
  ): Promise<ProgramResult>;
  /** Asks a server, through the host, where the run grants the network (`--allow-net`). */
  fetch(url: string, options?: PluginFetchOptions): Promise<PluginFetchResult>;
  /** Runs `change` when every earlier change of that file is through, those of the built-in tools included. */
  withFileMutationQueue<Value>(
    path: string,
    change: () => Promise<Value>,
  ): Promise<Value>;
}
