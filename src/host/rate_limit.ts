/** A bound on an amount in a window of time that moves in steps. */
export class RateLimit {
  readonly #limit: number;
  readonly #windowMs: number;
  #windowStartMs = -Infinity;
  #amount = 0;

  constructor(limit: number, windowMs: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
  }

  /** Adds an amount; false once the window has had more than the limit. */
  allows(amount: number): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#windowStartMs > this.#windowMs) {
      this.#windowStartMs = nowMs;
      this.#amount = 0;
    }
    this.#amount += amount;
    return this.#amount <= this.#limit;
  }
}
