import type {
  AssistantDelta,
  JsonObject,
  JsonSchema,
  Message,
  Model,
  StreamOptions,
  ThinkingLevel,
  Tool,
  UserContent,
} from "../model/mod.ts";
import type { PathPolicy } from "../policy/mod.ts";
import type {
  LimitOptions,
  PromptContext,
  RunOutcome,
  SessionEntry,
} from "../session/mod.ts";
import type { RunEvent } from "./run_event.ts";

/** All that a kernel needs to know of its run. Holds no credential. */
export interface RunSetup extends LimitOptions {
  sessionId: string;
  /** The run waits before each tool call until the host has stored what led to it. */
  isStored: boolean;
  /** Entries of the session so far; as many `history` messages follow. */
  historyLength: number;
  /** Absolute and real. */
  cwd: string;
  /** Images in it are as they were read; the kernel makes them fit. */
  prompt: string | UserContent[];
  /** What the system prompt says of the user's files and options. */
  promptContext?: PromptContext | undefined;
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
  /** Names of the active tools, in the order in which they are declared. */
  tools: string[];
  /** Requests after a failed one; the session's default when absent. */
  maxRetries?: number | undefined;
  /** A command that must succeed before the run counts as completed. */
  check?: { command: string; retries: number } | undefined;
  /** What the final answer must fit. */
  outputSchema?: JsonSchema | undefined;
  policy: PathPolicy;
  /** Of commands of bash that name no timeout. */
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

/** A message of a request: by the number of the event that stored it, or by value. */
export type MessageRef = number | Message;

/** What a kernel asks of a model. The run's own model answers; the kernel cannot name another. */
export interface ModelRequest {
  requestId: number;
  messages: MessageRef[];
  /** Prompt and tools, only when they differ from the request before. */
  declarations?: { systemPrompt?: string; tools?: Tool[] };
  options: Pick<
    StreamOptions,
    "temperature" | "maxTokens" | "reasoning" | "toolChoice"
  >;
}

/** Host to kernel. */
export type HostMessage =
  | { type: "start"; setup: RunSetup }
  /** One entry of the session; its messages have numbers like those of later events. */
  | { type: "history"; entry: SessionEntry }
  /** All up to the next `tool_execution_start` is stored in `file`; absent where it is not. */
  | { type: "stored"; file?: string }
  | { type: "ping"; n: number }
  | { type: "model_deltas"; requestId: number; deltas: AssistantDelta[] }
  | { type: "abort" }
  | { type: "reply"; askId: number; value?: JsonObject; error?: string };

/** Kernel to host. Untrusted: {@linkcode parseKernelMessage} checks it. */
export type KernelMessage =
  | { type: "pong"; n: number }
  | {
    type: "event";
    event: RunEvent;
    /** Number of the stored message, counted from 0, on `message_end`. */
    stored?: number;
  }
  | { type: "model_request"; request: ModelRequest }
  | { type: "model_cancel"; requestId: number }
  | { type: "ask"; askId: number; service: "kill_call"; marker: string }
  | { type: "end"; outcome: RunOutcome };
