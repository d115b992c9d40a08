import { reasonOf } from "../model/error_reason.ts";
import { EventStream } from "../model/event_stream.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type Usage,
} from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type {
  AssistantMessageEventStream,
  Context,
  StreamFn,
} from "../model/stream.ts";
import type { Compaction } from "./compaction.ts";
import { ContextSize } from "./context_size.ts";
import { retrying, type RetryOptions } from "./retry.ts";
import type { RunLimits } from "./run_limits.ts";
import { type Ask, UnshownAnswer } from "./unshown_answer.ts";

/** Parts between a run and its model. */
export interface RecoveringStreamOptions {
  compaction: Compaction;
  limits: RunLimits;
  retry: RetryOptions;
}

/**
 * A stream function that mends what can be mended before anything of an answer
 * was shown: it asks again after failures that may pass, and shorter where the
 * conversation is too long. Each request counts towards the limits.
 */
export function recoveringStream(
  streamFn: StreamFn,
  { compaction, limits, retry }: RecoveringStreamOptions,
): StreamFn {
  const once: Ask = async ({ model, context, options }) => {
    const stream = await streamFn(model, context, {
      ...options,
      ...(limits.isClosing && context.tools?.length
        ? { toolChoice: "none" as const }
        : {}),
    });
    return await UnshownAnswer.of(
      stream,
      (answer) => limits.spend(usageOf(answer, context), model),
    );
  };
  const ask = compaction.shortening(retrying(once, retry));

  return (model, context, options = {}) => {
    const stream: AssistantMessageEventStream = new EventStream();
    ask({ model, context, options })
      .then((answer) => answer.passOn((event) => stream.push(event)))
      .catch((error) => {
        const message = failedMessage(model, error);
        stream.push({ type: "error", reason: "error", error: message });
        return message;
      })
      .then((message) => stream.end(message));
    return stream;
  };
}

/** Tokens of an answer. A provider that tells none does not make it free: they are estimated then. */
function usageOf(answer: AssistantMessage, { messages }: Context): Usage {
  const { usage } = answer;
  const told = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  if (told > 0 || answer.stopReason === "error") return usage;
  const size = new ContextSize();
  const input = messages.reduce(
    (sum, message) => sum + size.tokensOf(message),
    0,
  );
  const output = size.tokensOf({ ...answer, stopReason: "stop" });
  return { ...usage, input, output };
}

/** A listener threw: the run ends as a failed one. */
function failedMessage(model: Model, error: unknown): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: "error",
    errorMessage: reasonOf(error),
    timestamp: Date.now(),
  };
}
