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
import {
  ABORT_GRACE_MS,
  ABORTED_TEXT,
  AbortGrace,
  untilAborted,
} from "./abort.ts";
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
  using grace = new AbortGrace(signal);
  let last: AssistantMessage | undefined;
  while (true) {
    const next = await grace.until(() => events.next());
    // The provider is given up; how it ends is nobody's concern any more.
    if (!next) Promise.resolve(events.return?.()).catch(() => {});
    const event = next
      ? growing.rename(next.done ? await lastEvent(stream) : next.value)
      : abortedEvent(model, last);
    if (event.type === "done" || event.type === "error") {
      const message = event.type === "done" ? event.message : event.error;
      if (!last) await emit({ type: "message_start", message });
      return message;
    }
    const started = last !== undefined;
    last = event.partial;
    const heard = emit(
      started
        ? {
          type: "message_update",
          message: last,
          assistantMessageEvent: event,
        }
        : { type: "message_start", message: last },
    );
    // A turn of the queue for each delta would be as dear as the delta itself.
    if (heard) await heard;
  }
}

/** What ends a message whose stream ended with its result alone. */
async function lastEvent(
  stream: AssistantMessageEventStream,
): Promise<AssistantMessageEvent> {
  return { type: "done", reason: "stop", message: await stream.result() };
}

/** The end of a message that the provider did not end in time after an abort. */
function abortedEvent(
  model: Model,
  partial: AssistantMessage | undefined,
): AssistantMessageEvent {
  const error = failedMessage(model, {
    partial,
    stopReason: "aborted",
    errorMessage: ABORTED_TEXT,
  });
  return { type: "error", reason: "aborted", error };
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
  return {
    ...seen.toContext(),
    ...(context.tools?.length ? { tools: declarations(context.tools) } : {}),
  };
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

function streamOptions(
  { config, thinkingLevel, signal }: AssistantRequest,
  apiKey: string | undefined,
): StreamOptions {
  const { headers, temperature, maxTokens, toolChoice, sessionId, timeouts } =
    config;
  const options: StreamOptions = { signal };
  if (apiKey !== undefined) options.apiKey = apiKey;
  if (headers !== undefined) options.headers = headers;
  if (temperature !== undefined) options.temperature = temperature;
  if (maxTokens !== undefined) options.maxTokens = maxTokens;
  if (toolChoice !== undefined) options.toolChoice = toolChoice;
  if (sessionId !== undefined) options.sessionId = sessionId;
  if (timeouts !== undefined) options.timeouts = timeouts;
  if (thinkingLevel !== "off") options.reasoning = thinkingLevel;
  return options;
}
