import type {
  AgentToolResult,
  AgentToolUpdate,
} from "../../agent/agent_tool.ts";
import { NonRecoverableToolError } from "../../agent/non_recoverable_tool_error.ts";
import { ToolError } from "../../agent/tool_error.ts";
import type {
  AskMessage,
  AskPayloads,
  CallMessage,
  HostMessage,
} from "../../protocol/kernel_messages.ts";
import { KERNEL_RULES } from "../../protocol/checks.ts";
import {
  type KernelPhase,
  MAX_LATE,
  MAX_OPEN,
} from "../../protocol/kernel_bounds.ts";
import type {
  Answer,
  AskKind,
  Declaration,
  KernelMessage,
  KernelMessageOf,
} from "../../protocol/kernel_protocol.ts";
import { RateLimit } from "../rate_limit.ts";
import { OpenIds } from "./open_ids.ts";
import { KernelGoneError } from "./kernel_gone_error.ts";

/** The way to one kernel. */
export interface PeerLink {
  /** Rejects when the kernel is gone; whoever does not wait need not catch. */
  send(message: HostMessage): Promise<void>;
  /** Characters that wait for the kernel to read them. */
  readonly waiting: number;
  /** Ends the kernel, which did what none does. */
  breakOff(why: string): void;
}

/** Those who deal with what a kernel asks for and tells of its own. */
export interface PeerListener {
  onDeclare(declaration: Declaration, peer: KernelPeer): void;
  onRequest(message: KernelMessageOf<"request">, peer: KernelPeer): void;
  onTell(message: KernelMessageOf<"tell">): void;
  onRefused(message: KernelMessageOf<"refused">): void;
  onHeard(n: number): void;
}

/** A call for a kernel. */
export type WantedCall = Omit<CallMessage, "type" | "callId" | "hasUpdates">;

interface OpenCall {
  call: WantedCall;
  onUpdate: AgentToolUpdate | undefined;
  rate: RateLimit;
  settled: PromiseWithResolvers<AgentToolResult>;
}

interface OpenAsk {
  kind: AskKind;
  settled: PromiseWithResolvers<unknown>;
}

/** Milliseconds that one question may take, the user's answers aside. */
const ASK_LIMIT_MS = 600_000;
/** Progress reports of one call in a second. */
const MAX_UPDATES = 200;
const TEN_SECONDS_MS = 10_000;

/**
 * One kernel by its messages: what is open between it and the host, and which
 * messages may come. Nothing that it says is waited for in its reader: a
 * message settles what it belongs to, or is handed on, and the next is read.
 */
export class KernelPeer {
  readonly #link: PeerLink;
  readonly #listener: PeerListener;
  readonly #loads: boolean;
  readonly #calls = new OpenIds<OpenCall>();
  readonly #asks = new OpenIds<OpenAsk>();
  readonly #requests = new OpenIds<AbortController>();
  readonly #rates = new Map<string, RateLimit>();
  readonly #hello = Promise.withResolvers<void>();
  readonly #declared = Promise.withResolvers<void>();
  readonly #ready = Promise.withResolvers<void>();
  #phase: KernelPhase = "starting";
  #late = 0;
  #gone: KernelGoneError | undefined;

