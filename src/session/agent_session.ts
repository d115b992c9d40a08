import { runAgentLoop } from "../agent/agent_loop.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { AgentContext, ToolCallHooks } from "../agent/loop_config.ts";
import {
  keepModelMessages,
  renderSystemPrompt,
} from "../agent/request_messages.ts";
import type {
  AssistantMessage,
  SystemMessage,
  UserMessage,
} from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { StreamFn } from "../model/stream.ts";
import { Compaction, type CompactionOptions } from "./compaction.ts";
import { createGoals, type GoalOptions } from "./create_goals.ts";
import { openingMessages, promptChange } from "./opening_messages.ts";
import { PromptQueues } from "./prompt_queues.ts";
import { recoveringStream } from "./recovering_stream.ts";
import { retrying, type RetryOptions } from "./retry.ts";
import type { RunOutcome } from "./run_outcome.ts";
import { type LimitOptions, RunLimits } from "./run_limits.ts";
import { type Ask, UnshownAnswer } from "./unshown_answer.ts";
import type { QueueEvent, SessionEventSink } from "./session_event.ts";
import type { SessionHooks } from "./session_hooks.ts";
import { SessionTools } from "./session_tools.ts";
import { hookedRun } from "./hooked_run.ts";

/** Parts of a session. */
export interface AgentSessionOptions extends GoalOptions, LimitOptions {
  model: Model;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Asked for anew before each run, where it is a function. */
  systemPrompt: SystemMessage | (() => SystemMessage);
  /** The conversation so far. Default none. */
  messages?: readonly AgentMessage[];
  /** Unique names, schemas that can be checked against; else a `ToolContractError`. Those that change are a set of the caller's own. */
  tools: readonly AgentTool[] | SessionTools;
  streamFn: StreamFn;
  /** Hears every event, in order; awaited. */
  emit: SessionEventSink;
  /** Decides about each call that the limits let through. */
  beforeToolCall?: ToolCallHooks["beforeToolCall"];
  /** Looks at all that happens, and changes it. Default: nobody does. */
  hooks?: SessionHooks | undefined;
  /** Settings for making failed requests again. */
  retry?: Omit<RetryOptions, "emit">;
  /** Settings for shortening conversations. */
  compaction?: CompactionOptions | undefined;
}

interface ModelChoice {
  model: Model;
  thinkingLevel: ThinkingLevel;
}

