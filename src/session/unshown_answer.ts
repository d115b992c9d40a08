import type { AssistantMessage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  Context,
  StreamOptions,
} from "../model/stream.ts";

/** One request to a model. */
export interface ModelAsk {
  model: Model;
  context: Context;
  options: StreamOptions;
}

/** Asks a model and resolves when its answer begins, or failed before. Rejects only when a listener throws. */
export type Ask = (request: ModelAsk) => Promise<UnshownAnswer>;

const SHOWS_NOTHING: ReadonlySet<AssistantMessageEvent["type"]> = new Set([
  "start",
  "text_start",
  "thinking_start",
]);

/**
 * The answer to one request, of which nothing has been passed on: up to here
 * it can be dropped, and the model asked again, without anybody having seen
 * half an answer.
 */
export class UnshownAnswer {
  readonly #held: AssistantMessageEvent[] = [];
  /** The rest of the answer; undefined when there is none. */
  #rest: AsyncIterator<AssistantMessageEvent> | undefined;
  #onEnd: (message: AssistantMessage) => void = () => {};
  readonly #result: () => Promise<AssistantMessage>;

  private constructor(result: () => Promise<AssistantMessage>) {
    this.#result = result;
  }

  /** Reads a stream until it shows something or has ended. `onEnd` hears its final message before anybody else does. */
  static async of(
    stream: AssistantMessageEventStream,
    onEnd: (message: AssistantMessage) => void = () => {},
  ): Promise<UnshownAnswer> {
    const answer = new UnshownAnswer(() => stream.result());
    answer.#rest = stream[Symbol.asyncIterator]();
    answer.#onEnd = onEnd;
    let next: AssistantMessageEvent | undefined;
    while ((next = await answer.#read())) {
      answer.#held.push(next);
      if (!SHOWS_NOTHING.has(next.type)) break;
    }
    return answer;
  }

  /** An answer that consists of a failure. */
  static failed(error: AssistantMessage): UnshownAnswer {
    const reason = error.stopReason === "aborted" ? "aborted" : "error";
    const answer = new UnshownAnswer(() => Promise.resolve(error));
    answer.#held.push({ type: "error", reason, error });
    return answer;
  }

  /** The failure, when there was one before anything could be shown. */
  get failure(): AssistantMessage | undefined {
    const last = this.#held.at(-1);
    return last?.type === "error" ? last.error : undefined;
  }

  /** Hands on every event, once; resolves to the final message. */
  async passOn(
    push: (event: AssistantMessageEvent) => void = () => {},
  ): Promise<AssistantMessage> {
    for (const event of this.#held) push(event);
    let next: AssistantMessageEvent | undefined;
    while ((next = await this.#read())) push(next);
    return await this.#result();
  }

  async #read(): Promise<AssistantMessageEvent | undefined> {
    const next = await this.#rest?.next();
    if (!next || next.done) return undefined;
    const event: AssistantMessageEvent = next.value;
    if (event.type === "done") this.#onEnd(event.message);
    else if (event.type === "error") this.#onEnd(event.error);
    return event;
  }
}
