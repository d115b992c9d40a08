import {
  type AgentContext,
  type AgentEvent,
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
  UserContent,
} from "../model/mod.ts";
import { Compaction } from "./compaction.ts";
import { createGoals, type GoalOptions } from "./create_goals.ts";
import { openingMessages } from "./opening_messages.ts";
import { recoveringStream } from "./recovering_stream.ts";
import type { RetryOptions } from "./retry.ts";
import type { RunOutcome } from "./run_outcome.ts";
import type { LimitOptions } from "./run_limit.ts";
import { RunLimits } from "./run_limits.ts";
import type { SessionEventSink } from "./session_event.ts";

/** What a session is made of. */
export interface AgentSessionOptions extends GoalOptions, LimitOptions {
  model: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  systemPrompt: SystemMessage;
  /** The conversation so far. Default none. */
  messages?: readonly AgentMessage[];
  /** Unique names, schemas that can be checked against; else a `ToolContractError`. */
  tools: readonly AgentTool[];
  streamFn: StreamFn;
  /** Hears every event, in order; awaited. */
  emit: SessionEventSink;
  /** How requests that failed are made again. */
  retry?: Omit<RetryOptions, "emit">;
}

/** A conversation: its transcript, and runs that extend it. */
export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #transcript: AgentMessage[];
  readonly #tools = new ToolRegistry<AgentTool>();
  readonly #compaction: Compaction;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#transcript = options.messages?.slice() ?? [];
    this.#tools.registerMany(options.tools);
    this.#compaction = new Compaction(options.emit);
  }

  /** Adds all of these tools or, with a `ToolContractError`, none. The next request has them. */
  registerTools(tools: readonly AgentTool[]): void {
    this.#tools.registerMany(tools);
  }

  /** Answers one prompt. Resolves however the run ends; one run at a time. */
  async run(
    prompt: string | UserContent[],
    signal?: AbortSignal,
  ): Promise<RunOutcome> {
    const { model, thinkingLevel, streamFn, emit, retry } = this.#options;
    const limits = new RunLimits(this.#options);
    const goals = createGoals(this.#options, emit);
    let wasAborted = false;
    const listen = (event: AgentEvent) => {
      limits.note(event);
      goals.note(event);
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
        getFollowUpMessages: async () =>
          limits.admit(await goals.followUp(signal)),
        ...limits.hooks(),
      },
      listen,
      signal,
      recoveringStream(streamFn, {
        compaction: this.#compaction,
        limits,
        retry: { ...retry, emit },
      }),
    );
    this.#transcript.push(...added);
    // An abort while tools run leaves no message that says so.
    if (wasAborted) return { kind: "aborted" };
    if (limits.reached) return { kind: "limit", limit: limits.reached };
    return goals.failure ?? outcomeOf(added);
  }

  #opening(prompt: string | UserContent[]): AgentMessage[] {
    const { systemPrompt } = this.#options;
    const user = {
      role: "user",
      content: prompt,
      timestamp: Date.now(),
    } as const;
    return openingMessages(this.#transcript, { systemPrompt, user });
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
