import type { JsonObject } from "../model/content.ts";
import type {
  HostMessage,
  KernelCommand,
} from "../protocol/kernel_messages.ts";
import type { KernelMessage } from "../protocol/kernel_schemas.ts";

/** A kernel that commands are sent to. */
export interface CommandedKernel {
  send(message: HostMessage): Promise<void>;
  /** Resolves when it has ended, with why it failed. */
  readonly done: Promise<string | undefined>;
}

/** Commands to a kernel beside its runs, until each has its outcome. */
export class KernelCommands {
  readonly #kernel: CommandedKernel;
  readonly #open = new Map<
    number,
    PromiseWithResolvers<JsonObject | undefined>
  >();
  #nextId = 0;

  constructor(kernel: CommandedKernel) {
    this.#kernel = kernel;
  }

  /** Rejects with what the kernel said, or when it is gone. */
  async run(
    command: KernelCommand,
    signal?: AbortSignal,
  ): Promise<JsonObject | undefined> {
    const commandId = this.#nextId++;
    const ended = Promise.withResolvers<JsonObject | undefined>();
    this.#open.set(commandId, ended);
    const cancel = () => {
      this.#kernel.send({ type: "command_cancel", commandId });
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      this.#kernel.send({ type: "command", commandId, command });
      if (signal?.aborted) cancel();
      const gone = this.#kernel.done.then((failure) => {
        throw new Error(failure ?? "The kernel has ended");
      });
      return await Promise.race([ended.promise, gone]);
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#open.delete(commandId);
    }
  }

  /** Takes what the kernel says of one. */
  end(
    { commandId, value, error }: KernelMessage & { type: "command_end" },
  ): void {
    const ended = this.#open.get(commandId);
    if (error === undefined) ended?.resolve(value);
    else ended?.reject(new Error(error));
  }
}
