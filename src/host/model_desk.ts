import { abortReason } from "../model/abort_reason.ts";
import { assembleMessage } from "../model/assemble_message.ts";
import { emptyUsage, type Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type {
  AssistantDelta,
  DeltaSource,
  RequestHooks,
  StreamFn,
  StreamOptions,
} from "../model/stream.ts";
import { DeltaPump } from "./delta_pump.ts";
import { within } from "./within.ts";

/** Time for a cancelled request to close its connection. */
const CLOSE_MS = 1000;

/** Model that answers, and how it is reached. */
export interface AnsweringModel {
  source: Promise<DeltaSource>;
  model: Model;
  apiKey?: string | undefined;
}

/** Parts of a {@linkcode ModelDesk}. */
export interface ModelDeskParts extends AnsweringModel {
  /** Resolves when a request may be made; undefined where it may at once. */
  admit(): Promise<void> | undefined;
  /** Hooks that look at a request. */
  hooks(signal: AbortSignal, model: Model): RequestHooks | undefined;
}

/** Asks the session's model: adds the key, counts what it costs, and joins small pieces of the answer. */
export class ModelDesk {
  readonly #parts: ModelDeskParts;
  readonly #answers = new Map<Model, AnsweringModel>();
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Counter of the cost of answers. */
  usage: Usage = emptyUsage();

  constructor(parts: ModelDeskParts) {
    this.#parts = parts;
    this.use(parts);
  }

  /** Has a model be asked that way. */
  use(answers: AnsweringModel): void {
    this.#answers.set(answers.model, answers);
  }

  /** Asks; whatever goes wrong is told as the end of the stream. */
  readonly stream: StreamFn = (model, context, options = {}) => {
    const { signal: given, ...others } = options;
    const signal = given
      ? AbortSignal.any([given, this.#closing.signal])
      : this.#closing.signal;
    const ended = Promise.withResolvers<void>();
    this.#running.add(ended.promise);
    const deltas = this.#ask(model, context, { ...others, signal });
    const stream = assembleMessage(model, counted(deltas, this));
    stream.result().finally(() => {
      this.#running.delete(ended.promise);
      ended.resolve();
    });
    return stream;
  };

  /** Cancels everything and resolves when nothing is under way. */
  async close(): Promise<void> {
    if (this.#running.size === 0) return;
    this.#closing.abort(abortReason());
    await within(CLOSE_MS, Promise.all(this.#running));
  }

  async *#ask(
    model: Model,
    context: Parameters<StreamFn>[1],
    options: StreamOptions & { signal: AbortSignal },
  ): AsyncGenerator<AssistantDelta[]> {
    const admitted = this.#parts.admit();
    if (admitted) await admitted;
    const answers = this.#answers.get(model);
    if (!answers) throw new Error("the session has no such model");
    const { source, apiKey } = answers;
    const hooks = this.#parts.hooks(options.signal, model);
    const deltas = (await source)(model, context, {
      ...options,
      ...(hooks ? { hooks } : {}),
      ...(apiKey ? { apiKey } : {}),
    });
    yield* joined(deltas);
  }
}

/** The same deltas, those of a few milliseconds joined: nobody reads faster. */
async function* joined(
  deltas: AsyncIterable<AssistantDelta[]>,
): AsyncGenerator<AssistantDelta[]> {
  let slot = Promise.withResolvers<AssistantDelta[] | undefined>();
  let taken = Promise.withResolvers<void>();
  const pump = new DeltaPump((batch) => {
    slot.resolve(batch);
    return taken.promise;
  });
  const reading = (async () => {
    for await (const batch of deltas) {
      const backlog = pump.push(batch);
      if (backlog) await backlog;
    }
    await pump.drained();
  })();
  reading.then(
    () => slot.resolve(undefined),
    (error) => slot.reject(error),
  );
  while (true) {
    const batch = await slot.promise;
    if (!batch) return;
    slot = Promise.withResolvers();
    const before = taken;
    taken = Promise.withResolvers();
    before.resolve();
    yield batch;
  }
}

async function* counted(
  deltas: AsyncIterable<AssistantDelta[]>,
  desk: ModelDesk,
): AsyncGenerator<AssistantDelta[]> {
  for await (const batch of deltas) {
    for (const delta of batch) {
      if ((delta.type === "done" || delta.type === "error") && delta.usage) {
        addUsage(desk.usage, delta.usage);
      }
    }
    yield batch;
  }
}

function addUsage(total: Usage, added: Usage): void {
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