  constructor(
    link: PeerLink,
    listener: PeerListener,
    { loads }: {
      /** It loads something before it serves. */
      loads: boolean;
    },
  ) {
    this.#link = link;
    this.#listener = listener;
    this.#loads = loads;
    for (const { promise } of [this.#hello, this.#declared, this.#ready]) {
      promise.catch(() => {});
    }
  }

  /** Resolves when it is there. These three reject when it ends before. */
  get hello(): Promise<void> {
    return this.#hello.promise;
  }

  /** Resolves when it has said what it brings. */
  get declared(): Promise<void> {
    return this.#declared.promise;
  }

  /** Resolves when it takes calls. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** True when nothing will come of it any more. */
  get isGone(): boolean {
    return this.#gone !== undefined;
  }

  /** Names of the tools whose calls are open. */
  get openCalls(): string[] {
    return this.#calls.values.map(({ call }) => call.tool);
  }

  /** True while something that it asked for is open. */
  get hasRequests(): boolean {
    return this.#requests.size > 0;
  }

  /** The open call of that id. */
  openCall(toolCallId: string): WantedCall | undefined {
    return this.#calls.values.find(({ call }) => call.toolCallId === toolCallId)
      ?.call;
  }

  /** Resolves when the kernel can read it, or is gone. */
  send(message: HostMessage): Promise<void> {
    if (this.#gone) return Promise.resolve();
    return this.#link.send(message).catch(() => {});
  }

  /** Characters that wait for the kernel to read them. */
  get waiting(): number {
    return this.#gone ? 0 : this.#link.waiting;
  }

  /** It was told to end. */
  close(): void {
    this.#phase = "closing";
    this.send({ type: "close" });
  }

  /** Runs a call; settles in any case. A fatal error counts only where the tool is a plugin's. */
  async call(
    call: WantedCall,
    { signal, onUpdate }: {
      signal: AbortSignal | undefined;
      onUpdate: AgentToolUpdate | undefined;
    },
  ): Promise<AgentToolResult> {
    signal?.throwIfAborted();
    if (this.#gone) throw this.#gone;
    const settled = Promise.withResolvers<AgentToolResult>();
    const rate = new RateLimit(MAX_UPDATES, 1000);
    const callId = this.#calls.open({ call, onUpdate, rate, settled });
    const cancel = () => this.send({ type: "cancel", callId });
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const hasUpdates = onUpdate !== undefined;
      this.send({ type: "call", callId, ...call, hasUpdates });
      return await settled.promise;
    } catch (error) {
      if (error instanceof AbortedInKernel) signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Puts a question. Rejects with what the kernel said went wrong, and with a {@linkcode KernelGoneError}. */
  async ask<Kind extends AskKind>(
    kind: Kind,
    payload: AskPayloads[Kind],
    { signal, hasLimit = true }: {
      signal?: AbortSignal | undefined;
      /** Default true. */
      hasLimit?: boolean;
    } = {},
  ): Promise<Answer<Kind>> {
    signal?.throwIfAborted();
    if (this.#gone) throw this.#gone;
    const settled = Promise.withResolvers<unknown>();
    const askId = this.#asks.open({ kind, settled });
    const cancel = () => this.send({ type: "cancel_ask", askId });
    const timer = hasLimit
      ? setTimeout(
        () => settled.reject(new Error("The plugins took too long")),
        ASK_LIMIT_MS,
      )
      : undefined;
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      this.send({ type: "ask", askId, kind, payload } as AskMessage);
      return await settled.promise as Answer<Kind>;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Replies to a request, unless it was taken back. */
  reply(
    requestId: number,
    reply: { value?: unknown } | { error: string },
  ): void {
    if (!this.#requests.take(requestId)) return;
    this.send({ type: "reply", requestId, ...reply } as HostMessage);
  }

  /** Aborts when the kernel does not wait for a reply any more. */
  signalOf(requestId: number): AbortSignal | undefined {
    return this.#requests.get(requestId)?.signal;
  }

  /** It is dead, and all that it had said was heard: what is open ends with the reason. */
  die(reason: string): void {
    if (this.#gone) return;
    const gone = this.#gone = new KernelGoneError(reason);
    for (const { reject } of [this.#hello, this.#declared, this.#ready]) {
      reject(gone);
    }
    for (const { settled } of this.#calls.takeAll()) settled.reject(gone);
    for (const { settled } of this.#asks.takeAll()) settled.reject(gone);
    for (const abort of this.#requests.takeAll()) abort.abort(gone);
  }

  /** Takes a message that the schemas took. */
  take(message: KernelMessage): void {
    if (this.#gone) return;
    const { type } = message;
    const { phases, maxInTenSeconds } = KERNEL_RULES[type];
    if (!phases.includes(this.#phase)) {
      return this.#break(`it sent ${type} when it was ${this.#phase}`);
    }
    if (!this.#allows(type, maxInTenSeconds)) {
      // Messages of plugins beyond the bound are dropped.
      if (type !== "tell") this.#break(`it sent too many of ${type}`);
      return;
    }
    switch (message.type) {
      case "hello":
        this.#phase = this.#loads ? "loading" : "serving";
        this.#hello.resolve();
        if (!this.#loads) this.#ready.resolve();
        break;
      case "declare":
        this.#listener.onDeclare(message, this);
        this.#declared.resolve();
        break;
      case "ready":
        this.#phase = "serving";
        this.#ready.resolve();
        break;
      case "update":
        return this.#takeUpdate(message);
      case "result":
        return this.#takeResult(message);
      case "answer":
        return this.#takeAnswer(message);
      case "request":
        if (!this.#requests.add(message.requestId, new AbortController())) {
          return this.#break("it used a number of a request again");
        }
        if (this.#requests.size > MAX_OPEN) {
          return this.#break("it has too many requests open");
        }
        return this.#listener.onRequest(message, this);
      case "retract":
        if (this.#isKnown(this.#requests, message.requestId)) {
          this.#requests.get(message.requestId)?.abort();
        }
        break;
      case "tell":
        return this.#listener.onTell(message);
      case "refused":
        return this.#listener.onRefused(message);
      case "heard":
        return this.#listener.onHeard(message.n);
      case "pong":
    }
  }

  #takeUpdate({ callId, result }: KernelMessageOf<"update">): void {
    if (!this.#isKnown(this.#calls, callId)) return;
    const open = this.#calls.get(callId);
    if (open?.rate.allows(1)) open.onUpdate?.(trusted(result, open.call));
  }

  #takeResult(message: KernelMessageOf<"result">): void {
    const { callId } = message;
    if (!this.#isKnown(this.#calls, callId)) return;
    const open = this.#calls.take(callId);
    if (!open) return;
    const { call, settled } = open;
    if ("result" in message) {
      return settled.resolve(trusted(message.result, call));
    }
    const { kind, message: text } = message.error;
    settled.reject(
      kind === "aborted"
        ? new AbortedInKernel(text)
        : kind === "fatal" && call.from === "declared"
        ? new NonRecoverableToolError(text)
        : new ToolError(text),
    );
  }

  #takeAnswer(message: KernelMessageOf<"answer">): void {
    const { askId, kind } = message;
    if (!this.#isKnown(this.#asks, askId)) return;
    const open = this.#asks.get(askId);
    if (!open) return;
    if (kind !== "failed" && kind !== open.kind) {
      return this.#break(`it answered ${open.kind} with ${kind}`);
    }
    this.#asks.take(askId);
    if (kind === "failed") open.settled.reject(new Error(message.error));
    else open.settled.resolve(message.value);
  }

  /** False for what is over; an id that was never given breaks the protocol. */
  #isKnown(ids: OpenIds<unknown>, id: number): boolean {
    if (ids.get(id) !== undefined) return true;
    if (!ids.isPast(id)) this.#break(`it named ${id}, which nobody opened`);
    else if (++this.#late > MAX_LATE) this.#break("it is late too often");
    return false;
  }

  #allows(type: string, limit: number | undefined): boolean {
    if (limit === undefined) return true;
    let rate = this.#rates.get(type);
    if (!rate) {
      rate = new RateLimit(limit, TEN_SECONDS_MS);
      this.#rates.set(type, rate);
    }
    return rate.allows(1);
  }

  #break(why: string): void {
    this.#link.breakOff(why);
  }
}

class AbortedInKernel extends ToolError {}

/** Drops the parts of a result that a kernel may not decide: added tools are seen here, and only tools of plugins end a run. */
function trusted(
  { addedToolNames: _, terminate, ...result }: AgentToolResult,
  { from }: WantedCall,
): AgentToolResult {
  return terminate && from === "declared" ? { ...result, terminate } : result;
}
