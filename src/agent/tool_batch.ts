import type { ToolCall } from "../model/content.ts";
import type { AssistantMessage, ToolResultMessage } from "../model/message.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { AgentEvent, AgentEventSink } from "./agent_event.ts";
import type { AgentToolUpdate } from "./agent_tool.ts";
import type { AgentContext, AgentLoopConfig } from "./loop_config.ts";
import {
  type AgentToolCallOutcome,
  executePreparedCall,
  failedOutcome,
  type PreparedToolCall,
  prepareToolCall,
  type ToolCallEnvironment,
} from "./tool_call.ts";

/** Progress events of one call that may wait for slow listeners; a newer one takes the place of the last. */
const MAX_WAITING_UPDATES = 64;

/** The tool calls of one assistant message. */
export interface ToolBatch {
  message: AssistantMessage;
  calls: ToolCall[];
  context: AgentContext;
  config: AgentLoopConfig;
  signal: AbortSignal;
  emit: AgentEventSink;
  /** The place where each outcome is noted as soon as it is known, by call id. */
  outcomes: Map<string, AgentToolCallOutcome>;
  /** Stores and announces a result. Called once a call, in the order of the calls. */
  addResult(result: ToolResultMessage): Promise<void>;
}

/**
 * Answers every call of a message. Resolves to true when all of them voted to
 * end the run.
 *
 * One at a time when the configuration or any called tool says so; otherwise
 * all calls are prepared one after the other, then run beside each other.
 */
export async function runToolBatch(batch: ToolBatch): Promise<boolean> {
  const outcomes = batch.message.stopReason === "length"
    ? await failCutCalls(batch)
    : isSequential(batch)
    ? await runSequentially(batch)
    : await runInParallel(batch);
  return outcomes.every(({ result }) => result.terminate === true);
}

/** The tool result message of a call. */
export function toResultMessage(
  { toolCall, result, isError, durationMs }: AgentToolCallOutcome,
): ToolResultMessage {
  return withoutUndefined({
    role: "toolResult",
    toolCallId: toolCall.id,
    toolName: toolCall.name,
    content: result.content,
    details: result.details,
    usage: result.usage,
    isError,
    addedToolNames: result.addedToolNames?.length
      ? result.addedToolNames
      : undefined,
    timestamp: Date.now(),
    durationMs,
  });
}

function isSequential({ calls, context, config }: ToolBatch): boolean {
  if (config.toolExecution === "sequential") return true;
  return calls.some(({ name }) =>
    context.tools?.find((tool) => tool.name === name)?.executionMode ===
      "sequential"
  );
}

/** The output limit cut the message, so its last call may look complete and is not. */
async function failCutCalls(batch: ToolBatch): Promise<AgentToolCallOutcome[]> {
  const outcomes: AgentToolCallOutcome[] = [];
  for (const toolCall of batch.calls) {
    await emitStart(batch, toolCall);
    const outcome = failedOutcome(
      toolCall,
      `Tool call "${toolCall.name}" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.`,
    );
    await emitEnd(batch, outcome);
    await batch.addResult(toResultMessage(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

async function runSequentially(
  batch: ToolBatch,
): Promise<AgentToolCallOutcome[]> {
  const environment = environmentOf(batch);
  const outcomes: AgentToolCallOutcome[] = [];
  for (const toolCall of batch.calls) {
    await emitStart(batch, toolCall);
    const prepared = await prepareToolCall(toolCall, environment);
    const outcome = await execute(batch, prepared, environment);
    await emitEnd(batch, outcome);
    await batch.addResult(toResultMessage(outcome));
    outcomes.push(outcome);
  }
  return outcomes;
}

async function runInParallel(
  batch: ToolBatch,
): Promise<AgentToolCallOutcome[]> {
  const environment = environmentOf(batch);
  const prepared: PreparedToolCall[] = [];
  for (const toolCall of batch.calls) {
    await emitStart(batch, toolCall);
    const step = await prepareToolCall(toolCall, environment);
    if (!step.ready) await emitEnd(batch, step.outcome);
    prepared.push(step);
  }

  // Not Promise.all: when a listener throws, the other calls are still heard
  // out, so that nothing runs on behind the end of the run.
  const settled = await Promise.allSettled(prepared.map(async (step) => {
    if (!step.ready) return step.outcome;
    const outcome = await execute(batch, step, environment);
    await emitEnd(batch, outcome);
    return outcome;
  }));
  const outcomes = settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
  for (const outcome of outcomes) {
    await batch.addResult(toResultMessage(outcome));
  }
  return outcomes;
}

/** Executes a prepared call; every progress event is out before this resolves. */
async function execute(
  batch: ToolBatch,
  step: PreparedToolCall,
  environment: ToolCallEnvironment,
): Promise<AgentToolCallOutcome> {
  if (!step.ready) return step.outcome;
  const updates = updateQueue(batch, step.call.toolCall);
  const outcome = await executePreparedCall(step, environment, updates.push);
  batch.outcomes.set(outcome.toolCall.id, outcome);
  await updates.drained();
  return outcome;
}

/** Emits progress in order, one event at a time. */
function updateQueue(
  { emit }: ToolBatch,
  { id: toolCallId, name: toolName, arguments: args }: ToolCall,
): { push: AgentToolUpdate; drained(): Promise<void> } {
  const waiting: Parameters<AgentToolUpdate>[0][] = [];
  let running: Promise<void> | undefined;

  async function emitWaiting(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await emit({
        type: "tool_execution_update",
        toolCallId,
        toolName,
        args,
        partialResult: next,
      });
    }
    running = undefined;
  }
  return {
    push(partialResult) {
      if (waiting.length >= MAX_WAITING_UPDATES) waiting.pop();
      waiting.push(partialResult);
      running ??= emitWaiting();
      // A throwing listener is reported by drained().
      running.catch(() => {});
    },
    drained: () => running ?? Promise.resolve(),
  };
}

function environmentOf(
  { message, context, config, signal }: ToolBatch,
): ToolCallEnvironment {
  return {
    tools: context.tools ?? [],
    assistantMessage: message,
    context,
    signal,
    beforeToolCall: config.beforeToolCall?.bind(config),
    afterToolCall: config.afterToolCall?.bind(config),
  };
}

async function emitStart(
  { emit }: ToolBatch,
  { id, name, arguments: args }: ToolCall,
): Promise<void> {
  await emit({
    type: "tool_execution_start",
    toolCallId: id,
    toolName: name,
    args,
  });
}

async function emitEnd(
  batch: ToolBatch,
  outcome: AgentToolCallOutcome,
): Promise<void> {
  batch.outcomes.set(outcome.toolCall.id, outcome);
  await batch.emit(toEndEvent(outcome));
}

/** The event that announces how a call came out. */
export function toEndEvent(
  { toolCall, result, isError, durationMs }: AgentToolCallOutcome,
): AgentEvent {
  return withoutUndefined({
    type: "tool_execution_end",
    toolCallId: toolCall.id,
    toolName: toolCall.name,
    result,
    isError,
    durationMs,
  });
}