/** A conversation: its transcript, and runs that extend it. */
export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #queues: PromptQueues;
  readonly #transcript: AgentMessage[];
  #answers: ModelChoice;
  #isRunning = false;
  /** The system prompt of the run that goes on, where anybody might ask for it. */
  #runPrompt: string | undefined;
  readonly #tools: SessionTools;
  readonly #compaction: Compaction;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    const { model, thinkingLevel = "off" } = options;
    this.#answers = { model, thinkingLevel };
    this.#queues = new PromptQueues(options.emit);
    this.#transcript = options.messages?.slice() ?? [];
    const { tools, hooks } = options;
    this.#tools = tools instanceof SessionTools
      ? tools
      : new SessionTools(tools);
    this.#compaction = new Compaction(options.emit, {
      ...options.compaction,
      ...(hooks ? { before: (facts) => hooks.beforeCompact(facts) } : {}),
    });
  }

  /** The tools, of which the model is told of the active ones. */
  get tools(): SessionTools {
    return this.#tools;
  }

  /** Adds all of these tools or, with a `ToolContractError`, none. The next request has them. */
  registerTools(tools: readonly AgentTool[]): void {
    this.#tools.add(tools);
  }

  /** True while a run is active. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The model that answers the next request, and how hard it thinks. */
  get answers(): { model: Model; thinkingLevel: ThinkingLevel } {
    return this.#answers;
  }

  /** The system prompt as the next request says it. */
  get systemPrompt(): string {
    if (this.#runPrompt !== undefined) return this.#runPrompt;
    const said = [
      ...this.#transcript,
      ...openingMessages(this.#transcript, this.#prompt()),
    ];
    return renderSystemPrompt(
      said.filter((message): message is SystemMessage =>
        message.role === "system"
      ),
    );
  }

  /** Tokens of a request as it would be now; 0 before the first. */
  get contextTokens(): number {
    return this.#compaction.tokens;
  }

  /** Has this model answer from the next request on. */
  useModel(model: Model, thinkingLevel: ThinkingLevel = "off"): void {
    this.#answers = { model, thinkingLevel };
  }

  /** Queues what the user says for before the next request. */
  async steer(content: UserMessage["content"]): Promise<void> {
    await this.#queues.steer(userMessage(content));
  }

  /** Queues what the user says for when the run would end. */
  async followUp(content: UserMessage["content"]): Promise<void> {
    await this.#queues.followUp(userMessage(content));
  }

  /** Queues a message of somebody else. */
  async queue(
    message: UserMessage,
    deliverAs: "steer" | "followUp" = "steer",
  ): Promise<void> {
    await this.#queues[deliverAs](message);
  }

  /** True while messages wait in a queue. */
  get hasQueued(): boolean {
    return !this.#queues.isEmpty;
  }

  /** Forgets what is queued, and tells what it was. */
  async clearQueue(): Promise<Omit<QueueEvent, "type">> {
    return await this.#queues.clear();
  }

  /** Adds a message that needs no answer; while a run goes on, before its next request. */
  async append(message: UserMessage): Promise<void> {
    if (this.#isRunning) return await this.#queues.steer(message);
    const { emit } = this.#options;
    await emit({ type: "message_start", message });
    await emit({ type: "message_end", message });
    this.#transcript.push(message);
  }

  /**
   * Replaces the first part of the conversation by a summary in the requests
   * that follow. Rejects while a run goes on, and where nothing became shorter.
   */
  async compact(
    instructions?: string,
    signal?: AbortSignal,
  ): Promise<{ tokensBefore: number }> {
    if (this.#isRunning) throw new Error("Wait until the run has ended");
    const { streamFn, emit, retry } = this.#options;
    const messages = keepModelMessages(this.#transcript)
      .filter(({ role }) => role !== "system");
    const once: Ask = async ({ model, context, options }) =>
      await UnshownAnswer.of(await streamFn(model, context, options));
    return await this.#compaction.now(
      {
        model: this.#answers.model,
        context: { messages },
        options: signal ? { signal } : {},
      },
      { ask: retrying(once, { ...retry, emit }), instructions },
    );
  }

  /**
   * Answers one prompt, or, without one, goes on with what is queued. Resolves
   * however the run ends; one run at a time.
   */
  async run(
    prompt?: UserMessage["content"],
    signal?: AbortSignal,
  ): Promise<RunOutcome> {
    const said = prompt === undefined
      ? await this.#queues.takeNext()
      : [userMessage(prompt)];
    if (said.length === 0) return { kind: "completed" };
    this.#isRunning = true;
    try {
      return await this.#run(said, signal);
    } finally {
      this.#isRunning = false;
      this.#runPrompt = undefined;
    }
  }

  #prompt(): SystemMessage {
    const { systemPrompt } = this.#options;
    return typeof systemPrompt === "function" ? systemPrompt() : systemPrompt;
  }

  async #run(
    said: AgentMessage[],
    signal: AbortSignal | undefined,
  ): Promise<RunOutcome> {
    const { streamFn, emit, retry } = this.#options;
    const { model, thinkingLevel } = this.#answers;
    const limits = new RunLimits(this.#options);
    const limitHooks = limits.hooks();
    const goals = createGoals(this.#options, emit);
    let wasAborted = false;
    const hooked = await hookedRun(this.#options.hooks, {
      said,
      systemPrompt: () => this.systemPrompt,
      streamFn,
      emit: (event) => {
        limits.note(event);
        goals.note(event);
        if (event.type === "agent_end") wasAborted = event.aborted === true;
        return emit(event);
      },
    });
    this.#runPrompt = hooked.systemPrompt;
    const context: AgentContext = {
      messages: this.#transcript,
      tools: this.#tools.snapshot(),
    };
    const added = await runAgentLoop(
      [
        ...openingMessages(this.#transcript, this.#prompt()),
        ...hooked.said,
      ],
      context,
      {
        model,
        ...(thinkingLevel === "off" ? {} : { reasoning: thinkingLevel }),
        convertToLlm: keepModelMessages,
        prepareNextTurn: ({ context: { messages, tools: before } }) => {
          const tools = this.#tools.snapshot();
          // The prompt tells of the tools that there are.
          const change = tools === before
            ? undefined
            : promptChange(messages, this.#prompt());
          return {
            tools,
            ...this.#answers,
            ...(change ? { messages: [change] } : {}),
          };
        },
        ...limitHooks,
        get afterToolCall() {
          return hooked.afterToolCall;
        },
        get transformContext() {
          return hooked.transformContext;
        },
        get completeMessage() {
          return hooked.completeMessage;
        },
        beforeToolCall: (call, signal) =>
          limitHooks.beforeToolCall(call, signal) ??
            this.#options.beforeToolCall?.(call, signal),
        getSteeringMessages: async () => {
          const closing = limits.closingMessages();
          if (closing.length > 0 || limits.isUsedUp) return closing;
          return await this.#queues.takeSteering();
        },
        getFollowUpMessages: async () =>
          this.#queues.isEmpty
            ? limits.admit(await goals.followUp(signal))
            : limits.mayGoOn()
            ? await this.#queues.takeNext()
            : [],
      },
      hooked.listen,
      signal,
      recoveringStream(hooked.streamFn, {
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
}

function userMessage(content: UserMessage["content"]): UserMessage {
  return { role: "user", content, timestamp: Date.now() };
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
