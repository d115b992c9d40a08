import type { AssistantDelta } from "../model/stream.ts";
import { isLast } from "./parse_delta.ts";
import { type ErrorDelta, hideSecret } from "./proxy_error.ts";

/** Settings of {@linkcode deltaResponse}. */
export interface DeltaResponseOptions {
  /** Kept out of error messages. */
  secret: string | undefined;
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
  { secret, onCancel, onEnd }: DeltaResponseOptions,
): Response {
  const iterator = deltas[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let isCancelled = false;
  const end = async () => {
    try {
      await iterator.return?.();
    } catch {
      // Nobody is left who could be told of a source that fails to close.
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
      if (batch) controller.enqueue(encoder.encode(toLines(batch, secret)));
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
    // A source never throws; what a broken one says may show anything.
    return [INTERNAL];
  }
}

const INTERNAL: ErrorDelta = {
  type: "error",
  reason: "error",
  errorMessage: "Internal error of the proxy",
};

function toLines(batch: AssistantDelta[], secret: string | undefined): string {
  const lines = batch.map((delta) =>
    JSON.stringify(
      delta.type === "error"
        ? { ...delta, errorMessage: hideSecret(delta.errorMessage, secret) }
        : delta,
    )
  );
  return lines.map((line) => `data: ${line}\n\n`).join("");
}
