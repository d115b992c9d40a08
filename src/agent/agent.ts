import type { ImageContent } from "../model/content.ts";
import type { StreamFn } from "../model/stream.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { AgentEvent } from "./agent_event.ts";
import {
  runAgentLoop,
  runAgentLoopContinue,
  streamFnOrDefault,
} from "./agent_loop.ts";
import type { AgentMessage } from "./agent_message.ts";
import { AgentState, type InitialAgentState } from "./agent_state.ts";
import type { AgentLoopConfig } from "./loop_config.ts";
import { MessageQueue, type QueueMode } from "./message_queue.ts";
import { keepModelMessages } from "./request_messages.ts";

/** Hears an event. Listeners are awaited in the order in which they subscribed; the run waits for all of them. */
export type AgentListener = (
  event: AgentEvent,
  signal: AbortSignal,
) => void | Promise<void>;

/** Settings of a run, but for what an agent's state and queues say. */
export type AgentConfig = Partial<
  Omit<
    AgentLoopConfig,
    "model" | "reasoning" | "getSteeringMessages" | "getFollowUpMessages"
  >
>;

/** Settings of an agent. */
export interface AgentOptions extends AgentConfig {
  /** State that it starts from. */
  initialState: InitialAgentState;
  /** Default: the one set with `setDefaultStreamFn` when a run starts. */
  streamFn?: StreamFn;
  /** Default `one-at-a-time`. */
  steeringMode?: QueueMode;
  /** Default `one-at-a-time`. */
  followUpMode?: QueueMode;
}

/** Names of the fields of an agent that are settings of its runs. */
const SETTINGS: Record<keyof AgentConfig, true> = {
  afterToolCall: true,
  apiKey: true,
  beforeToolCall: true,
  cacheRetention: true,
  completeMessage: true,
  convertToLlm: true,
  finishTurn: true,
  getApiKey: true,
  headers: true,
  hooks: true,
  identity: true,
  maxRetryDelayMs: true,
  maxTokens: true,
  metadata: true,
  notesThinkingLevel: true,
  onPayload: true,
  onProviderStreamEvent: true,
  onResponse: true,
  prepareNextTurn: true,
  prepareRequest: true,
  sessionId: true,
  temperature: true,
  thinkingBudgets: true,
  timeouts: true,
  toolChoice: true,
  toolExecution: true,
  transformContext: true,
  transport: true,
};

/** Hooks and request settings; assigning one changes the runs to come. */
export interface Agent extends AgentConfig {}

/**
 * A conversation with a model and its tools: state, queues and listeners
 * around the loop.
 *
 * Its settings are fields, which may be assigned: `agent.beforeToolCall = …`.
 * Assigning a field that there is not throws, so that no guard is lost to a
 * misspelt name; a class that extends this one may have fields of its own.
 *
 * A run takes a snapshot of settings, model, thinking level, tools and messages
 * when it starts; changing them meanwhile concerns the next run. A listener
 * that throws ends the run as a failed one: the others still hear every event,
 * and the last message has stopReason `error`.
 */
export class Agent {
  /** Reduced from each event before the listeners hear it. */
  readonly state: AgentState;
  /** Asks the model. Default: the one set with `setDefaultStreamFn` when a run starts. */
  streamFn: StreamFn | undefined;
  /** Replaced when it changes, so that an event is told to those who were there. */
  #listeners: readonly AgentListener[] = [];
  readonly #steering: MessageQueue;
  readonly #followUps: MessageQueue;
  #run: { abort: AbortController; settled: Promise<void> } | undefined;

  /** Starts nothing. */
  constructor(options: AgentOptions) {
    const { initialState, streamFn, steeringMode, followUpMode } = options;
    this.state = new AgentState(initialState);
    this.streamFn = streamFn;
    this.#steering = new MessageQueue(steeringMode);
    this.#followUps = new MessageQueue(followUpMode);
    for (const name of Object.keys(SETTINGS) as (keyof AgentConfig)[]) {
      Object.assign(this, { [name]: options[name] });
    }
    this.convertToLlm ??= keepModelMessages;
    this.toolExecution ??= "parallel";
    this.notesThinkingLevel ??= true;
    if (new.target === Agent) Object.preventExtensions(this);
  }

  /** Number of steering messages that enter a turn together. */
  get steeringMode(): QueueMode {
    return this.#steering.mode;
  }

  set steeringMode(mode: QueueMode) {
    this.#steering.mode = mode;
  }

  /** Number of follow-up messages that enter a turn together. */
  get followUpMode(): QueueMode {
    return this.#followUps.mode;
  }

  set followUpMode(mode: QueueMode) {
    this.#followUps.mode = mode;
  }

  /** The signal of the run that is going on. */
  get signal(): AbortSignal | undefined {
    return this.#run?.abort.signal;
  }

