/** Time for which output is awaited once the program has ended. */
const DRAIN_MS = 100;

/** Bytes that may be read after that, when this process was too busy to read before. */
const LATE_BYTES = 1024 * 1024;

/** Time without output after which nothing counts as left. */
const IDLE_MS = 5;

/** Discarded output is read at this pace, so that an endless printer costs no processor. */
const DISCARD_PAUSE_MS = 10;

/**
 * The output of a child process whose pipes may outlive it, in background
 * processes that inherited them. Those go on printing, to nobody.
 */
export class ChildOutput {
  /** Resolves when nobody holds the pipes any more, or after {@linkcode cancel}, once the consumer is done. */
  readonly ended: Promise<void>;
  /** Rejects when the consumer failed. */
  readonly failure: Promise<never>;
  #readers: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>[];
  #consume:
    | ((chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>)
    | undefined;
  #received = 0;
  /** Chunks that the consumer has not finished with. */
  #consuming = 0;
  #closed = false;
  #cancelled = Promise.withResolvers<void>();

  constructor(
    streams: ReadableStream<Uint8Array<ArrayBuffer>>[],
    consume: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
  ) {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.failure = promise;
    this.#consume = consume;
    this.#readers = streams.map((stream) => stream.getReader());
    this.ended = Promise.all(
      this.#readers.map((reader) => this.#read(reader, reject)),
    ).then(() => {
      this.#closed = true;
    });
  }

  /**
   * Waits for what the pipes hold after the program has ended: until they
   * close, else 0.1 s and as long as the consumer is busy with it.
   */
  async drain(): Promise<void> {
    await within(DRAIN_MS, this.ended);
    const limit = this.#received + LATE_BYTES;
    let seen = -1;
    while (!this.#closed && this.#consume && this.#received < limit) {
      if (seen === this.#received && this.#consuming === 0) break;
      seen = this.#received;
      await within(IDLE_MS, this.ended);
    }
  }

  /** Throws away what comes from now on. */
  discard(): void {
    this.#consume = undefined;
  }

  /** Lets go of the pipes; a consumer that hangs is not waited for. */
  async cancel(): Promise<void> {
    this.discard();
    this.#cancelled.resolve();
    await Promise.all(this.#readers.map((reader) => reader.cancel()));
    await within(DRAIN_MS, this.ended);
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
    fail: (error: unknown) => void,
  ): Promise<void> {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#received += value.byteLength;
      if (this.#consume === undefined) {
        await within(DISCARD_PAUSE_MS, this.#cancelled.promise);
        continue;
      }
      this.#consuming++;
      try {
        await this.#consume(value);
      } catch (error) {
        this.#consume = undefined;
        fail(error);
      }
      this.#consuming--;
    }
  }
}

/** Resolves when the promise settles, at the latest after `ms`; a rejection before that is passed on. */
export async function within(
  ms: number,
  promise: Promise<unknown>,
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  try {
    await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
