import type { DeltaSource } from "../model/stream.ts";
import type {
  DialogAnswer,
  PluginInspection,
  SessionMode,
} from "../protocol/kernel_messages.ts";
import type { Dialog } from "../protocol/kernel_protocol.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import type { CompactionOptions } from "../session/compaction.ts";
import type { LimitOptions } from "../session/run_limits.ts";
import type { SessionHeader } from "../session/session_entry.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { ContextOptions } from "../context/read_context.ts";
import type { ProviderSettings } from "../settings/settings.ts";
import type { AnswerFile } from "./answer_file.ts";
import type { KernelProgram } from "./kernel_program.ts";
import type { PermissionOptions } from "./run_permissions.ts";
import type { RunGoals } from "./run_record.ts";
import type { SessionChoice } from "./run_session.ts";
import type { TapeOptions } from "./run_tape.ts";

/** Reason why a run is stopped from outside. */
export type StopReason =
  | "interrupted"
  | "terminated"
  | "hung_up"
  | "stdout_closed";

/** Options of a run. */
export interface RunOptions extends TapeOptions {
  prompt: string;
  /** Must exist. */
  cwd: string;
  /** `provider/id` or `id`; chosen from the environment when absent. Ignored with `replay`. */
  model?: string | undefined;
  /** The model where neither `model` nor the session names one. */
  defaultModel?: string | undefined;
  /** Providers beside the built-in ones, and changes of those. */
  providers?: Record<string, ProviderSettings> | undefined;
  /** Sources of further texts for the model; nothing is read when absent. */
  context?: Omit<ContextOptions, "prompt" | "cwd" | "homeDir"> | undefined;
  /** Store the conversation, or go on with one. Default: it is not stored. Ignored with `replay`. */
  session?: SessionChoice | undefined;
  /** Answers the model requests in place of the providers; no key is needed then. Ignored with `replay`. */
  source?: DeltaSource | undefined;
  /** Default: read, bash, edit, write. */
  tools?: string[] | undefined;
  /** Tools that are never active, also where plugins bring them. */
  excludeTools?: string[] | undefined;
  /** Timeout of commands of bash that name none. Default 600,000. */
  bashTimeoutMs?: number | undefined;
  /** Requests after a failed one. Default 3. */
  maxRetries?: number | undefined;
  /** Settings of shortening conversations that are too long for the model. */
  compaction?: CompactionOptions | undefined;
  /** Which tool calls are made. Default: all that the policy lets through. */
  rules?: PermissionRule[] | undefined;
  /** A run in which anything was denied has failed. Default false. */
  failOnDenied?: boolean | undefined;
  /** Goals of the run before it counts as completed. */
  goals?: RunGoals | undefined;
  /** Limits of the run. */
  limits?: LimitOptions | undefined;
  /** Places of plugins. Default: none. */
  plugins?: PluginPlaces | undefined;
  /** Gets the answer of a run that completed. */
  answerFile?: AnswerFile | undefined;
  /** Milliseconds for everything. */
  timeoutMs?: number | undefined;
  /** Have tool events rendered for a terminal. */
  render?: { width: number; color: boolean } | undefined;
  /** Emit `message_update` events. */
  updates: boolean;
  /** Mode of the session. Default `print`. */
  mode?: SessionMode | undefined;
  kernel: KernelProgram;
  /** Permissions of the run. Default: profile `workspace`, confined where that can be. */
  permissions?: PermissionOptions | undefined;
  /** The path of bubblewrap. Default: looked for. */
  bubblewrap?: string | undefined;
  /** The user's environment: keys are taken from it, and what children may see. */
  env: Record<string, string>;
  /** Milliseconds of silence after which the kernel counts as hung. Default 10,000. */
  heartbeatMs?: number | undefined;
  /** Megabytes of the kernel's heap. Default 2048. */
  kernelHeapMb?: number | undefined;
}

/** Places of the plugins of a run. Paths are absolute. */
export interface PluginPlaces {
  /** Files and folders that were named. */
  paths: string[];
  /** Folders of plugins, in the order in which they count. */
  folders: string[];
  /** True where the user trusts the project in the working folder. */
  isProjectTrusted: boolean;
  /** Values that the user gave options of plugins; true for one without a value. */
  flagValues?: Record<string, string | true> | undefined;
  /** They are loaded, and no run answers anything. */
  inspection?: PluginInspection | undefined;
}

/** Listener of a run. */
export interface RunListener {
  /** The header, then each event, in order. A slow listener slows the run down. */
  emit(event: SessionHeader | RunEvent): void | Promise<void>;
  /** Puts a question to the user; undefined, or a rejection, when nobody answered. Absent where nobody can be asked. */
  ask?(dialog: Dialog, dismissed: AbortSignal): Promise<DialogAnswer>;
  /** A line for stderr: what plugins print, and warnings. Not made safe for a terminal. */
  log(line: string): void;
  /** A plugin wants the program to end, when nothing goes on. Absent where it ends with the run. */
  leave?(): void;
  /** Aborted to stop the run, with a {@linkcode StopReason} as its reason. */
  stop: AbortSignal;
}
