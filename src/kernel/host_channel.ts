import type { AgentToolResult } from "../agent/agent_tool.ts";
import { assembleMessage } from "../model/assemble_message.ts";
import type { JsonObject } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import type { AssistantDelta, Context, StreamFn } from "../model/stream.ts";
import type {
  DialogAnswer,
  HostMessage,
  ProbeTargets,
  ProviderHook,
  RunSetup,
} from "../protocol/kernel_messages.ts";
import type {
  Dialog,
  FetchRequest,
  KernelMessage,
  MessageRef,
  ModelRequest,
} from "../protocol/kernel_schemas.ts";
import { LineDecoder } from "../protocol/line_codec.ts";
import { LineWriter } from "../protocol/line_writer.ts";
import type { ProbeReport } from "../protocol/result_schema.ts";
import type {
  PluginFetchOptions,
  PluginFetchResult,
} from "../sdk/plugin_api.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import type { SessionEventSink } from "../session/session_event.ts";
import { type ToolRenderers, toRunEvent } from "./run_events.ts";
import { hostFetch } from "./host_fetch.ts";
import { StoredBarrier } from "./stored_barrier.ts";

/** Work that the host asks for. */
export type HostRequest = Extract<
  HostMessage,
  {
    type:
      | "prompt"
      | "abort"
      | "close"
      | "command"
      | "command_cancel";
  }
>;

/** Bytes that one read of stdin may bring. */
const READ_BYTES = 64 * 1024;

/**
 * The kernel's end of the protocol: stdin brings the host's messages, stdout
 * takes ours. It reads from the moment it is opened, so that a heartbeat is
 * answered whenever JavaScript runs at all.
 */
export class HostChannel {
  readonly #token: string;
  readonly #writer: LineWriter;
  readonly #gone = new AbortController();
  readonly #closed = Promise.withResolvers<void>();
  readonly #asked = Promise.withResolvers<void>();
  readonly #probe = Promise.withResolvers<ProbeTargets>();
  readonly #dialogs = new Map<number, (answer?: DialogAnswer) => void>();
  /** Requests that came before anybody served them. */
  readonly #requests: HostRequest[] = [];
  #serve: ((request: HostRequest) => void) | undefined;
  readonly #streams = new Map<number, DeltaQueue>();
  readonly #asks = new Map<
    number,
    (reply: HostMessage & { type: "reply" }) => void
  >();
  /** Numbers of the messages that the host has stored. */
  readonly #stored = new WeakMap<object, number>();
  #storedCount: number;
  readonly #barrier: StoredBarrier;
  readonly #history: SessionEntry[] = [];
  #onHistory = () => {};
  #isHostGone = false;
  #nextId = 0;
  #providerHooks: Parameters<HostChannel["hookProvider"]>[0] | undefined;
  #declared: { systemPrompt?: unknown; tools?: unknown } = {};

  private constructor(token: string, { isStored, storedCount }: RunSetup) {
    this.#token = token;
    this.#writer = new LineWriter(token, writeAll);
    this.#storedCount = storedCount;
    this.#barrier = new StoredBarrier({ isStored });
  }

  /** Reads the setup and goes on reading; undefined when the host says nothing. */
  static async open(): Promise<
    { channel: HostChannel; setup: RunSetup } | undefined
  > {
    const decoder = new LineDecoder();
    const messages = readMessages(decoder);
    const first = (await messages.next()).value;
    if (!first) return undefined;
    if (first.type !== "start") throw new Error("the host sent no setup");
    const channel = new HostChannel(decoder.token as string, first.setup);
    channel.#listen(messages);
    return { channel, setup: first.setup };
  }

  /** Resolves when the first request is with the host: for a while nothing waits for this process. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** The run's token. */
  get token(): string {
    return this.#token;
  }

  /** Aborts when the host is gone. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Resolves when the host is gone. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Hands on what the host wants to have tried, also when it has said so before. */
  serveProbe(probe: (targets: ProbeTargets) => Promise<ProbeReport>): void {
    this.#probe.promise
      .then(async (targets) => {
        await this.send({ type: "probed", report: await probe(targets) });
      })
      .catch(() => {});
  }

  /** Lets plugins look at the requests that the host makes: `wanted` are the steps that any of them wants to see. */
  hookProvider(hooks: {
    wanted(): ProviderHook[];
    run(hook: ProviderHook, value: JsonObject): Promise<JsonObject | undefined>;
  }): void {
    this.#providerHooks = hooks;
  }

