import {
  type AssistantMessage,
  emptyUsage,
  type Message,
} from "../model/message.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  StreamFn,
  StreamOptions,
} from "../model/stream.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { ABORT_GRACE_MS, ABORTED_TEXT, untilAborted } from "./abort.ts";
import type { AgentEventSink } from "./agent_event.ts";
import type { AgentMessage } from "./agent_message.ts";
import type { AgentTool } from "./agent_tool.ts";
import type { AgentContext, AgentLoopConfig } from "./loop_config.ts";
import { keepModelMessages, RequestMessages } from "./request_messages.ts";
import { declarationOf } from "./tool_declarations.ts";
import type { ToolCallIds } from "./tool_call_ids.ts";

/** One request of a run. */
export interface AssistantRequest {
  context: AgentContext;
  /** Those of `context`. */
  messages: RequestMessages;
  model: Model;
  thinkingLevel: ThinkingLevel;
  config: AgentLoopConfig;
  streamFn: StreamFn;
  signal: AbortSignal;
  emit: AgentEventSink;
  ids: ToolCallIds;
}

/**
 * Asks the model and announces the message while it grows. Resolves to the
 * final message, `error` and `aborted` ones included, before its
 * `message_end`. An abort before the message started rejects; after it the
 * provider has {@linkcode ABORT_GRACE_MS} to end the message.
 */
export async function streamAssistant(
  request: AssistantRequest,
): Promise<AssistantMessage> {
  const { config, model, signal, emit } = request;
  const context = await toRequestContext(request);
  const apiKey = await untilAborted(config.getApiKey?.(model.provider), signal);
  signal.throwIfAborted();
  const stream = await untilAborted(
    request.streamFn(
      model,
      context,
      streamOptions(request, apiKey ?? config.apiKey),
    ),
    signal,
    ABORT_GRACE_MS,
  );

  const growing = request.ids.track();
  const events = stream[Symbol.asyncIterator]();
  let last: AssistantMessage | undefined;
  let isOver = false;
  /** The final message; undefined when the provider was given up before. */
  const follow = async (): Promise<AssistantMessage | undefined> => {
    let endMs = Infinity;
    while (true) {
      const next = await events.next();
      if (signal.aborted) {
        endMs = Math.min(endMs, performance.now() + ABORT_GRACE_MS);
      }
      // Events that are ready each time would never let a timer fire.
      if (isOver || performance.now() >= endMs) return undefined;
      const event = growing.rename(
        next.done ? await lastEvent(stream) : next.value,
      );
      if (event.type === "done") return event.message;
      if (event.type === "error") return event.error;
      const { partial: message } = event;
      const heard = emit(
        last
          ? { type: "message_update", message, assistantMessageEvent: event }
          : { type: "message_start", message },
      );
      last = message;
      // A turn of the queue for each delta would be as dear as the delta itself.
      if (heard) await heard;
    }
  };
  let message: AssistantMessage | undefined;
  let isBroken = false;
  try {
    const followed = follow().catch((error) => {
      isBroken = true;
      throw error;
    });
    message = await untilAborted(followed, signal, ABORT_GRACE_MS);
  } catch (error) {
    if (isBroken) throw error;
  }
  if (!message) {
    isOver = true;
    Promise.resolve(events.return?.()).catch(() => {});
    message = failedMessage(model, {
      partial: last,
      stopReason: "aborted",
      errorMessage: ABORTED_TEXT,
    });
  }
  if (config.notesThinkingLevel) {
    message = { ...message, thinkingLevel: request.thinkingLevel };
  }
  if (!last) await emit({ type: "message_start", message });
  return message;
}

/** The last event of a message whose stream ended with its result alone. */
async function lastEvent(
  stream: AssistantMessageEventStream,
): Promise<AssistantMessageEvent> {
  return { type: "done", reason: "stop", message: await stream.result() };
}

/**
 * An assistant message that stands for a failure. Of `partial` the text is
 * kept; its calls may be half, so they are not.
 */
export function failedMessage(
  model: Model,
  { partial, ...failure }:
    & { partial?: AssistantMessage | undefined }
    & Required<Pick<AssistantMessage, "stopReason" | "errorMessage">>,
): AssistantMessage {
  if (partial) {
    const content = partial.content.filter(({ type }) => type !== "toolCall");
    return { ...partial, content, ...failure };
  }
  return {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    ...failure,
    timestamp: Date.now(),
  };
}

async function toRequestContext(
  { config, context, messages, signal }: AssistantRequest,
): Promise<Context> {
  const { transformContext, convertToLlm } = config;
  const isPlain = !transformContext && convertToLlm === keepModelMessages;
  const seen = isPlain ? messages : new RequestMessages(
    await convert(context.messages, { config, signal }),
  );
  return withoutUndefined({
    ...seen.toContext(),
    tools: context.tools?.length ? declarations(context.tools) : undefined,
  });
}

async function convert(
  messages: AgentMessage[],
  { config, signal }: Pick<AssistantRequest, "config" | "signal">,
): Promise<Message[]> {
  const transformed = config.transformContext
    ? await untilAborted(
      config.transformContext(messages.slice(), signal),
      signal,
    )
    : messages;
  return await untilAborted(config.convertToLlm(transformed), signal);
}

const declarationLists = new WeakMap<
  readonly AgentTool[],
  ReturnType<typeof declarationOf>[]
>();

/** The same list for the same tools, so that whoever serialises it can tell. */
function declarations(
  tools: readonly AgentTool[],
): ReturnType<typeof declarationOf>[] {
  const known = declarationLists.get(tools);
  // A host may have changed its array since.
  if (
    known?.length === tools.length &&
    tools.every((tool, i) => declarationOf(tool) === known[i])
  ) return known;
  const list = tools.map(declarationOf);
  declarationLists.set(tools, list);
  return list;
}

/** Settings that are for the loop alone; all others are for the stream function. */
const LOOP_SETTINGS: ReadonlySet<string> = new Set<
  Exclude<keyof AgentLoopConfig, keyof StreamOptions>
>([
  "model",
  "convertToLlm",
  "transformContext",
  "getApiKey",
  "prepareRequest",
  "prepareNextTurn",
  "finishTurn",
  "completeMessage",
  "getSteeringMessages",
  "getFollowUpMessages",
  "toolExecution",
  "notesThinkingLevel",
  "beforeToolCall",
  "afterToolCall",
]);

/** Attribution of requests, unless a host says another. */
const IDENTITY = { name: "tau" };

function streamOptions(
  { config, thinkingLevel, signal }: AssistantRequest,
  apiKey: string | undefined,
): StreamOptions {
  const given = Object.entries(config)
    .filter(([name]) => !LOOP_SETTINGS.has(name));
  return withoutUndefined({
    ...Object.fromEntries(given),
    signal,
    apiKey,
    reasoning: thinkingLevel === "off" ? undefined : thinkingLevel,
    identity: { ...IDENTITY, ...config.identity },
  });
}
