import type { ToolCall } from "../model/content.ts";
import type { AssistantMessage, ToolResultMessage } from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { StreamFn } from "../model/stream.ts";
import { ABORT_GRACE_MS, ABORTED_TEXT, untilAborted } from "./abort.ts";
import type { AgentEvent, AgentEventSink } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";
import { errorText } from "./error_text.ts";
import type {
  AgentContext,
  AgentLoopConfig,
  FinishedTurn,
  RequestChange,
} from "./loop_config.ts";
import { RunEvents } from "./run_events.ts";
import { RunTranscript } from "./run_transcript.ts";
import { failedMessage, streamAssistant } from "./stream_assistant.ts";
import { runToolBatch, toEndEvent, toResultMessage } from "./tool_batch.ts";
import { type AgentToolCallOutcome, failedOutcome } from "./tool_call.ts";

/** The calls of a turn and their results so far. */
interface Turn {
  results: ToolResultMessage[];
  /** Calls that have no result yet. */
  unanswered: Map<string, ToolCall>;
  outcomes: Map<string, AgentToolCallOutcome>;
}

/**
 * One run: from the messages that start it to `agent_end`.
 *
 * It resolves whatever happens. A hook or listener that throws, or a tool that
 * throws a `NonRecoverableToolError`, ends it with an assistant message of
 * stopReason `error`, after every open call has got its result; an abort ends it
 * without a further request. Messages that were taken off a queue are in the
 * transcript even then.
 */
export class AgentRun {
  readonly #config: AgentLoopConfig;
  readonly #events: RunEvents;
  readonly #streamFn: StreamFn;
  readonly #userSignal: AbortSignal | undefined;
  readonly #signal: AbortSignal;
  readonly #transcript: RunTranscript;
  /** Messages that the transcript gets next. */
  #pending: AgentMessage[] = [];

  #model: Model;
  #thinkingLevel: ThinkingLevel;
  #turn = newTurn();
  #lastTurn: FinishedTurn | undefined;

  constructor(
    context: AgentContext,
    options: {
      config: AgentLoopConfig;
      emit: AgentEventSink;
      streamFn: StreamFn;
      signal?: AbortSignal | undefined;
    },
  ) {
    this.#transcript = new RunTranscript(context);
    this.#config = options.config;
    this.#events = new RunEvents(options.emit);
    this.#streamFn = options.streamFn;
    this.#userSignal = options.signal;
    this.#signal = options.signal
      ? AbortSignal.any([options.signal, this.#events.failed])
      : this.#events.failed;
    this.#model = options.config.model;
    this.#thinkingLevel = options.config.reasoning ?? "off";
  }

  /** Runs to the end. Resolves to the messages that the run added. */
  async start(prompts: AgentMessage[]): Promise<AgentMessage[]> {
    this.#pending.push(...prompts);
    try {
      await this.#loop();
    } catch (error) {
      await this.#fail(error);
    }
    return this.#transcript.added;
  }

  async #loop(): Promise<void> {
    await this.#events.emit({ type: "agent_start" });
    await this.#openTurn();
    let steered = await this.#pollSteering();
    for (let isFirst = true;; isFirst = false) {
      if (isFirst) {
        await this.#appendPending();
      } else {
        const prepared = await this.#prepareNextTurn();
        if (!steered) await this.#pollSteering();
        this.#pending.push(...prepared);
        await this.#openTurn();
      }

      const { isOver, moreToolCalls, continues } = await this.#runTurn();
      if (isOver) return await this.#events.emit(this.#endEvent());
      steered = await this.#pollSteering();
      if (moreToolCalls || steered) continue;
      const followed = await this.#pollFollowUps();
      if (!followed && !continues) {
        return await this.#events.emit(this.#endEvent());
      }
    }
  }

  /** One request and the calls of its answer. */
  async #runTurn(): Promise<
    { isOver: boolean; moreToolCalls: boolean; continues: boolean }
  > {
    const turn = this.#turn;
    this.#signal.throwIfAborted();
    const request = await this.#prepareRequest();
    const answer = await streamAssistant({
      ...request,
      messages: this.#transcript.requestMessages(request.context),
      config: this.#config,
      streamFn: this.#streamFn,
      signal: this.#signal,
      emit: this.#events.emit,
      ids: this.#transcript.ids,
    });
    const message = await this.#complete(answer);
    const { stopReason } = message;
    const isBroken = stopReason === "error" || stopReason === "aborted";
    const calls = isBroken
      ? []
      : message.content.filter((block) => block.type === "toolCall");
    for (const call of calls) turn.unanswered.set(call.id, call);
    this.#transcript.store(message);
    await this.#events.emit({ type: "message_end", message });

    const allTerminate = calls.length > 0 && await runToolBatch({
      message,
      calls,
      context: request.context,
      config: this.#config,
      signal: this.#signal,
      emit: this.#events.emit,
      outcomes: turn.outcomes,
      addResult: (result) => this.#addResult(result),
    });

    const { results: toolResults } = turn;
    const finished = {
      message,
      toolResults,
      context: this.#transcript.context,
      newMessages: this.#transcript.added,
    };
    const decision = await this.#finishTurn(finished);
    this.#lastTurn = finished;
    await this.#events.emit({ type: "turn_end", message, toolResults });
    return {
      isOver: isBroken || this.#signal.aborted || decision?.action === "end",
      moreToolCalls: calls.length > 0 && !allTerminate,
      continues: decision?.action === "continue",
    };
  }

  /** An abort while it decides is no failure: the turn is over anyway. */
  async #finishTurn(
    finished: FinishedTurn,
  ): Promise<{ action: "continue" | "end" } | undefined | void> {
    const signal = this.#signal;
    try {
      return await untilAborted(
        this.#config.finishTurn?.(finished, signal),
        signal,
      );
    } catch (error) {
      if (signal.aborted && error === signal.reason) return undefined;
      throw error;
    }
  }