  /**
   * Adds a listener, for the events that follow; returns how to remove it, at
   * once. One that waits for its own run to settle waits forever.
   */
  subscribe(listener: AgentListener): () => void {
    if (!this.#listeners.includes(listener)) {
      this.#listeners = [...this.#listeners, listener];
    }
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    };
  }

  /**
   * Runs from a prompt to the end. Rejects when a run is going on already and
   * when there is no stream function; whatever fails later ends the run as a
   * failed one. `images` go with a prompt that is text.
   */
  async prompt(
    input: string | AgentMessage | AgentMessage[],
    images: ImageContent[] = [],
  ): Promise<void> {
    if (this.#run) {
      throw new Error(
        "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
      );
    }
    await this.#start(toMessages(input, images));
  }

  /**
   * Goes on from the transcript: from its last message, or, where that is an
   * assistant's, with queued messages: steering, else follow-ups. Rejects as
   * `prompt` does, and where there is nothing to go on from.
   */
  async continue(): Promise<void> {
    if (this.#run) {
      throw new Error(
        "Agent is already processing. Wait for completion before continuing.",
      );
    }
    const last = this.state.messages.findLast(({ role }) => role !== "system");
    if (!last) throw new Error("No messages to continue from");
    if (last.role !== "assistant") return await this.#start();
    // Before a message leaves its queue, since it would be lost.
    streamFnOrDefault(this.streamFn);
    const steering = this.#steering.take();
    if (steering.length > 0) {
      return await this.#start(steering, { skipFirstPoll: true });
    }
    const followUps = this.#followUps.take();
    if (followUps.length > 0) return await this.#start(followUps);
    throw new Error("Cannot continue from message role: assistant");
  }

  /** Queues a message for before the next request of the run. */
  steer(message: AgentMessage): void {
    this.#steering.add(message);
  }

  /** Queues a message for when the run would end. */
  followUp(message: AgentMessage): void {
    this.#followUps.add(message);
  }

  /** Forgets the steering messages. */
  clearSteeringQueue(): void {
    this.#steering.clear();
  }

  /** Forgets the follow-ups. */
  clearFollowUpQueue(): void {
    this.#followUps.clear();
  }

  /** Forgets all that is queued. */
  clearAllQueues(): void {
    this.clearSteeringQueue();
    this.clearFollowUpQueue();
  }

  /** True when anything is queued. */
  hasQueuedMessages(): boolean {
    return this.#steering.size + this.#followUps.size > 0;
  }

  /** The queued messages that would be said next: steering, or follow-ups where there is none. */
  peekQueuedMessages(): AgentMessage[] {
    const steering = this.#steering.peek();
    return steering.length > 0 ? steering : this.#followUps.peek();
  }

  /** Ends the run that is going on; queued messages stay queued. */
  abort(): void {
    this.#run?.abort.abort();
  }

  /** Resolves when no run is going on and the listeners of its last event are through. */
  async waitForIdle(): Promise<void> {
    await this.#run?.settled;
  }

  /** Forgets the conversation and both queues; prompt and tools stay declared. Throws while a run is going on. */
  reset(): void {
    if (this.#run) {
      throw new Error(
        "Agent is already processing. Wait for completion before resetting.",
      );
    }
    this.clearAllQueues();
    this.state.reset();
  }

  /** Runs the loop; without messages it goes on from the transcript. */
  async #start(
    messages?: AgentMessage[],
    { skipFirstPoll = false } = {},
  ): Promise<void> {
    const abort = new AbortController();
    const settled = Promise.withResolvers<void>();
    this.#run = { abort, settled: settled.promise };
    const { state } = this;
    state.isStreaming = true;
    const context = { messages: state.messages, tools: state.tools };
    const config = this.#loopConfig(skipFirstPoll);
    const emit = (event: AgentEvent) => {
      state.reduce(event);
      return this.#tell(event, abort.signal);
    };
    try {
      if (messages) {
        await runAgentLoop(
          messages,
          context,
          config,
          emit,
          abort.signal,
          this.streamFn,
        );
      } else {
        await runAgentLoopContinue(
          context,
          config,
          emit,
          abort.signal,
          this.streamFn,
        );
      }
    } finally {
      state.isStreaming = false;
      this.#run = undefined;
      settled.resolve();
    }
  }

  #loopConfig(skipFirstPoll: boolean): AgentLoopConfig {
    const { model, thinkingLevel } = this.state;
    let skip = skipFirstPoll;
    const names = Object.keys(SETTINGS) as (keyof AgentConfig)[];
    return {
      ...withoutUndefined(
        Object.fromEntries(names.map((name) => [name, this[name]])),
      ) as AgentConfig,
      convertToLlm: this.convertToLlm ?? keepModelMessages,
      model,
      ...(thinkingLevel === "off" ? {} : { reasoning: thinkingLevel }),
      getSteeringMessages: () => {
        if (!skip) return this.#steering.take();
        skip = false;
        return [];
      },
      getFollowUpMessages: () => this.#followUps.take(),
    };
  }

  /** Every listener hears the event, also behind one that throws. */
  async #tell(event: AgentEvent, signal: AbortSignal): Promise<void> {
    let failure: { error: unknown } | undefined;
    for (const listener of this.#listeners) {
      // One that was removed while the event is told hears no more of it.
      if (!this.#listeners.includes(listener)) continue;
      try {
        await listener(event, signal);
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure) throw failure.error;
  }
}

function toMessages(
  input: string | AgentMessage | AgentMessage[],
  images: ImageContent[],
): AgentMessage[] {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") return [input];
  const content = [{ type: "text" as const, text: input }, ...images];
  return [{ role: "user", content, timestamp: Date.now() }];
}
