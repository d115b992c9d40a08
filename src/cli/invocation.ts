import type { GoalFlags } from "./goal_flags.ts";
import type { LimitFlags } from "./limit_flags.ts";
import type { PluginFlags } from "./plugin_flags.ts";
import type { PermissionFlags } from "./permission_flags.ts";
import type { RuleFlags } from "./rule_flags.ts";
import type { RecordingFlags } from "./recording_flags.ts";
import type { SessionFlags } from "./session_flags.ts";

/** How the outcome of a run is told on stdout. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

/** What `tau schema` can describe. */
export type SchemaName = typeof SCHEMA_NAMES[number];

/** The shells that `tau completions` knows. */
export type ShellName = typeof SHELL_NAMES[number];

/** One of {@linkcode COMMAND_NAMES}. */
export type CommandName = typeof COMMAND_NAMES[number];

/** A word of the prompt, the place where stdin belongs, or a file to attach. */
export type PromptPart = { text: string } | { stdin: true } | { file: string };

/** Options of a run, as they were given. */
export interface RunFlags
  extends
    GoalFlags,
    LimitFlags,
    PermissionFlags,
    PluginFlags,
    RecordingFlags,
    RuleFlags,
    SessionFlags {
  print: boolean;
  "output-format"?: OutputFormat;
  model?: string;
  tools?: string[];
  "exclude-tools"?: string[];
  /** Milliseconds. */
  timeout?: number;
  cd?: string;
  "system-prompt"?: string;
  "append-system-prompt"?: string;
  "no-context-files"?: boolean;
  trust?: boolean;
  "no-trust"?: boolean;
}

/** What `tau sessions` is to do; ids may be cut short. */
export type SessionsAction =
  | { action: "list"; json: boolean }
  | { action: "show" | "export"; id: string }
  | { action: "rm"; ids: string[] };

/** What `tau plugins` is to do; times are in milliseconds. */
export type PluginsAction =
  | { action: "list"; json: boolean; timeoutMs: number | undefined }
  | {
    action: "check";
    file: string;
    json: boolean;
    timeoutMs: number | undefined;
  }
  | { action: "new"; name: string; inProject: boolean; asFolder: boolean }
  | { action: "types" };

/** What a command line asks for. */
export type Invocation =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "run"; flags: RunFlags; prompt: PromptPart[] }
  | { kind: "rpc"; flags: RunFlags }
  | { kind: "demo"; keep: boolean }
  | { kind: "proxy"; port: number; host: string }
  | { kind: "trust"; remove: boolean }
  | { kind: "schema"; name: SchemaName }
  | { kind: "sessions"; action: SessionsAction }
  | { kind: "plugins"; action: PluginsAction }
  /** `words` are all in the names of the models that are listed. */
  | { kind: "models"; json: boolean; words: string[] }
  | { kind: "completions"; shell: ShellName }
  | { kind: "permissions"; flags: RunFlags; json: boolean }
  | { kind: "doctor"; json: boolean }
  | { kind: "licenses" }
  /** It cannot be understood; `message` is one line. */
  | { kind: "invalid"; message: string };

/** The words that name a command where they come first; else there is a prompt to run. */
export const COMMAND_NAMES = [
  "demo",
  "rpc",
  "proxy",
  "trust",
  "schema",
  "sessions",
  "plugins",
  "models",
  "permissions",
  "doctor",
  "completions",
  "licenses",
] as const;
/** The names of {@linkcode OutputFormat}. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
/** The names of {@linkcode SchemaName}. */
export const SCHEMA_NAMES = [
  "line",
  "rpc",
  "header",
  "event",
  "result",
  "settings",
] as const;
/** The names of {@linkcode ShellName}. */
export const SHELL_NAMES = ["bash", "zsh", "fish"] as const;
