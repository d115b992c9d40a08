import type { JsonObject, UserContent } from "../model/content.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { AssistantDelta, RequestHooks } from "../model/stream.ts";
import type { PathPolicy } from "../policy/path_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { CompactionOptions } from "../session/compaction.ts";
import type { PromptContext } from "../session/prompt_context.ts";
import type { GoalSetup } from "../session/create_goals.ts";
import type { LimitOptions } from "../session/run_limits.ts";
import type { SessionEntry } from "../session/session_entry.ts";

/** `tui`: a conversation on a terminal. `rpc`: one with a program. `json`, `print`: one prompt. */
export type SessionMode = "tui" | "rpc" | "json" | "print";

/** Places of a session's plugins, as the host has decided. */
export interface PluginSetup {
  /** Files and folders that were named; absolute. */
  paths: string[];
  /** Folders of plugins, in the order in which they count; absolute. */
  folders: string[];
  /** True where the user trusts the project in the working folder. */
  isProjectTrusted: boolean;
  /** The only tools that may be active; absent where the user has not chosen any. */
  allowedTools?: string[] | undefined;
  /** Tools that are never active. */
  excludedTools?: string[] | undefined;
  /** Values that the user gave options of plugins; true for one without a value. */
  flagValues?: Record<string, string | true> | undefined;
  /** There is no session: they are loaded, and no run answers anything. */
  inspection?: PluginInspection | undefined;
}

/** Options of loading plugins only to look at them. */
export interface PluginInspection {
  /** Milliseconds for one import, and for one function. */
  deadlineMs: number;
}

/** All that a kernel needs to know of its session. Holds no credential. */
export interface RunSetup {
  sessionId: string;
  /** The run waits before each tool call until the host has stored what led to it. */
  isStored: boolean;
  /** Entries of the session so far; as many `history` messages follow. */
  historyLength: number;
  /** The number of the next message; some before it may not be sent, since nothing asks for them. */
  storedCount: number;
  /** Absolute and real. */
  cwd: string;
  /** Mode of the session. */
  mode: SessionMode;
  /** True where the user can be asked. */
  hasUI: boolean;
  /** Texts of the user's files and options for the system prompt. */
  promptContext?: PromptContext | undefined;
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
  /** Names of the active tools, in the order in which they are declared. */
  tools: string[];
  /** Names that are not among them, whoever brings them. */
  excludedTools?: string[] | undefined;
  /** Requests after a failed one; the session's default when absent. */
  maxRetries?: number | undefined;
  compaction?: CompactionOptions | undefined;
  limits?: LimitOptions | undefined;
  goals?: GoalSetup | undefined;
  /** No tool and no check is run: the host has their results. */
  replayTools?: boolean | undefined;
  /** The plugins of the session; absent where there are none to look for. */
  plugins?: PluginSetup | undefined;
  policy: PathPolicy;
  /** Which calls are made. */
  rules: PermissionRule[];
  /** Ask about commands that no rule is about, where the user can be asked. */
  asksForCommands: boolean;
  /** Timeout of commands of bash that name none. */
  bashTimeoutMs?: number | undefined;
  /** Environment of the shell tools' children. */
  environment: Record<string, string>;
  homeDir?: string | undefined;
  /** A private folder for the full output of long commands. */
  outputDir: string;
  /** Ask for `rendered` lines in tool events. */
  render?: { width: number; color: boolean } | undefined;
  /** Ask for `message_update` events. */
  updates: boolean;
}

/** A step of a request to a provider: its headers, its body, and the head of the answer. */
export type ProviderHook = keyof RequestHooks;

/** Commands to a session beside its runs. */
export type KernelCommand =
  /** Forgets what is queued: `{ steering, followUp }`, lists of texts. */
  | { name: "clear_queue" }
  /** Has another model answer from the next request on. */
  | {
    name: "use_model";
    model: Model;
    thinkingLevel?: ThinkingLevel | undefined;
  }
  /** Queues what the user says for before the next request of the run. */
  | { name: "steer"; content: string | UserContent[] }
  /** Queues what the user says for when the run would end. */
  | { name: "follow_up"; content: string | UserContent[] }
  /**
   * Runs a command of the user with the rights of the bash tool: `{ output,
   * exitCode, cancelled, truncated, fullOutputPath? }`. What it prints is told
   * by events `shell_update` with that id, and joins the conversation, unless
   * it is to stay out of it.
   */
  | { name: "shell"; command: string; isPrivate: boolean; id?: string }
  /** Replaces the first part of the conversation by a summary: `{ tokensBefore }`. */
  | { name: "compact"; instructions?: string | undefined }
  /** Loads plugins anew whose files have changed: `{ loaded, failed }`, lists of names. */
  | { name: "reload" }
  /** The commands of plugins: `{ commands }`, a list of `{ name, description? }`. */
  | { name: "list_commands" };

/** Host to kernel. */
export type HostMessage =
  | { type: "start"; setup: RunSetup }
  /** One entry of the session; a message comes with its number. */
  | { type: "history"; entry: SessionEntry; number?: number | undefined }
  /** All up to the next `tool_execution_start` is stored in `file`; absent where it is not. */
  | { type: "stored"; file?: string }
  | { type: "ping"; n: number }
  /** Try what the run must not do; `probed` follows. */
  | { type: "probe"; targets: ProbeTargets }
  | { type: "model_deltas"; requestId: number; deltas: AssistantDelta[] }
  /** Begins a run, one at a time; `end` follows. Without content it goes on with what is queued. Images are as they were read. */
  | { type: "prompt"; content?: string | UserContent[] }
  /** Ends the run that is going on. */
  | { type: "abort" }
  /** The session is over: plugins hear of it, and the kernel ends. */
  | { type: "close" }
  /** Something to do beside a run; `command_end` follows. */
  | { type: "command"; commandId: number; command: KernelCommand }
  /** Ends a command that runs, as far as it can be ended. */
  | { type: "command_cancel"; commandId: number }
  /** A request is at this step; `provider_hook_end` follows. */
  | {
    type: "provider_hook";
    hookId: number;
    hook: ProviderHook;
    value: JsonObject;
  }
  | { type: "dialog_answer"; dialogId: number; answer?: DialogAnswer }
  | { type: "reply"; askId: number; value?: JsonObject; error?: string };

/** Places that a kernel tries to reach at the start. What is absent is allowed, or cannot be tried. */
export interface ProbeTargets {
  /** To read. */
  file?: string;
  /** To make. */
  target?: string;
  /** To connect to, on the loopback address. */
  port?: number;
}

/** The user's answer: true or false to `confirm`, a text to the others; undefined when the question was dismissed. */
export type DialogAnswer = string | boolean | undefined;