  async #prepareNextTurn(): Promise<AgentMessage[]> {
    const last = this.#lastTurn;
    if (!last) return [];
    const change = await untilAborted(
      this.#config.prepareNextTurn?.(last),
      this.#signal,
    );
    if (!change) return [];
    this.#use(change);
    if (change.tools) this.#transcript.useTools(change.tools);
    return change.messages ?? [];
  }

  #use({ context, model, thinkingLevel }: RequestChange): void {
    if (context) this.#transcript.replace(context);
    this.#model = model ?? this.#model;
    this.#thinkingLevel = thinkingLevel ?? this.#thinkingLevel;
  }

  async #prepareRequest(): Promise<Required<RequestChange>> {
    const request = {
      context: this.#transcript.context,
      model: this.#model,
      thinkingLevel: this.#thinkingLevel,
    };
    const change = await untilAborted(
      this.#config.prepareRequest?.(request, this.#signal),
      this.#signal,
    );
    if (!change) return request;
    this.#use(change);
    return {
      context: this.#transcript.context,
      model: this.#model,
      thinkingLevel: this.#thinkingLevel,
    };
  }

  async #openTurn(): Promise<void> {
    this.#turn = newTurn();
    await this.#events.emit({ type: "turn_start" });
    await this.#appendPending();
  }

  async #appendPending(): Promise<void> {
    this.#pending = this.#transcript.declareTools(this.#pending);
    let next: AgentMessage | undefined;
    while ((next = this.#pending.shift())) await this.#append(next);
  }

  async #append(message: AgentMessage): Promise<void> {
    if (this.#config.completeMessage) return this.#appendChanged(message);
    this.#transcript.store(message);
    await this.#events.emit({ type: "message_start", message });
    await this.#events.emit({ type: "message_end", message });
  }

  /** Adds a message as a hook changed it; as it was where something fails before. */
  async #appendChanged(message: AgentMessage): Promise<void> {
    let kept = message;
    try {
      await this.#events.emit({ type: "message_start", message });
      kept = await this.#complete(message);
    } finally {
      this.#transcript.store(kept);
    }
    await this.#events.emit({ type: "message_end", message: kept });
  }

  async #complete<Kind extends AgentMessage>(message: Kind): Promise<Kind> {
    const { completeMessage } = this.#config;
    if (!completeMessage) return message;
    const kept = await untilAborted(
      completeMessage.call(this.#config, message),
      this.#signal,
      ABORT_GRACE_MS,
    );
    return kept as Kind;
  }

  async #addResult(result: ToolResultMessage): Promise<void> {
    this.#turn.results.push(result);
    this.#turn.unanswered.delete(result.toolCallId);
    await this.#append(result);
    const outcome = this.#turn.outcomes.get(result.toolCallId);
    // #closeTurn() answers the calls that are left.
    if (outcome?.nonRecoverable) throw outcome.nonRecoverable;
  }

  /** True when there were any. An aborted run leaves the queue as it is. */
  async #pollSteering(): Promise<boolean> {
    if (this.#signal.aborted) return false;
    return this.#addPending(await this.#config.getSteeringMessages?.() ?? []);
  }

  async #pollFollowUps(): Promise<boolean> {
    if (this.#signal.aborted) return false;
    return this.#addPending(await this.#config.getFollowUpMessages?.() ?? []);
  }

  #addPending(messages: AgentMessage[]): boolean {
    this.#pending.push(...messages);
    return messages.length > 0;
  }

  /** Ends the run as a failed one, or as an aborted one when that is why it failed. */
  async #fail(error: unknown): Promise<void> {
    const { isOver, isInTurn } = this.#events;
    if (isOver) return;
    const aborted = this.#userSignal?.aborted === true;
    // An abort between two turns leaves nothing that would have to be closed.
    if (!aborted || isInTurn || this.#pending.length > 0) {
      await this.#closeTurn({
        stopReason: aborted ? "aborted" : "error",
        errorMessage: aborted ? ABORTED_TEXT : errorText(error),
      });
    }
    await this.#events.tellAnyway(this.#endEvent());
  }

  /** Ends the open turn, or one of its own, with a message that says why. */
  async #closeTurn(
    failure: { stopReason: "aborted" | "error"; errorMessage: string },
  ): Promise<void> {
    const events = this.#events;
    if (!events.isInTurn) {
      this.#turn = newTurn();
      await events.tellAnyway({ type: "turn_start" });
    }
    const open = events.openMessage;
    const isStored = open !== undefined &&
      this.#transcript.added.includes(open);
    if (isStored) {
      await events.tellAnyway({ type: "message_end", message: open });
    }
    for (const message of this.#pending) await this.#appendAnyway(message);
    await this.#answerOpenCalls();

    const partial = isStored ? undefined : open as AssistantMessage | undefined;
    const message = failedMessage(this.#model, { partial, ...failure });
    if (partial) {
      this.#transcript.store(message);
      await events.tellAnyway({ type: "message_end", message });
    } else {
      await this.#appendAnyway(message);
    }
    const { results: toolResults } = this.#turn;
    await events.tellAnyway({ type: "turn_end", message, toolResults });
  }

  async #answerOpenCalls(): Promise<void> {
    const { results, unanswered, outcomes } = this.#turn;
    for (const call of unanswered.values()) {
      const outcome = outcomes.get(call.id) ??
        failedOutcome(call, ABORTED_TEXT);
      if (this.#events.executing.has(call.id)) {
        await this.#events.tellAnyway(toEndEvent(outcome));
      }
      const result = toResultMessage(outcome);
      results.push(result);
      await this.#appendAnyway(result);
    }
  }

  async #appendAnyway(message: AgentMessage): Promise<void> {
    this.#transcript.store(message);
    await this.#events.tellAnyway({ type: "message_start", message });
    await this.#events.tellAnyway({ type: "message_end", message });
  }

  #endEvent(): AgentEvent {
    return {
      type: "agent_end",
      messages: this.#transcript.added,
      ...(this.#userSignal?.aborted ? { aborted: true } : {}),
    };
  }
}

function newTurn(): Turn {
  return { results: [], unanswered: new Map(), outcomes: new Map() };
}
