import type {
  AssistantMessage,
  Model,
  StreamFn,
  ThinkingLevel,
  ToolCall,
  ToolResultMessage,
} from "../model/mod.ts";
import { ABORTED_TEXT, untilAborted } from "./abort.ts";
import type { AgentEvent, AgentEventSink } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";
import type { AgentTool } from "./agent_tool.ts";
import { errorText } from "./error_text.ts";
import type {
  AgentContext,
  AgentLoopConfig,
  FinishedTurn,
  RequestChange,
} from "./loop_config.ts";
import { RequestMessages } from "./request_messages.ts";
import { RunEvents } from "./run_events.ts";
import { failedMessage, streamAssistant } from "./stream_assistant.ts";
import { runToolBatch, toEndEvent, toResultMessage } from "./tool_batch.ts";
import { type AgentToolCallOutcome, failedOutcome } from "./tool_call.ts";
import { ToolCallIds } from "./tool_call_ids.ts";
import { DeclaredTools, declareToolChanges } from "./tool_declarations.ts";

/** What the calls of a turn have come to so far. */
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
 * stopReason `error`, after every open call has got its result; an abort ends it without a further request. Messages that were taken
 * off a queue are in the transcript even then.
 */
export class AgentRun {
  readonly #config: AgentLoopConfig;
  readonly #events: RunEvents;
  readonly #streamFn: StreamFn;
  readonly #userSignal: AbortSignal | undefined;
  readonly #signal: AbortSignal;
  readonly #added: AgentMessage[] = [];
  readonly #ids: ToolCallIds;
  /** Messages that the transcript gets next. */
  #pending: AgentMessage[] = [];

