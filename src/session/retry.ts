import type { AssistantMessage } from "../model/message.ts";
import { isRetryable } from "../model/model_error.ts";
import { type Ask, UnshownAnswer } from "./unshown_answer.ts";

/** Events of a request that is made again. */
export type RetryEvent =
  | {
    type: "auto_retry_start";
    /** Counted from 1. */
    attempt: number;
    maxAttempts: number;
    /** Milliseconds until the request is made. */
    delayMs: number;
    /** The reason why the one before failed. */
    errorMessage: string;
  }
  | {
    type: "auto_retry_end";
    /** True when an answer has begun. */
    success: boolean;
    attempt: number;
    /** The reason why it was given up. */
    finalError?: string;
  };

/** Settings of {@linkcode retrying}. */
export interface RetryOptions {
  /** Requests after a failed one. Default 3; 0 never asks again. */
  maxRetries?: number | undefined;
  emit(event: RetryEvent): void | Promise<void>;
  /** Resolves after that many milliseconds, or at once on an abort. Default: a timer. */
  wait?(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 to 1. Default `Math.random`. */
  random?(): number;
}

const DEFAULT_MAX_RETRIES = 3;
const BASE_DELAY_MS = 2000;
const MAX_DELAY_MS = 60_000;
/** Part of a delay that chance may add, so that runs which failed together do not come back together. */
const JITTER = 0.25;

/**
 * Asks again after a failure that may pass, as long as nothing of the answer
 * was shown. It waits as long as the provider asked for, else 2 s, 4 s, 8 s
 * and so on up to a minute, and a little longer by chance. A provider that
 * wants more than a minute is not waited for.
 */
export function retrying(
  ask: Ask,
  {
    maxRetries = DEFAULT_MAX_RETRIES,
    emit,
    wait = sleep,
    random = Math.random,
  }: RetryOptions,
): Ask {
  return async (request) => {
    const { signal } = request.options;
    for (let attempt = 0;; attempt++) {
      const answer = await ask(request);
      const end = async (final: UnshownAnswer): Promise<UnshownAnswer> => {
        if (attempt > 0) await emit(endEvent(attempt, final.failure));
        return final;
      };
      const { failure } = answer;
      if (!failure || !mayPass(failure) || attempt >= maxRetries) {
        return await end(answer);
      }
      if ((failure.retryAfterMs ?? 0) > MAX_DELAY_MS) {
        return await end(UnshownAnswer.failed(tooLongAWait(failure)));
      }
      const delayMs = delayBefore(attempt + 1, {
        askedMs: failure.retryAfterMs,
        chance: random(),
      });
      await emit({
        type: "auto_retry_start",
        attempt: attempt + 1,
        maxAttempts: maxRetries,
        delayMs,
        errorMessage: failure.errorMessage ?? "",
      });
      await wait(delayMs, signal);
      if (!signal?.aborted) continue;
      const cancelled = cancelledMessage(failure);
      await emit(endEvent(attempt + 1, cancelled));
      return UnshownAnswer.failed(cancelled);
    }
  };
}

function mayPass({ stopReason, errorKind }: AssistantMessage): boolean {
  return stopReason === "error" && errorKind !== undefined &&
    isRetryable(errorKind);
}

/** `attempt` counts from 1. */
function delayBefore(
  attempt: number,
  { askedMs, chance }: { askedMs: number | undefined; chance: number },
): number {
  // "At once" is what a clock that goes wrong, or a gateway that does not know, says.
  const ms = askedMs || BASE_DELAY_MS * 2 ** (attempt - 1);
  return Math.min(Math.round(ms * (1 + JITTER * chance)), MAX_DELAY_MS);
}

function endEvent(
  attempt: number,
  failure: AssistantMessage | undefined,
): RetryEvent {
  return failure
    ? {
      type: "auto_retry_end",
      success: false,
      attempt,
      finalError: failure.errorMessage ?? "",
    }
    : { type: "auto_retry_end", success: true, attempt };
}

function tooLongAWait(failure: AssistantMessage): AssistantMessage {
  const asked = Math.ceil((failure.retryAfterMs ?? 0) / 1000);
  return {
    ...failure,
    errorMessage:
      `${failure.errorMessage}; it asks to wait ${asked} s, and no more than ${
        MAX_DELAY_MS / 1000
      } s are waited`,
  };
}

function cancelledMessage(
  { errorKind: _, retryAfterMs: __, ...failure }: AssistantMessage,
): AssistantMessage {
  return { ...failure, stopReason: "aborted", errorMessage: "Retry cancelled" };
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}
