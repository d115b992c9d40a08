/** Time of work before others get a turn. */
const TURN_MS = 40;

/**
 * Lets long work in small steps be interrupted: call `pause` between two steps
 * and await what it returns. Throws the signal's reason once it has aborted.
 */
export class Pacer {
  #signal: AbortSignal | undefined;
  #turnStartMs = performance.now();

  constructor(signal?: AbortSignal) {
    this.#signal = signal;
    signal?.throwIfAborted();
  }

  /** Yields to the event loop after 40 ms of work. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#turnStartMs < TURN_MS) return undefined;
    return this.#giveWay();
  }

  async #giveWay(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#turnStartMs = performance.now();
    this.#signal?.throwIfAborted();
  }
}