  /** Hands each of the host's requests on, those that came before included. */
  serve(take: (request: HostRequest) => void): void {
    this.#serve = take;
    for (const request of this.#requests.splice(0)) take(request);
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
    }).then(() => this.#asked.resolve(), (error) => queue.fail(error));
    const stream = assembleMessage(model, queue);
    stream.result().finally(() => {
      options.signal?.removeEventListener("abort", cancel);
      this.#streams.delete(requestId);
    });
    return stream;
  };

  /** Asks the user; undefined when the question is dismissed, or the signal aborts. */
  async ask(dialog: Dialog, signal?: AbortSignal): Promise<DialogAnswer> {
    if (signal?.aborted || this.gone.aborted) return undefined;
    const dialogId = this.#nextId++;
    const answered = Promise.withResolvers<DialogAnswer>();
    this.#dialogs.set(dialogId, answered.resolve);
    const dismiss = () => {
      answered.resolve(undefined);
      this.send({ type: "dialog_cancel", dialogId }).catch(() => {});
    };
    signal?.addEventListener("abort", dismiss, { once: true });
    try {
      await this.send({ type: "dialog", dialogId, dialog });
      return await answered.promise;
    } finally {
      signal?.removeEventListener("abort", dismiss);
      this.#dialogs.delete(dialogId);
    }
  }

  /** Has the host kill the processes of one shell call. */
  async killCall(marker: string): Promise<void> {
    await this.#request({ service: "kill_call", marker });
  }

  /** Has the host look up what was recorded of a call; without an id, of the check. */
  async recordedResult(callId?: string): Promise<AgentToolResult> {
    const value = await this.#request({ service: "recorded_result", callId });
    return value?.result as unknown as AgentToolResult;
  }

  /** Has the host ask a server for a plugin. */
  async fetch(
    url: string,
    options: PluginFetchOptions,
  ): Promise<PluginFetchResult> {
    return await hostFetch(
      url,
      options,
      (request) => this.#request({ service: "fetch", request }),
    );
  }

  #request(
    service:
      | { service: "kill_call"; marker: string }
      | { service: "recorded_result"; callId: string | undefined }
      | { service: "fetch"; request: FetchRequest },
  ): Promise<JsonObject | undefined> {
    const askId = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#asks.set(askId, ({ value, error }) => {
        this.#asks.delete(askId);
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      });
      this.send({ type: "ask", askId, ...service }).catch(reject);
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
    const hooks = this.#providerHooks?.wanted() ?? [];
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
      ...(hooks.length > 0 ? { hooks } : {}),
    };
  }

  #ref(message: Message): MessageRef {
    return this.#stored.get(message) ?? message;
  }

  async #listen(messages: AsyncIterable<HostMessage>): Promise<void> {
    for await (const message of messages) this.#take(message);
    this.#isHostGone = true;
    this.#closed.resolve();
    this.#gone.abort(new Error("the host is gone"));
    for (const dismiss of this.#dialogs.values()) dismiss();
    this.#barrier.breakDown();
    this.#onHistory();
    for (const queue of this.#streams.values()) queue.end();
  }

  #take(message: HostMessage): void {
    switch (message.type) {
      case "ping":
        this.send({ type: "pong", n: message.n }).catch(() => {});
        break;
      case "probe":
        this.#probe.resolve(message.targets);
        break;
      case "model_deltas":
        this.#streams.get(message.requestId)?.push(message.deltas);
        break;
      case "history":
        this.#takeEntry(message);
        break;
      case "stored":
        this.#barrier.note(message);
        break;
      case "reply":
        this.#asks.get(message.askId)?.(message);
        break;
      case "provider_hook":
        this.#runHook(message);
        break;
      case "dialog_answer":
        this.#dialogs.get(message.dialogId)?.(message.answer);
        break;
      case "start":
        break;
      default:
        if (this.#serve) this.#serve(message);
        else this.#requests.push(message);
    }
  }

  /** Never rejects: plugins' faults are told elsewhere. */
  async #runHook(
    { hookId, hook, value }: HostMessage & { type: "provider_hook" },
  ): Promise<void> {
    const changed = await this.#providerHooks?.run(hook, value);
    await this.send({
      type: "provider_hook_end",
      hookId,
      ...(changed === undefined ? {} : { value: changed }),
    }).catch(() => {});
  }

  #takeEntry(
    { entry, number }: Extract<HostMessage, { type: "history" }>,
  ): void {
    this.#history.push(entry);
    if (entry.type === "message" && number !== undefined) {
      this.#stored.set(entry.message, number);
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
