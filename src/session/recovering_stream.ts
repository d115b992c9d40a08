import { reasonOf } from "../model/error_reason.ts";
import { EventStream } from "../model/event_stream.ts";
import { type AssistantMessage, emptyUsage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantMessageEventStream, StreamFn } from "../model/stream.ts";
import type { Compaction } from "./compaction.ts";
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
      ({ usage }) => limits.spend(usage, model),
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
