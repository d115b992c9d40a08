/**
 * Holds a run up until the host has stored what the run said. Where nothing is
 * stored, nobody waits.
 */
export class StoredBarrier {
  readonly #isStored: boolean;
  #asked = 0;
  #answered = 0;
  #file: string | undefined;
  #isBroken = false;
  readonly #waiting = new Set<() => void>();

  constructor({ isStored }: { isStored: boolean }) {
    this.#isStored = isStored;
  }

  /** File of the session. */
  get file(): string | undefined {
    return this.#file;
  }

  /** The host has dealt with the next of what somebody waits for. */
  note({ file }: { file?: string }): void {
    this.#answered++;
    this.#file = file;
    this.#wake();
  }

  /** The host is gone: nothing is stored any more. */
  breakDown(): void {
    this.#isBroken = true;
    this.#wake();
  }

  /** Resolves with the host's answer to what was sent last. Rejects when none will come. */
  async passed(): Promise<void> {
    if (!this.#isStored) return;
    const place = ++this.#asked;
    while (this.#answered < place) {
      if (this.#isBroken) throw new Error("the host is gone");
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
