import type { JsonObject } from "../model/content.ts";
import type { NetPolicy } from "../policy/net_policy.ts";
import type { HostMessage } from "../protocol/kernel_messages.ts";
import type {
  FetchRequest,
  KernelMessage,
} from "../protocol/kernel_schemas.ts";
import { killMarkedProcesses } from "../sandbox/marked_processes.ts";
import { pluginFetch } from "./plugin_fetch.ts";
import type { RunTape } from "./run_tape.ts";

/** Requests of plugins that may be under way at once. */
const MAX_FETCHES = 8;

type Ask = KernelMessage & { type: "ask" };
type Reply = { value?: JsonObject } | { error: string };

/** Requests of a kernel to its host. */
export class KernelAsks {
  readonly #send: (message: HostMessage) => void;
  readonly #net: () => NetPolicy;
  readonly #tape: RunTape | undefined;
  readonly #onMiss: (message: string) => void;
  #fetches = 0;

  constructor(
    { send, net, tape, onMiss }: {
      send(message: HostMessage): void;
      /** Which servers plugins may ask. */
      net(): NetPolicy;
      tape: RunTape | undefined;
      /** A call was replayed that is not in the recording. */
      onMiss(message: string): void;
    },
  ) {
    this.#send = send;
    this.#net = net;
    this.#tape = tape;
    this.#onMiss = onMiss;
  }

  /** Resolves when the next message may be read; what takes long goes on beside it. */
  async take(ask: Ask): Promise<void> {
    switch (ask.service) {
      case "recorded_result":
        return this.#reply(ask, this.#recordedResult(ask.callId));
      case "fetch":
        this.#fetch(ask.request).then((reply) => this.#reply(ask, reply));
        break;
      case "kill_call":
        // Awaited, so that there is one search through all processes at a time.
        return this.#reply(ask, await this.#killCall(ask.marker));
    }
  }

  #reply({ askId }: Ask, reply: Reply): void {
    this.#send({ type: "reply", askId, ...reply });
  }

  async #killCall(marker: string): Promise<Reply> {
    try {
      await killMarkedProcesses("TAU_CALL", marker);
      return {};
    } catch (error) {
      return { error: String(error) };
    }
  }

  async #fetch(request: FetchRequest): Promise<Reply> {
    if (this.#fetches >= MAX_FETCHES) {
      return { error: `More than ${MAX_FETCHES} requests at once` };
    }
    this.#fetches++;
    try {
      return { value: await pluginFetch(request, this.#net()) };
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#fetches--;
    }
  }

  /** A call that was not recorded ends the run. */
  #recordedResult(callId: string | undefined): Reply {
    const result = this.#tape?.resultOf(callId) ?? "Nothing is replayed";
    if (typeof result !== "string") return { value: { result } };
    this.#onMiss(result);
    return { error: result };
  }
}
