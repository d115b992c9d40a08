import { EventStream } from "../model/event_stream.ts";
import type { StreamFn } from "../model/stream.ts";
import type { AgentEvent, AgentEventSink } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";
import { AgentRun } from "./agent_run.ts";
import type { AgentContext, AgentLoopConfig } from "./loop_config.ts";

let defaultStreamFn: StreamFn | undefined;

/** Sets the stream function of every loop that is started without one. */
export function setDefaultStreamFn(streamFn: StreamFn | undefined): void {
  defaultStreamFn = streamFn;
}

/**
 * Runs from new messages to the end and tells of it in events, each awaited.
 *
 * Resolves to the messages that the run added, however it ended: the last
 * assistant message says how. The caller's context is not changed.
 */
export function runAgentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  return new AgentRun(context, {
    config,
    emit,
    signal,
    streamFn: streamFnOrDefault(streamFn),
  }).start(prompts);
}

/** As {@linkcode runAgentLoop}, from a context whose last message waits for an answer. Throws where there is none. */
export function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): Promise<AgentMessage[]> {
  const last = context.messages.at(-1);
  if (!last) throw new Error("Cannot continue: no messages in context");
  if (last.role === "assistant") {
    throw new Error("Cannot continue from message role: assistant");
  }
  return runAgentLoop([], context, config, emit, signal, streamFn);
}

/** As {@linkcode runAgentLoop}, as a stream of events that nobody waits for. */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return streamed((emit) =>
    runAgentLoop(prompts, context, config, emit, signal, streamFn)
  );
}

/** As {@linkcode runAgentLoopContinue}, as a stream of events. */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return streamed((emit) =>
    runAgentLoopContinue(context, config, emit, signal, streamFn)
  );
}

function streamed(
  run: (emit: AgentEventSink) => Promise<AgentMessage[]>,
): EventStream<AgentEvent, AgentMessage[]> {
  const stream = new EventStream<AgentEvent, AgentMessage[]>();
  run((event) => stream.push(event)).then((messages) => stream.end(messages));
  return stream;
}

/** The stream function of a run that was started with `streamFn`. Throws where there is none. */
export function streamFnOrDefault(streamFn: StreamFn | undefined): StreamFn {
  const chosen = streamFn ?? defaultStreamFn;
  if (!chosen) {
    throw new Error(
      "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().",
    );
  }
  return chosen;
}
