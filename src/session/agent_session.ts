import {
  type AgentContext,
  type AgentEvent,
  type AgentEventSink,
  type AgentMessage,
  type AgentTool,
  keepModelMessages,
  runAgentLoop,
  ToolRegistry,
} from "../agent/mod.ts";
import type {
  AssistantMessage,
  Model,
  StreamFn,
  SystemMessage,
  ThinkingLevel,
} from "../model/mod.ts";
import type { RunOutcome } from "./run_outcome.ts";
import { TurnLimit } from "./turn_limit.ts";

/** What a session is made of. */
export interface AgentSessionOptions {
  model: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  systemPrompt: SystemMessage;
  /** Unique names, schemas that can be checked against; else a `ToolContractError`. */
  tools: readonly AgentTool[];
  streamFn: StreamFn;
  /** Hears every event, in order; awaited. */
  emit: AgentEventSink;
  /** Responses of the model in one run; no limit when absent. */
  maxTurns?: number;
}

/** A conversation: its transcript, and runs that extend it. */
export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #transcript: AgentMessage[] = [];
  readonly #tools = new ToolRegistry<AgentTool>();

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#tools.registerMany(options.tools);
  }

  /** Adds all of these tools or, with a `ToolContractError`, none. The next request has them. */
  registerTools(tools: readonly AgentTool[]): void {
    this.#tools.registerMany(tools);
  }

  /** Answers one prompt. Resolves however the run ends; one run at a time. */
  async run(prompt: string, signal?: AbortSignal): Promise<RunOutcome> {
    const { model, thinkingLevel, streamFn, emit, maxTurns } = this.#options;
    const limit = maxTurns === undefined ? undefined : new TurnLimit(maxTurns);
    let wasAborted = false;
    const listen = (event: AgentEvent) => {
      limit?.count(event);
      if (event.type === "agent_end") wasAborted = event.aborted === true;
      return emit(event);
    };
    const context: AgentContext = {
      messages: this.#transcript,
      tools: this.#tools.snapshot(),
    };
    const added = await runAgentLoop(
      this.#opening(prompt),
      context,
      {
        model,
        ...(thinkingLevel && thinkingLevel !== "off"
          ? { reasoning: thinkingLevel }
          : {}),
        convertToLlm: keepModelMessages,
        prepareNextTurn: () => ({ tools: this.#tools.snapshot() }),
        ...limit?.hooks(),
      },
      listen,
      signal,
      streamFn,
    );
    this.#transcript.push(...added);
    // An abort while tools run leaves no message that says so.
    if (wasAborted) return { kind: "aborted" };
    if (limit?.reached) return { kind: "limit", limit: "turn_limit" };
    return outcomeOf(added);
  }

  #opening(prompt: string): AgentMessage[] {
    const user: AgentMessage = {
      role: "user",
      content: prompt,
      timestamp: Date.now(),
    };
    return this.#transcript.length === 0
      ? [this.#options.systemPrompt, user]
      : [user];
  }
}

function outcomeOf(added: readonly AgentMessage[]): RunOutcome {
  const last = added.findLast((message): message is AssistantMessage =>
    message.role === "assistant"
  );
  if (!last || last.stopReason === "aborted") return { kind: "aborted" };
  if (last.stopReason === "error") {
    const message = last.errorMessage ?? "unknown error";
    return last.errorKind
      ? { kind: "model_error", errorKind: last.errorKind, message }
      : { kind: "failed", message };
  }
  return last.stopReason === "length"
    ? { kind: "limit", limit: "output_limit" }
    : { kind: "completed" };
}
