import { KernelPeer } from "../../src/host/kernel/kernel_peer.ts";
import type { HostMessage } from "../../src/protocol/kernel_messages.ts";
import type { KernelMessageOf } from "../../src/protocol/kernel_protocol.ts";

/** A kernel by what it says, and what the host made of it. */
export interface PlayedKernel {
  peer: KernelPeer;
  sent: HostMessage[];
  /** Reasons why it was broken off. */
  broken: string[];
  heard: string[];
  requests: KernelMessageOf<"request">[];
}

/** The host's end of a kernel that is played by hand; one that loads nothing serves after `hello`. */
export function playKernel({ loads = false } = {}): PlayedKernel {
  const sent: HostMessage[] = [];
  const broken: string[] = [];
  const heard: string[] = [];
  const requests: KernelMessageOf<"request">[] = [];
  const peer = new KernelPeer({
    send(message) {
      sent.push(message);
      return Promise.resolve();
    },
    waiting: 0,
    breakOff(why) {
      broken.push(why);
      peer.die(why);
    },
  }, {
    onDeclare: () => heard.push("declare"),
    onRequest: (request) => {
      heard.push("request");
      requests.push(request);
    },
    onTell: () => heard.push("tell"),
    onRefused: () => heard.push("refused"),
    onHeard: () => heard.push("heard"),
  }, { loads });
  return { peer, sent, broken, heard, requests };
}
