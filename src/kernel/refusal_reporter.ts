import type { RefusedAccess } from "../protocol/result_schema.ts";
import type { KernelMessage } from "../protocol/kernel_protocol.ts";

/** Tells the host how often paths were refused, one message at a time. */
export class RefusalReporter {
  readonly #send: (message: KernelMessage) => Promise<void>;
  readonly #waiting = new Map<RefusedAccess, number>();
  #isSending = false;

  constructor(send: (message: KernelMessage) => Promise<void>) {
    this.#send = send;
  }

  note(access: RefusedAccess): void {
    this.#waiting.set(access, (this.#waiting.get(access) ?? 0) + 1);
    if (!this.#isSending) this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      for (const [access, count] of this.#waiting) {
        this.#waiting.delete(access);
        await this.#send({ type: "refused", access, count });
      }
    } catch {
      // The host is gone, and with it the record.
    }
    this.#isSending = false;
  }
}
