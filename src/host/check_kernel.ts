import type { KernelSetup } from "../protocol/kernel_messages.ts";
import { killMarkedProcesses } from "../sandbox/marked_processes.ts";
import { Kernel, type ProcessListener } from "./kernel/kernel.ts";
import type { PeerListener } from "./kernel/kernel_peer.ts";
import type { KernelProcess } from "./kernel_process.ts";
import { type BashRunner, callBash } from "./user_shell.ts";

/** Parts of a kernel that runs one command. */
export interface CheckKernelParts {
  /** Starts a process as the session's kernels are started. */
  start(listener: ProcessListener): KernelProcess;
  setup: KernelSetup;
  print(line: string): void;
}

/**
 * Runs a command in a kernel of its own, in which there is no code but the
 * program's: a plugin cannot answer for it. It sees neither the background
 * processes nor the private folder for temporary files of the session.
 */
export async function runInCheckKernel(
  { start, setup, print }: CheckKernelParts,
  ...call: Parameters<BashRunner>
): ReturnType<BashRunner> {
  const { plugins: _, ...plain } = setup;
  const kernel = new Kernel({
    startProcess: start,
    listener: listenerIn(plain.environment.TAU_RUN),
    loads: () => false,
    greet: (peer) => peer.send({ type: "start", setup: plain }),
    introduce: () => {},
    print,
    recover: () => Promise.resolve(undefined),
    onDeath: () => Promise.resolve(),
    maxFailedStarts: 1,
  });
  try {
    return await callBash(await kernel.serving(), ...call);
  } finally {
    kernel.close();
    await kernel.over;
  }
}

/** It may have its own shell call ended, and nothing else. */
const listenerIn = (run: string | undefined): PeerListener => ({
  onRequest({ requestId, ...request }, peer) {
    if (request.kind !== "kill") {
      return peer.reply(requestId, { error: "A check asks for nothing" });
    }
    killMarkedProcesses("TAU_CALL", request.marker, run).then(
      () => peer.reply(requestId, {}),
      (error) => peer.reply(requestId, { error: String(error) }),
    );
  },
  onDeclare: () => {},
  onTell: () => {},
  onRefused: () => {},
  onHeard: () => {},
});
