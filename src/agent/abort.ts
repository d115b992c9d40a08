/** Milliseconds that work gets to settle by itself after an abort. */
export const ABORT_GRACE_MS = 500;

/** Text of an aborted call. */
export const ABORTED_TEXT = "Operation aborted";

/**
 * The work's outcome, or a rejection with the signal's reason `graceMs` after
 * an abort, whichever comes first. The work itself goes on; its late
 * rejection is observed. What is no promise comes back as it is.
 */
export function untilAborted<Value>(
  work: Value | Promise<Value>,
  signal: AbortSignal | undefined,
  graceMs = 0,
): Value | Promise<Value> {
  if (!signal || !isThenable(work)) return work;
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const forget = onAbort(signal, () => {
      timer = setTimeout(() => reject(signal.reason), graceMs);
    });
    const settled = () => {
      // Not without need: the first use of a timer costs 6 ms at start.
      if (timer !== undefined) clearTimeout(timer);
      forget();
    };
    Promise.resolve(work).then((value) => {
      settled();
      resolve(value);
    }, (error) => {
      settled();
      reject(error);
    });
  });
}

interface Waiting {
  listeners: Set<() => void>;
  tell(): void;
}

/** `addEventListener` is linear in the listeners of a signal, so all waits on one signal share one. */
const waitingOn = new WeakMap<AbortSignal, Waiting>();

/** Calls the listener on an abort, at once when there was one; returns how to take it off. */
function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  let waiting = waitingOn.get(signal);
  if (!waiting) {
    const listeners = new Set<() => void>();
    const tell = () => listeners.forEach((listener) => listener());
    waitingOn.set(signal, waiting = { listeners, tell });
  }
  const { listeners, tell } = waiting;
  if (listeners.size === 0) signal.addEventListener("abort", tell);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) signal.removeEventListener("abort", tell);
  };
}

function isThenable(work: unknown): work is PromiseLike<unknown> {
  return typeof work === "object" && work !== null && "then" in work &&
    typeof work.then === "function";
}
