/**
 * A queue that one side pushes to and another iterates, with a final result.
 *
 * Events pushed before anybody iterates are kept. One iterator only. `push`
 * after `end` is ignored.
 */
export class EventStream<Event, Result> implements AsyncIterable<Event> {
  #queue: Event[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #result = Promise.withResolvers<Result>();

  /** Adds an event. */
  push(event: Event): void {
    if (this.#ended) return;
    this.#queue.push(event);
    this.#wake?.();
  }

  /** Ends the stream; what was pushed before is still delivered. */
  end(result: Result): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#result.resolve(result);
    this.#wake?.();
  }

  /** Resolves when the stream ended; never rejects. */
  result(): Promise<Result> {
    return this.#result.promise;
  }

  /** The events in their order, those before the iteration included, until `end`. */
  async *[Symbol.asyncIterator](): AsyncIterator<Event> {
    while (true) {
      while (this.#head < this.#queue.length) {
        yield this.#queue[this.#head++] as Event;
      }
      this.#queue = [];
      this.#head = 0;
      if (this.#ended) return;
      await new Promise<void>((resolve) => this.#wake = resolve);
      this.#wake = undefined;
    }
  }
}
