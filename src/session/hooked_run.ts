import type { AgentEvent, AgentEventSink } from "../agent/agent_event.ts";
import type { AgentMessage } from "../agent/agent_message.ts";
import type { AgentLoopConfig } from "../agent/loop_config.ts";
import type { Message } from "../model/message.ts";
import type { StreamFn } from "../model/stream.ts";
import type { SessionHooks } from "./session_hooks.ts";

/** Parts of a run before hooks change them. */
export interface RunParts {
  said: AgentMessage[];
  /** As the first request would say it. */
  systemPrompt(): string;
  streamFn: StreamFn;
  emit: AgentEventSink;
}

/** The same, with what the hooks make of it. */
export interface HookedRun {
  said: AgentMessage[];
  /** As its requests say it; undefined without hooks. */
  systemPrompt: string | undefined;
  streamFn: StreamFn;
  listen: AgentEventSink;
  readonly afterToolCall: AgentLoopConfig["afterToolCall"];
  /** Asked for at each request: one that is there costs a copy of the transcript. */
  readonly transformContext: AgentLoopConfig["transformContext"];
  readonly completeMessage: AgentLoopConfig["completeMessage"];
}

/** Joins a run with the hooks of its session; without hooks it is as it was. */
export async function hookedRun(
  hooks: SessionHooks | undefined,
  { said, systemPrompt, streamFn, emit }: RunParts,
): Promise<HookedRun> {
  if (!hooks) {
    return {
      said,
      systemPrompt: undefined,
      streamFn,
      listen: emit,
      afterToolCall: undefined,
      transformContext: undefined,
      completeMessage: undefined,
    };
  }
  const original = systemPrompt();
  const opening = await hooks.beforeRun(said, original);
  return {
    said: [...said, ...opening.messages],
    systemPrompt: opening.systemPrompt ?? original,
    streamFn: opening.systemPrompt === undefined
      ? streamFn
      : saying(opening.systemPrompt, { inPlaceOf: original, streamFn }),
    listen: (event) => heard(event, { hooks, emit }),
    get afterToolCall() {
      return hooks.afterToolCall;
    },
    get transformContext() {
      const { context } = hooks;
      return context &&
        ((messages: AgentMessage[]) => withoutSystem(messages, context));
    },
    get completeMessage() {
      return hooks.completeMessage;
    },
  };
}

/** Waits only where somebody does: there is an event for each delta. */
function heard(
  event: AgentEvent,
  parts: { hooks: SessionHooks; emit: AgentEventSink },
): void | Promise<void> {
  const { hooks, emit } = parts;
  const { progress } = hooks;
  if (event.type === "tool_execution_update" && progress) {
    return Promise.resolve(progress.call(hooks, event)).then((partialResult) =>
      tellBoth({ ...event, partialResult }, parts)
    );
  }
  return tellBoth(event, { hooks, emit });
}

function tellBoth(
  event: AgentEvent,
  { hooks, emit }: { hooks: SessionHooks; emit: AgentEventSink },
): void | Promise<void> {
  const told = emit(event);
  return told ? told.then(() => hooks.hear(event)) : hooks.hear(event);
}

/** Requests of the run say another prompt; those for a summary have their own. */
function saying(
  systemPrompt: string,
  { inPlaceOf, streamFn }: { inPlaceOf: string; streamFn: StreamFn },
): StreamFn {
  return (model, context, options) =>
    streamFn(
      model,
      (context.systemPrompt ?? "") === inPlaceOf
        ? { ...context, systemPrompt }
        : context,
      options,
    );
}

/** System messages keep their place in front: what is behind them may change. */
async function withoutSystem(
  messages: AgentMessage[],
  context: (messages: Message[]) => Message[] | Promise<Message[]>,
): Promise<AgentMessage[]> {
  const system = messages.filter(({ role }) => role === "system");
  const rest = messages.filter(({ role }) => role !== "system");
  return [...system, ...await context(rest as Message[])];
}
