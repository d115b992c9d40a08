import type { AssistantDelta } from "../model/stream.ts";

/** Characters that may wait for the kernel before the provider is no longer read. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds between two messages of a growing block: nobody reads faster. */
const PAUSE_MS = 5;

/**
 * Passes deltas on, one message at a time. What arrives meanwhile becomes one
 * batch, in which neighbouring deltas of a block are joined: the faster the
 * provider, the larger the batches. The end of an answer does not wait.
 */
export class DeltaPump {
  readonly #send: (deltas: AssistantDelta[]) => Promise<void>;
  #waiting: AssistantDelta[] = [];
  #length = 0;
  #pumping: Promise<void> | undefined;
  /** Ends the pause that is going on. */
  #endPause = () => {};
  #isEnding = false;

  constructor(send: (deltas: AssistantDelta[]) => Promise<void>) {
    this.#send = send;
  }

  /** Takes deltas; what it returns, if anything, must settle before more is read. Rejects when nobody receives any more. */
  push(deltas: readonly AssistantDelta[]): Promise<void> | undefined {
    for (const delta of deltas) this.#add(delta);
    if (this.#isEnding || this.#length > MAX_WAITING) this.#endPause();
    const pumping = this.#pumping ??= this.#pump();
    // A closed pipe is heard of where somebody waits.
    pumping.catch(() => {});
    return this.#length > MAX_WAITING ? pumping : undefined;
  }

  /** Resolves when everything is sent. */
  drained(): Promise<void> {
    this.#isEnding = true;
    this.#endPause();
    return this.#pumping ?? Promise.resolve();
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#length = 0;
      await this.#send(batch);
      if (!this.#isEnding) await this.#pause();
    }
    this.#pumping = undefined;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, PAUSE_MS);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #add(delta: AssistantDelta): void {
    if (!("delta" in delta)) {
      this.#isEnding ||= delta.type === "done" || delta.type === "error";
      this.#waiting.push(delta);
      return;
    }
    this.#length += delta.delta.length;
    const last = this.#waiting.at(-1);
    if (
      last?.type === delta.type && last.contentIndex === delta.contentIndex
    ) {
      last.delta += delta.delta;
    } else {
      // A copy, since it may grow here.
      this.#waiting.push({ ...delta });
    }
  }
}
