/** A plugin took longer than it may. */
export class PluginDeadlineError extends Error {
  override name = "PluginDeadlineError";
}

/**
 * The time that one call of a plugin's code may take. It stands still while
 * the user is asked something. The code itself goes on; its outcome is ignored.
 */
export class CallClock {
  #leftMs: number;
  #startMs = 0;
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #expired = Promise.withResolvers<never>();
  readonly #limitMs: number;

  constructor(limitMs: number) {
    this.#limitMs = this.#leftMs = limitMs;
    // Whoever waits hears of it through `until`.
    this.#expired.promise.catch(() => {});
  }

  /** The outcome of the work, or a {@linkcode PluginDeadlineError}. What is no promise costs nothing. */
  async until<Value>(work: Value | PromiseLike<Value>): Promise<Value> {
    if (!isThenable(work)) return work;
    this.#start();
    try {
      return await Promise.race([work, this.#expired.promise]);
    } finally {
      this.#stop();
      this.#pauses = Infinity;
    }
  }

  /** Lets the time stand still until the question is answered. */
  async pausedBy<Value>(question: Promise<Value>): Promise<Value> {
    this.#pauses++;
    this.#stop();
    try {
      return await question;
    } finally {
      this.#pauses--;
      if (this.#pauses === 0 && this.#startMs > 0) this.#start();
    }
  }

  #start(): void {
    this.#startMs = performance.now();
    if (this.#pauses > 0) return;
    this.#timer = setTimeout(() => {
      this.#expired.reject(
        new PluginDeadlineError(
          `it did not answer within ${this.#limitMs / 1000} s`,
        ),
      );
    }, this.#leftMs);
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = Math.max(
      0,
      this.#leftMs - (performance.now() - this.#startMs),
    );
  }
}

function isThenable<Value>(
  work: Value | PromiseLike<Value>,
): work is PromiseLike<Value> {
  return typeof work === "object" && work !== null && "then" in work &&
    typeof work.then === "function";
}
