import type { AssistantDelta } from "../../model/stream.ts";

/** True for the delta that ends a response. */
export function isLast(delta: AssistantDelta | undefined): boolean {
  return delta?.type === "done" || delta?.type === "error";
}

/** Settings of {@linkcode deltaResponse}. */
export interface DeltaResponseOptions {
  /** Hides the key in error messages. */
  redact(text: string): string;
  /** Called when the client goes away. */
  onCancel(): void;
  /** Called once, when nothing is under way any more. */
  onEnd(): void;
}

/**
 * A response that tells deltas as they come, in one piece for each batch. The
 * source is asked for more when the client has taken what there was; it is
 * closed however the response ends.
 */
export function deltaResponse(
  deltas: AsyncIterable<AssistantDelta[]>,
  { redact, onCancel, onEnd }: DeltaResponseOptions,
): Response {
  const iterator = deltas[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  const end = async () => {
    try {
      await iterator.return?.();
    } catch {
      // The response is over; an error while closing has no listener.
    } finally {
      onEnd();
    }
  };
  // Deno's `request.signal` also aborts after a complete response, and says so
  // on stderr; the body is cancelled only when the client has gone.
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const batch = await nextBatch(iterator);
      if (isCancelled) return;
      if (batch) controller.enqueue(encoder.encode(toLines(batch, redact)));
      if (batch && !isLast(batch.at(-1))) return;
      controller.close();
      await end();
    },
    async cancel() {
      isCancelled = true;
      onCancel();
      await end();
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Some servers in between collect a response before they pass it on.
      "x-accel-buffering": "no",
    },
  });
}

/** The next batch, undefined at the end. */
async function nextBatch(
  iterator: AsyncIterator<AssistantDelta[]>,
): Promise<AssistantDelta[] | undefined> {
  try {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  } catch {
    // A source never throws; the error of a broken one may show anything.
    return [INTERNAL];
  }
}

const INTERNAL: AssistantDelta = {
  type: "error",
  reason: "error",
  errorMessage: "Internal error of the proxy",
};

function toLines(
  batch: AssistantDelta[],
  redact: (text: string) => string,
): string {
  return batch.map((delta) => {
    const shown = delta.type === "error"
      ? { ...delta, errorMessage: redact(delta.errorMessage) }
      : delta;
    return `data: ${JSON.stringify(shown)}\n\n`;
  }).join("");
}
