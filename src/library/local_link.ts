import { serve } from "../kernel/serve.ts";
import type { HostLink } from "../kernel/host_link.ts";
import { isKernelMessage } from "../protocol/checks.ts";
import type { HostMessage, KernelSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import { KernelPeer, type PeerListener } from "../host/kernel/kernel_peer.ts";

/** A kernel within this process. */
export interface LocalKernel {
  peer: KernelPeer;
  /** Lets plugins hear of the end; resolves when they have. */
  close(): Promise<void>;
}

/**
 * Serves tools and plugins in this process, by the same messages as a kernel
 * process: they are passed as values, and checked as those of any kernel.
 */
export function startLocalKernel(
  setup: KernelSetup,
  { listener, more }: {
    listener: PeerListener;
    more: readonly AnyToolDefinition[];
  },
): LocalKernel {
  const toKernel = new MessageQueue<HostMessage>();
  let broken: string | undefined;
  const peer = new KernelPeer(
    {
      send(message) {
        toKernel.push(message);
        return Promise.resolve();
      },
      waiting: 0,
      breakOff(why) {
        broken ??= why;
        peer.die(`The plugins broke the protocol: ${why}`);
      },
    },
    listener,
    { loads: true },
  );
  const link: HostLink = {
    token: undefined,
    messages: toKernel,
    async send(message) {
      // A turn later, as over a pipe: whoever sends has done so.
      await undefined;
      if (!isKernelMessage(message)) {
        peer.die("The plugins sent an unknown message");
      } else peer.take(message);
    },
  };
  const served = serve(link, { more });
  served.catch((error) => peer.die(String(error)));
  peer.send({ type: "start", setup });
  return {
    peer,
    async close() {
      peer.close();
      toKernel.end();
      await served.catch(() => {});
      peer.die("The session is disposed of");
    },
  };
}

/** Messages that wait to be read. */
class MessageQueue<Message> implements AsyncIterable<Message> {
  readonly #waiting: Message[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  push(message: Message): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    while (true) {
      const next = this.#waiting.shift();
      if (next) yield next;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
