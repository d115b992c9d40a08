/** A timer that is set to more milliseconds fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Settings of {@linkcode bodyChunks}. */
export interface BodyChunksOptions {
  /** Longest wait for one piece, in milliseconds. */
  idleMs: number;
  /** What is thrown when that time is over. */
  expired(): Error;
  signal?: AbortSignal | undefined;
}

/**
 * Reads the body of a request or response piece by piece. Throws the reason of
 * the signal, or what `expired` makes. However the iteration ends, the body is
 * cancelled, and with it the connection; a body that is deaf to that cannot
 * hold up the end.
 */
export async function* bodyChunks(
  body: ReadableStream<Uint8Array>,
  { idleMs, expired, signal }: BodyChunksOptions,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  // A read that is under way then resolves; a body that has failed rejects with what is known.
  const stop = () => void reader.cancel().catch(() => {});
  let failure: Error | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expire = () => {
    failure = expired();
    stop();
  };
  signal?.addEventListener("abort", stop);
  try {
    while (true) {
      signal?.throwIfAborted();
      timer = setTimeout(expire, Math.min(idleMs, MAX_TIMER_MS));
      const { done, value } = await reader.read();
      clearTimeout(timer);
      signal?.throwIfAborted();
      if (failure) throw failure;
      if (done) return;
      yield value;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    stop();
  }
}
