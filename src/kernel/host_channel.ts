import {
  assembleMessage,
  type AssistantDelta,
  type Context,
  type Message,
  type StreamFn,
} from "../model/mod.ts";
import {
  type HostMessage,
  type KernelMessage,
  LineDecoder,
  LineWriter,
  type MessageRef,
  type ModelRequest,
  type RunSetup,
} from "../protocol/mod.ts";
import type { SessionEntry, SessionEventSink } from "../session/mod.ts";
import { type ToolRenderers, toRunEvent } from "./run_events.ts";
import { StoredBarrier } from "./stored_barrier.ts";

/** Bytes that one read of stdin may bring. */
const READ_BYTES = 64 * 1024;

/**
 * The kernel's end of the protocol: stdin brings the host's messages, stdout
 * takes ours. It reads from the moment it is opened, so that a heartbeat is
 * answered whenever JavaScript runs at all.
 */
export class HostChannel {
  readonly #writer: LineWriter;
  readonly #abort = new AbortController();
  readonly #streams = new Map<number, DeltaQueue>();
  readonly #asks = new Map<number, (error?: string) => void>();
  /** Numbers of the messages that the host has stored. */
  readonly #stored = new WeakMap<object, number>();
  #storedCount = 0;
  readonly #barrier: StoredBarrier;
  readonly #history: SessionEntry[] = [];
  #onHistory = () => {};
  #isHostGone = false;
  #nextId = 0;
  #declared: { systemPrompt?: unknown; tools?: unknown } = {};

  private constructor(writer: LineWriter, { isStored }: RunSetup) {
    this.#writer = writer;
    this.#barrier = new StoredBarrier({ isStored });
  }

  /** Reads the setup and goes on reading. */
  static async open(): Promise<{ channel: HostChannel; setup: RunSetup }> {
    const decoder = new LineDecoder();
    const messages = readMessages(decoder);
    const first = (await messages.next()).value;
    if (first?.type !== "start") throw new Error("the host sent no setup");
    const channel = new HostChannel(
      new LineWriter(decoder.token as string, writeAll),
      first.setup,
    );
    channel.#listen(messages);
    return { channel, setup: first.setup };
  }

  /** Aborts when the host says so, or is gone. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The session's file; undefined where it is not stored. */
  get sessionFile(): string | undefined {
    return this.#barrier.file;
  }

  /** The entries of the session so far. */
  async history(length: number): Promise<SessionEntry[]> {
    while (this.#history.length < length) {
      if (this.#isHostGone) throw new Error("the host is gone");
      await new Promise<void>((resolve) => this.#onHistory = resolve);
    }
    return this.#history;
  }

  send(message: KernelMessage): Promise<void> {
    return this.#writer.send(message);
  }

  /** Tells the host of an event; a message that ends is stored there from then on. */
  emitter(
    { renderers, updates }: {
      renderers?: ToolRenderers | undefined;
      updates: boolean;
    },
  ): SessionEventSink {
    return (event) => {
      const stored = event.type === "message_end" ? this.#storedCount++ : -1;
      if (event.type === "message_end") this.#stored.set(event.message, stored);
      if (event.type === "message_update" && !updates) return;
      const sent = this.send({
        type: "event",
        event: toRunEvent(
          event,
          renderers,
          (message) => this.#stored.get(message),
        ),
        ...(stored < 0 ? {} : { stored }),
      }).catch(() => {});
      if (event.type !== "tool_execution_start") return;
      // A tool may never give JavaScript back: what led to it is told before,
      // and stored, so that no later run takes the call for one to be made.
      return sent.then(() => this.#barrier.passed());
    };
  }

  /** Asks the run's model through the host. */
  readonly streamModel: StreamFn = (model, context, options = {}) => {
    const requestId = this.#nextId++;
    const queue = new DeltaQueue();
    this.#streams.set(requestId, queue);
    const cancel = () => {
      this.send({ type: "model_cancel", requestId }).catch(() => {});
    };
    options.signal?.addEventListener("abort", cancel, { once: true });
    this.send({
      type: "model_request",
      request: this.#toRequest(requestId, context, options),
    }).catch((error) => queue.fail(error));
    const stream = assembleMessage(model, queue);
    stream.result().finally(() => {
      options.signal?.removeEventListener("abort", cancel);
      this.#streams.delete(requestId);
    });
    return stream;
  };

  /** Has the host kill the processes of one shell call. */
  killCall(marker: string): Promise<void> {
    const askId = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asks.set(askId, (error) => {
        this.#asks.delete(askId);
        if (error === undefined) resolve();
        else reject(new Error(error));
      });
      this.send({ type: "ask", askId, service: "kill_call", marker })
        .catch(reject);
    });
  }

  #toRequest(
    requestId: number,
    context: Context,
    { temperature, maxTokens, reasoning, toolChoice }: ModelRequest["options"],
  ): ModelRequest {
    const { systemPrompt, tools, messages } = context;
    const isSame = systemPrompt === this.#declared.systemPrompt &&
      tools === this.#declared.tools;
    this.#declared = { systemPrompt, tools };
    return {
      requestId,
      messages: messages.map((message) => this.#ref(message)),
      ...(isSame ? {} : {
        declarations: {
          ...(systemPrompt === undefined ? {} : { systemPrompt }),
          ...(tools === undefined ? {} : { tools }),
        },
      }),
      options: { temperature, maxTokens, reasoning, toolChoice },
    };
  }

  #ref(message: Message): MessageRef {
    return this.#stored.get(message) ?? message;
  }

  async #listen(messages: AsyncIterable<HostMessage>): Promise<void> {
    for await (const message of messages) this.#take(message);
    this.#abort.abort(new Error("the host is gone"));
    this.#isHostGone = true;
    this.#barrier.breakDown();
    this.#onHistory();
    for (const queue of this.#streams.values()) queue.end();
  }

  #take(message: HostMessage): void {
    switch (message.type) {
      case "ping":
        this.send({ type: "pong", n: message.n }).catch(() => {});
        break;
      case "model_deltas":
        this.#streams.get(message.requestId)?.push(message.deltas);
        break;
      case "history":
        this.#takeEntry(message.entry);
        break;
      case "stored":
        this.#barrier.note(message);
        break;
      case "abort":
        this.#abort.abort(new DOMException("Aborted", "AbortError"));
        break;
      case "reply":
        this.#asks.get(message.askId)?.(message.error);
        break;
    }
  }

  #takeEntry(entry: SessionEntry): void {
    this.#history.push(entry);
    if (entry.type === "message") {
      this.#stored.set(entry.message, this.#storedCount++);
    }
    this.#onHistory();
  }
}

/** Batches of deltas that wait to be read. */
class DeltaQueue implements AsyncIterable<AssistantDelta[]> {
  #batches: AssistantDelta[][] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #error: unknown;

  push(batch: AssistantDelta[]): void {
    this.#batches.push(batch);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<AssistantDelta[]> {
    while (true) {
      const batches = this.#batches;
      this.#batches = [];
      yield* batches;
      if (this.#batches.length > 0) continue;
      if (this.#error) throw this.#error;
      if (this.#ended) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}

async function* readMessages(
  decoder: LineDecoder,
): AsyncGenerator<HostMessage, undefined> {
  const buffer = new Uint8Array(READ_BYTES);
  while (true) {
    const count = await Deno.stdin.read(buffer);
    if (count === null) return;
    for (const line of decoder.push(buffer.subarray(0, count))) {
      if (line.kind === "message") yield line.value as HostMessage;
    }
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += await Deno.stdout.write(bytes.subarray(at));
  }
}
