import type { DialogAnswer, HostMessage } from "../protocol/kernel_messages.ts";
import type { Dialog } from "../protocol/kernel_schemas.ts";
import type { RunListener } from "./run.ts";

/** Questions that may be open at once. */
const MAX_OPEN = 32;

/** The questions of a kernel that wait for the user. */
export class KernelDialogs {
  readonly #ask: RunListener["ask"];
  readonly #send: (message: HostMessage) => void;
  readonly #open = new Map<number, AbortController>();

  constructor(
    { ask }: Pick<RunListener, "ask">,
    send: (message: HostMessage) => void,
  ) {
    this.#ask = ask;
    this.#send = send;
  }

  /** Puts a question, and tells the kernel the answer; that may take long. Never rejects. */
  async put(dialogId: number, dialog: Dialog): Promise<void> {
    const answer = await this.#answer(dialogId, dialog);
    this.#send({
      type: "dialog_answer",
      dialogId,
      ...(answer === undefined ? {} : { answer }),
    });
  }

  async #answer(dialogId: number, dialog: Dialog): Promise<DialogAnswer> {
    if (!this.#ask || this.#open.size >= MAX_OPEN) return undefined;
    const dismissed = new AbortController();
    this.#open.set(dialogId, dismissed);
    try {
      return await this.#ask(dialog, dismissed.signal);
    } catch {
      // A question that cannot be put is one that nobody answered.
      return undefined;
    } finally {
      this.#open.delete(dialogId);
    }
  }

  /** Nobody waits for the answer any more. */
  dismiss(dialogId: number): void {
    this.#open.get(dialogId)?.abort();
  }

  dismissAll(): void {
    for (const dismissed of this.#open.values()) dismissed.abort();
  }
}
