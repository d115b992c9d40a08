import type { GoalFlags } from "./goal_flags.ts";
import type { LimitFlags } from "./limit_flags.ts";
import type { SessionFlags } from "./session_flags.ts";

/** How the outcome of a run is told on stdout. */
export type OutputFormat = typeof OUTPUT_FORMATS[number];

/** What `tau schema` can describe. */
export type SchemaName = typeof SCHEMA_NAMES[number];

/** A word of the prompt, the place where stdin belongs, or a file to attach. */
export type PromptPart = { text: string } | { stdin: true } | { file: string };

/** Options of a run, as they were given. */
export interface RunFlags extends GoalFlags, LimitFlags, SessionFlags {
  print: boolean;
  "output-format"?: OutputFormat;
  model?: string;
  tools?: string[];
  /** Milliseconds. */
  timeout?: number;
  cd?: string;
  replay?: string;
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

/** What a command line asks for. */
export type Invocation =
  | { kind: "help" }
  | { kind: "version" }
  | { kind: "run"; flags: RunFlags; prompt: PromptPart[] }
  | { kind: "demo"; keep: boolean }
  | { kind: "proxy"; port: number; host: string }
  | { kind: "trust"; remove: boolean }
  | { kind: "schema"; name: SchemaName }
  | { kind: "sessions"; action: SessionsAction }
  /** It cannot be understood; `message` is one line. */
  | { kind: "invalid"; message: string };

/** The names of {@linkcode OutputFormat}. */
export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
/** The names of {@linkcode SchemaName}. */
export const SCHEMA_NAMES = [
  "line",
  "header",
  "event",
  "result",
  "settings",
] as const;