  #context: AgentContext;
  #model: Model;
  #thinkingLevel: ThinkingLevel;
  #declared: DeclaredTools;
  #requestMessages: RequestMessages;
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
    this.#context = {
      messages: context.messages.slice(),
      ...(context.tools ? { tools: ownTools(context.tools) } : {}),
    };
    this.#config = options.config;
    this.#events = new RunEvents(options.emit);
    this.#streamFn = options.streamFn;
    this.#userSignal = options.signal;
    this.#signal = options.signal
      ? AbortSignal.any([options.signal, this.#events.failed])
      : this.#events.failed;
    this.#model = options.config.model;
    this.#thinkingLevel = options.config.reasoning ?? "off";
    this.#declared = new DeclaredTools(context.messages);
    this.#requestMessages = new RequestMessages(context.messages);
    this.#ids = new ToolCallIds(context.messages);
  }

  /** Runs to the end. Resolves to the messages that the run added. */
  async start(prompts: AgentMessage[]): Promise<AgentMessage[]> {
    this.#pending.push(...prompts);
    try {
      await this.#loop();
    } catch (error) {
      await this.#fail(error);
    }
    return this.#added;
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
    const message = await streamAssistant({
      ...request,
      messages: request.context === this.#context
        ? this.#requestMessages
        : new RequestMessages(request.context.messages),
      config: this.#config,
      streamFn: this.#streamFn,
      signal: this.#signal,
      emit: this.#events.emit,
      ids: this.#ids,
    });
    const { stopReason } = message;
    const isBroken = stopReason === "error" || stopReason === "aborted";
    const calls = isBroken
      ? []
      : message.content.filter((block) => block.type === "toolCall");
    for (const call of calls) turn.unanswered.set(call.id, call);
    this.#store(message);
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

    const finished = { message, toolResults: turn.results };
    const decision = await this.#finishTurn(finished);
    this.#lastTurn = finished;
    await this.#events.emit({ type: "turn_end", ...finished });
    return {
      isOver: isBroken || this.#signal.aborted || decision?.action === "end",
      moreToolCalls: calls.length > 0 && !allTerminate,
      continues: decision?.action === "continue",
    };
  }

  /** An abort while it decides is no failure: the turn is over anyway. */
  async #finishTurn(
    finished: FinishedTurn,
  ): Promise<{ action: "continue" | "end" } | undefined> {
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
    const { context, model, thinkingLevel } = this.#changed(change);
    const { tools = context.tools } = change;
    this.#context = tools === context.tools
      ? context
      : { ...context, tools: ownTools(tools ?? []) };
    this.#model = model;
    this.#thinkingLevel = thinkingLevel;
    if (change.context) {
      this.#declared = new DeclaredTools(context.messages);
      this.#requestMessages = new RequestMessages(context.messages);
      this.#ids.read(context.messages);
    }
    return change.messages ?? [];
  }

  async #prepareRequest(): Promise<
    { context: AgentContext; model: Model; thinkingLevel: ThinkingLevel }
  > {
    const request = {
      context: this.#context,
      model: this.#model,
      thinkingLevel: this.#thinkingLevel,
    };
    const change = await untilAborted(
      this.#config.prepareRequest?.(request, this.#signal),
      this.#signal,
    );
    return change ? this.#changed(change) : request;
  }

  #changed(
    change: RequestChange,
  ): { context: AgentContext; model: Model; thinkingLevel: ThinkingLevel } {
    const { context } = change;
    return {
      context: context
        ? { ...context, messages: context.messages.slice() }
        : this.#context,
      model: change.model ?? this.#model,
      thinkingLevel: change.thinkingLevel ?? this.#thinkingLevel,
    };
  }

  async #openTurn(): Promise<void> {
    this.#turn = newTurn();
    await this.#events.emit({ type: "turn_start" });
    await this.#appendPending();
  }

  async #appendPending(): Promise<void> {
    this.#pending = declareToolChanges(
      this.#declared,
      this.#context.tools,
      this.#pending,
    );
    let next: AgentMessage | undefined;
    while ((next = this.#pending.shift())) await this.#append(next);
  }

  async #append(message: AgentMessage): Promise<void> {
    this.#store(message);
    await this.#events.emit({ type: "message_start", message });
    await this.#events.emit({ type: "message_end", message });
  }

  async #addResult(result: ToolResultMessage): Promise<void> {
    this.#turn.results.push(result);
    this.#turn.unanswered.delete(result.toolCallId);
    await this.#append(result);
    const outcome = this.#turn.outcomes.get(result.toolCallId);
    // Whoever closes the failed turn answers the calls that are left.
    if (outcome?.nonRecoverable) throw outcome.nonRecoverable;
  }

  #store(message: AgentMessage): void {
    this.#context.messages.push(message);
    this.#added.push(message);
    this.#declared.read(message);
    this.#requestMessages.read(message);
  }

  /** Whether there were any. An aborted run leaves the queue as it is. */
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
    const isStored = open !== undefined && this.#added.includes(open);
    if (isStored) {
      await events.tellAnyway({ type: "message_end", message: open });
    }
    for (const message of this.#pending) await this.#appendAnyway(message);
    await this.#answerOpenCalls();

    const partial = isStored ? undefined : open as AssistantMessage | undefined;
    const message = failedMessage(this.#model, { partial, ...failure });
    if (partial) {
      this.#store(message);
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
    this.#store(message);
    await this.#events.tellAnyway({ type: "message_start", message });
    await this.#events.tellAnyway({ type: "message_end", message });
  }

  #endEvent(): AgentEvent {
    return {
      type: "agent_end",
      messages: this.#added,
      ...(this.#userSignal?.aborted ? { aborted: true } : {}),
    };
  }
}

/** A copy that the caller does not change; a frozen list is kept, since requests know by its identity that nothing changed. */
function ownTools(tools: readonly AgentTool[]): readonly AgentTool[] {
  return Object.isFrozen(tools) ? tools : tools.slice();
}

function newTurn(): Turn {
  return { results: [], unanswered: new Map(), outcomes: new Map() };
}
