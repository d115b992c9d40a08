/** Milliseconds that work gets to settle by itself after an abort. */
export const ABORT_GRACE_MS = 500;

/** What an aborted call says. */
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

/**
 * Waits for one thing after the other. From an abort on, all of them together
 * have {@linkcode ABORT_GRACE_MS}, counted from the first wait that meets it.
 */
export class AbortGrace implements Disposable {
  readonly #signal: AbortSignal;
  readonly #forget: () => void;
  #endMs: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait that is going on. */
  #giveUp: (() => void) | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#forget = onAbort(signal, () => this.#giveUp && this.#start());
  }

  /** The outcome of `work`, or undefined when the grace is over before it settles. */
  until<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    if (this.#signal.aborted) this.#start();
    // Work that is ready each time would never let the timer fire.
    if (this.#endMs !== undefined && performance.now() >= this.#endMs) {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve, reject) => {
      this.#giveUp = () => resolve(undefined);
      work().then((value) => {
        this.#giveUp = undefined;
        resolve(value);
      }, reject);
    });
  }

  [Symbol.dispose](): void {
    this.#forget();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  #start(): void {
    if (this.#endMs !== undefined) return;
    this.#endMs = performance.now() + ABORT_GRACE_MS;
    this.#timer = setTimeout(() => this.#giveUp?.(), ABORT_GRACE_MS);
  }
}

interface Waiting {
  listeners: Set<() => void>;
  tell(): void;
}

/** Signals compare each new listener with all that they have; many calls that wait on one signal share a single one. */
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
