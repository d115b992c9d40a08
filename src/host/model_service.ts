import type { AgentMessage } from "../agent/agent_message.ts";
import { emptyUsage, type Message, type Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantDelta, Context, DeltaSource } from "../model/stream.ts";
import type { Tool } from "../model/tool.ts";
import type { MessageRef, ModelRequest } from "../protocol/kernel_schemas.ts";
import { within } from "./within.ts";

import { DeltaPump } from "./delta_pump.ts";
import type { ProviderHooks } from "./provider_hooks.ts";

/** Requests of one run that may be under way at once. */
const MAX_CONCURRENT = 8;
/** Time for a cancelled request to close its connection. */
const CLOSE_MS = 1000;

/** Model that answers, and how it is reached. */
export interface AnsweringModel {
  source: Promise<DeltaSource>;
  model: Model;
  apiKey?: string | undefined;
}

/** Options of reaching a session's model. */
export interface ModelServiceOptions extends AnsweringModel {
  /** Shows requests to plugins that want to look at them. */
  hooks?: ProviderHooks | undefined;
  /** Passes a batch on to the kernel; the provider is read on when it resolves. */
  send(requestId: number, deltas: AssistantDelta[]): Promise<void>;
}

/**
 * Answers the kernel's model requests. The model, its address and its key are
 * the host's: a request brings messages and little else.
 */
export class ModelService {
  readonly #options: ModelServiceOptions;
  #answers: AnsweringModel;
  readonly #stored: Message[] = [];
  readonly #running = new Map<
    number,
    { abort: AbortController; ended: Promise<void> }
  >();
  #isClosed = false;
  #declarations: { systemPrompt?: string; tools?: Tool[] } = {};
  /** Counter of the cost of answers. */
  usage: Usage = emptyUsage();

  constructor(options: ModelServiceOptions) {
    this.#options = options;
    this.#answers = options;
  }

  /** Has another model answer from the next request on. */
  use(answers: AnsweringModel): void {
    this.#answers = answers;
  }

  /** Keeps a message, so that requests can name it by its number; false when that is not the next number. */
  store(number: number, message: AgentMessage): boolean {
    if (number !== this.#stored.length) return false;
    this.#stored.push(message as Message);
    return true;
  }

  /** Answers in the background; whatever goes wrong is told as an error delta. */
  answer(request: ModelRequest): void {
    const { requestId } = request;
    if (this.#isClosed) return;
    if (this.#running.has(requestId)) {
      return this.#refuse(requestId, `request ${requestId} is being answered`);
    }
    if (this.#running.size >= MAX_CONCURRENT) {
      return this.#refuse(
        requestId,
        `more than ${MAX_CONCURRENT} model requests at once`,
      );
    }
    const abort = new AbortController();
    const ended = this.#answer(request, abort.signal)
      .catch((error) => this.#refuse(requestId, messageOf(error)))
      .finally(() => this.#running.delete(requestId));
    this.#running.set(requestId, { abort, ended });
  }

  cancel(requestId: number): void {
    this.#running.get(requestId)?.abort.abort();
  }

  /** Cancels everything and resolves when nothing is under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort.abort();
    await within(CLOSE_MS, Promise.all(running.map(({ ended }) => ended)));
  }

  async #answer(request: ModelRequest, signal: AbortSignal): Promise<void> {
    const { send } = this.#options;
    const { source, model, apiKey } = this.#answers;
    const context = this.#toContext(request);
    const deltas = (await source)(model, context, {
      ...request.options,
      signal,
      ...(request.hooks && this.#options.hooks
        ? { hooks: this.#options.hooks.for(request.hooks, signal) }
        : {}),
      ...(apiKey ? { apiKey } : {}),
    });
    const pump = new DeltaPump((batch) => send(request.requestId, batch));
    let isComplete = false;
    for await (const batch of deltas) {
      for (const delta of batch) {
        isComplete ||= delta.type === "done" || delta.type === "error";
        this.#count(delta);
      }
      const backlog = pump.push(batch);
      if (backlog) await backlog;
    }
    await pump.drained();
    if (!isComplete) throw new Error("the provider's answer has no end");
  }

  #refuse(requestId: number, errorMessage: string): void {
    this.#options.send(requestId, [
      { type: "error", reason: "error", errorMessage },
    ]).catch(() => {});
  }

  #toContext({ messages, declarations }: ModelRequest): Context {
    if (declarations) this.#declarations = declarations;
    return {
      ...this.#declarations,
      messages: messages.map((ref) => this.#resolve(ref)),
    };
  }

  #resolve(ref: MessageRef): Message {
    if (typeof ref !== "number") return ref;
    const message = this.#stored[ref];
    if (!message) {
      throw new Error(`the kernel named message ${ref}, which is not stored`);
    }
    return message;
  }

  #count(delta: AssistantDelta): void {
    if (delta.type !== "done" && delta.type !== "error") return;
    const { usage: total } = this;
    const added = delta.usage;
    if (!added) return;
    total.input += added.input;
    total.output += added.output;
    total.cacheRead += added.cacheRead;
    total.cacheWrite += added.cacheWrite;
    total.totalTokens += added.totalTokens;
    if (added.reasoning !== undefined) {
      total.reasoning = (total.reasoning ?? 0) + added.reasoning;
    }
    for (const key of Object.keys(total.cost) as (keyof Usage["cost"])[]) {
      total.cost[key] += added.cost[key];
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
