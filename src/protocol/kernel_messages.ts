import type {
  AssistantDelta,
  JsonObject,
  Message,
  Model,
  StreamOptions,
  ThinkingLevel,
  Tool,
} from "../model/mod.ts";
import type { PathPolicy } from "../policy/mod.ts";
import type { RunOutcome } from "../session/mod.ts";
import type { RunEvent } from "./run_event.ts";

/** All that a kernel needs to know of its run. Holds no credential. */
export interface RunSetup {
  sessionId: string;
  /** Absolute and real. */
  cwd: string;
  prompt: string;
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
  /** Names of the active tools, in the order in which they are declared. */
  tools: string[];
  maxTurns?: number | undefined;
  policy: PathPolicy;
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
