import type { AgentEvent } from "../agent/agent_event.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import type {
  ImageContent,
  JsonObject,
  JsonValue,
  UserContent,
} from "../model/content.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { AssistantDelta } from "../model/stream.ts";
import type { PathPolicy } from "../policy/path_policy.ts";
import type { AskKind, MessageRef } from "./kernel_protocol.ts";

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
  /** Values that the user gave options of plugins; true for one without a value. */
  flagValues?: Record<string, string | true> | undefined;
  /** Paths of plugins that are not loaded again. */
  leftOut?: string[] | undefined;
  /** There is no session: they are loaded, and no run answers anything. */
  inspection?: PluginInspection | undefined;
}

/** Options of loading plugins only to look at them. */
export interface PluginInspection {
  /** Milliseconds for one import, and for one function. */
  deadlineMs: number;
}

/** All that a kernel needs to know at first. Holds no credential, and nothing that it need not know. */
export interface KernelSetup {
  sessionId: string;
  /** Absolute and real. */
  cwd: string;
  /** Mode of the session. */
  mode: SessionMode;
  /** True where the user can be asked. */
  hasUI: boolean;
  /** The plugins of the session; absent where there are none to look for. */
  plugins?: PluginSetup | undefined;
  policy: PathPolicy;
  /** Timeout of commands of bash that name none. */
  bashTimeoutMs?: number | undefined;
  /** Environment of the shell tools' children. */
  environment: Record<string, string>;
  homeDir?: string | undefined;
  /** A private folder for the full output of long commands. */
  outputDir: string;
}

/** The session as a kernel's copy of it knows it. */
export interface SessionState {
  /** Without address and headers. */
  model: Omit<Model, "baseUrl" | "headers">;
  thinkingLevel: ThinkingLevel;
  /** Number of the prompt that is being answered; null between two. */
  run: number | null;
  /** True while its run goes on. */
  isRunning: boolean;
  /** True while messages wait in a queue. */
  hasQueued: boolean;
  contextTokens: number;
  systemPrompt: string;
  activeTools: string[];
  /** Which tools may be active: the user's choice, those that never are, and those that a run can have without it. */
  tools: {
    allowed?: string[] | undefined;
    excluded: string[];
    startable: string[];
  };
  sessionFile: string | null;
}

/** An entry of the session, as plugins see it. */
export type MirroredEntry =
  | { type: "message"; message: AgentMessage }
  | { type: "custom"; customType: string; data?: JsonValue };

/** Facts about a call that handlers see. */
export interface CallFacts {
  toolName: string;
  toolCallId: string;
  parentToolCallId?: string;
  input: JsonObject;
}

/** Questions to a kernel, by their kind. */
export interface AskPayloads {
  input: {
    text: string;
    images: ImageContent[];
    source: "prompt" | "steer" | "follow_up";
  };
  before_agent_start: {
    prompt: string;
    images: ImageContent[];
    systemPrompt: string;
  };
  notice: { event: NoticeEvent };
  message_end: { message: AgentMessage };
  tool_call: CallFacts;
  tool_result: CallFacts & {
    partial: boolean;
    result: AgentToolResult;
    isError: boolean;
  };
  context: { messages: MessageRef[] };
  headers: { headers: Record<string, string> };
  body: { body: JsonObject };
  session_before_compact: {
    reason: "threshold" | "overflow" | "manual";
    tokens: number;
    messages: MessageRef[];
  };
  user_bash: { command: string; excludeFromContext: boolean; cwd: string };
  validate: { tool: string; raw: JsonObject; argumentsError?: string };
  render: {
    tool: string;
    shown:
      & { toolCallId: string }
      & ({ args: JsonObject } | { result: AgentToolResult });
    width: number;
    color: boolean;
  };
  command: { name: string; args: string };
  reload: Record<never, never>;
  image: { content: UserContent[] };
  probe: { targets: ProbeTargets };
}

/** An event that handlers only hear of. Messages of the session go by number. */
export type NoticeEvent =
  | { type: "agent_start" }
  | { type: "turn_start"; turnIndex: number; timestamp: number }
  | {
    type: "turn_end";
    turnIndex: number;
    message: MessageRef;
    toolResults: MessageRef[];
  }
  | { type: "agent_end"; messages: MessageRef[]; aborted: boolean }
  | { type: "agent_settled"; aborted: boolean }
  | { type: "message_start"; message: MessageRef }
  | Extract<
    AgentEvent,
    { type: "tool_execution_start" | "tool_execution_update" }
  >
  | Omit<Extract<AgentEvent, { type: "tool_execution_end" }>, "durationMs">
  | {
    type: "model_select";
    model: SessionState["model"];
    previousModel: SessionState["model"];
  }
  | {
    type: "thinking_level_select";
    level: ThinkingLevel;
    previousLevel: ThinkingLevel;
  }
  | {
    type: "session_compact";
    reason: "threshold" | "overflow" | "manual";
    summary: string;
    tokensBefore: number;
  }
  | {
    type: "session_compact_failed";
    reason: "threshold" | "overflow" | "manual";
    aborted: boolean;
    errorMessage?: string;
  }
  | {
    type: "after_provider_response";
    status: number;
    headers: Record<string, string>;
  };

/** A call of a tool in a kernel. */
export interface CallMessage {
  type: "call";
  callId: number;
  /** `built_in`: what the program brings, also where a plugin stands in its place. */
  from: "built_in" | "declared";
  tool: string;
  toolCallId: string;
  args: JsonObject;
  /** Variables of the session for commands. */
  sessionEnvironment?: Record<string, string>;
  /** The path that rules were asked about; the tool refuses another. */
  realPath?: string;
  hasUpdates: boolean;
}

/** Question to a kernel, of one kind. */
export type AskMessage = {
  [Kind in AskKind]: {
    type: "ask";
    askId: number;
    kind: Kind;
    payload: AskPayloads[Kind];
  };
}[AskKind];

/** Host to kernel. */
export type HostMessage =
  | { type: "start"; setup: KernelSetup }
  /** One more entry of the session; a message comes with its number. */
  | { type: "entry"; entry: MirroredEntry; number?: number | undefined }
  /** Fields that changed. */
  | { type: "state"; state: Partial<SessionState> }
  /** The copy of the session is complete: plugins hear that it begins. */
  | { type: "join"; reason: "startup" | "resume" }
  /** Sent once; a `result` follows. */
  | CallMessage
  /** Ends what is open, as far as it can be ended; its end still comes. */
  | { type: "cancel"; callId: number }
  | { type: "cancel_ask"; askId: number }
  | { type: "cancel_run" }
  | AskMessage
  /** Steps of the growing message, for handlers of its updates; `heard` follows. */
  | { type: "steps"; n: number; steps: AssistantDelta[] }
  | { type: "reply"; requestId: number; value?: JsonValue; error?: string }
  /** Progress of a nested call. */
  | { type: "progress"; requestId: number; result: AgentToolResult }
  | { type: "ping"; n: number }
  /** The session is over: plugins hear of it, and the kernel ends. */
  | { type: "close" };

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
