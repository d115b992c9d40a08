import type { DialogAnswer } from "../../protocol/kernel_messages.ts";
import type { Dialog } from "../../protocol/kernel_protocol.ts";
import type { RpcLine } from "./rpc_line.ts";

interface OpenQuestion {
  dialog: Dialog;
  settle(answer: DialogAnswer): void;
}

/** Questions to the user, as requests that the other side answers. */
export class RpcDialogs {
  readonly #send: (line: RpcLine) => void;
  readonly #open = new Map<string, OpenQuestion>();
  #isClosed = false;

  constructor(send: (line: RpcLine) => void) {
    this.#send = send;
  }

  /** Undefined when the question is dismissed, or nobody is there to answer it. */
  ask(dialog: Dialog, dismissed: AbortSignal): Promise<DialogAnswer> {
    if (this.#isClosed || dismissed.aborted) return Promise.resolve(undefined);
    const id = crypto.randomUUID();
    const answered = Promise.withResolvers<DialogAnswer>();
    const settle = (answer: DialogAnswer) => {
      this.#open.delete(id);
      answered.resolve(answer);
    };
    this.#open.set(id, { dialog, settle });
    dismissed.addEventListener("abort", () => settle(undefined));
    const { kind: method, ...question } = dialog;
    this.#send({ type: "extension_ui_request", id, method, ...question });
    return answered.promise;
  }

  /** Takes an answer; undefined, or why it is none. */
  answer(
    { id, value, confirmed, cancelled }: Record<string, unknown>,
  ): string | undefined {
    const open = typeof id === "string" ? this.#open.get(id) : undefined;
    if (!open) return `No question with id ${JSON.stringify(id)} is open`;
    if (cancelled === true) open.settle(undefined);
    else if (open.dialog.kind === "confirm") {
      if (typeof confirmed !== "boolean") {
        return "confirmed: expected a boolean";
      }
      open.settle(confirmed);
    } else if (typeof value !== "string") return "value: expected a string";
    else if (!isOffered(open.dialog, value)) {
      return "value: expected one of the options";
    } else open.settle(value);
    return undefined;
  }

  /** Leaves all of them without an answer. */
  dismiss(): void {
    for (const { settle } of this.#open.values()) settle(undefined);
  }

  /** The same, and for those that come later. */
  close(): void {
    this.#isClosed = true;
    this.dismiss();
  }
}

function isOffered(dialog: Dialog, value: string): boolean {
  return dialog.kind !== "select" || dialog.options.includes(value);
}
