import { assembleMessage } from "../model/assemble_message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantDelta, AssistantMessageEvent } from "../model/stream.ts";
import type { HostMessage } from "../protocol/kernel_messages.ts";
import type { PluginEvents } from "../sdk/plugin_events.ts";

/** Parts of a {@linkcode GrowingMessage}. */
export interface GrowingMessageParts {
  /** Tells handlers; awaited. */
  tell(event: PluginEvents["message_update"]): Promise<void>;
  /** Handlers have heard all up to this batch. */
  heard(n: number): void;
  /** The model that answers. */
  model(): Model;
}

/** Puts the answer of a model together from its steps, for handlers of its updates. */
export class GrowingMessage {
  readonly #parts: GrowingMessageParts;
  #queue: StepQueue | undefined;

  constructor(parts: GrowingMessageParts) {
    this.#parts = parts;
  }

  take({ n, steps }: HostMessage & { type: "steps" }): void {
    if (steps[0]?.type === "start" || !this.#queue) {
      this.#queue?.end();
      this.#queue = new StepQueue();
      this.#follow(this.#queue);
    }
    this.#queue.push(n, steps);
  }

  async #follow(queue: StepQueue): Promise<void> {
    for await (const event of assembleMessage(this.#parts.model(), queue)) {
      if (event.type === "done" || event.type === "error") break;
      if (event.type !== "start") await this.#tell(event);
      // One event for each step.
      const n = queue.noteHeard();
      if (n !== undefined) this.#parts.heard(n);
    }
  }

  async #tell(
    assistantMessageEvent: Exclude<
      AssistantMessageEvent,
      { type: "done" | "error" | "start" }
    >,
  ): Promise<void> {
    const { partial: message } = assistantMessageEvent;
    await this.#parts.tell({
      type: "message_update",
      message,
      assistantMessageEvent,
    });
  }
}

/** Batches of steps that wait to be read, and which were heard. */
class StepQueue implements AsyncIterable<AssistantDelta[]> {
  readonly #batches: AssistantDelta[][] = [];
  /** Steps of each batch that are not heard yet. */
  readonly #open: { n: number; left: number }[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  push(n: number, steps: AssistantDelta[]): void {
    this.#batches.push(steps);
    this.#open.push({ n, left: steps.length });
    this.#wake?.();
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** Returns the number of the batch whose last step was heard now. */
  noteHeard(): number | undefined {
    const first = this.#open[0];
    if (!first || --first.left > 0) return undefined;
    this.#open.shift();
    return first.n;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AssistantDelta[]> {
    while (true) {
      const batch = this.#batches.shift();
      if (batch) yield batch;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => this.#wake = resolve);
    }
  }
}
