/** Active work, such as a run, a command of the user, a summary: each can be stopped, the latest first. */
export class OpenWork {
  readonly #open: AbortController[] = [];
  readonly #onChange: () => void;

  /** `onChange` hears when something begins or ends. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** True while anything is active. */
  get isBusy(): boolean {
    return this.#open.length > 0;
  }

  /** Does something that can be stopped. */
  async do<Value>(
    work: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value> {
    const abort = new AbortController();
    this.#open.push(abort);
    this.#onChange();
    try {
      return await work(abort.signal);
    } finally {
      this.#open.splice(this.#open.indexOf(abort), 1);
      this.#onChange();
    }
  }

  /** Stops what began last and is not being stopped; false where there is nothing. */
  stopLatest(): boolean {
    const latest = this.#open.findLast(({ signal }) => !signal.aborted);
    latest?.abort("interrupted");
    return latest !== undefined;
  }

  /** Stops everything. */
  stopAll(): void {
    for (const abort of this.#open) abort.abort("interrupted");
  }
}
