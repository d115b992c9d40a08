import type { AssistantDelta } from "../model/mod.ts";

/** Characters that may wait for the kernel before the provider is no longer read. */
const MAX_WAITING = 1024 * 1024;

/**
 * Passes deltas on, one message at a time. What arrives while a message is
 * under way becomes one batch, in which neighbouring deltas of a block are
 * joined: the faster the provider, the larger the batches.
 */
export class DeltaPump {
  readonly #send: (deltas: AssistantDelta[]) => Promise<void>;
  #waiting: AssistantDelta[] = [];
  #length = 0;
  #pumping: Promise<void> | undefined;

  constructor(send: (deltas: AssistantDelta[]) => Promise<void>) {
    this.#send = send;
  }

  /** Takes deltas; what it returns, if anything, must settle before more is read. Rejects when nobody receives any more. */
  push(deltas: readonly AssistantDelta[]): Promise<void> | undefined {
    for (const delta of deltas) this.#add(delta);
    const pumping = this.#pumping ??= this.#pump();
    // A closed pipe is heard of where somebody waits.
    pumping.catch(() => {});
    return this.#length > MAX_WAITING ? pumping : undefined;
  }

  /** Resolves when everything is sent. */
  drained(): Promise<void> {
    return this.#pumping ?? Promise.resolve();
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#length = 0;
      await this.#send(batch);
    }
    this.#pumping = undefined;
  }

  #add(delta: AssistantDelta): void {
    if (!("delta" in delta)) {
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
