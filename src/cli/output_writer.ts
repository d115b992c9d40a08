/** A sink of bytes, such as `Deno.stdout`. A write takes part of them, or rejects. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<number>;
}

/** The reason for which a sink takes no more. */
export type OutputFailure =
  /** Nobody reads it. */
  | { kind: "closed" }
  /** Such as a full disk. */
  | { kind: "failed"; message: string };

/** Settings of a writer. */
export interface OutputWriterOptions {
  /** Bytes that may wait for a slow reader; text past it is dropped, and a line says so. Default: no limit. */
  maxWaitingBytes?: number;
  /** Time that a reader has once the program should end. Default 2 s. */
  graceMs?: number;
}

/** Unwritten bytes above which `backlog()` asks the caller to wait. */
const BACKLOG_BYTES = 64 * 1024;

/** Pause before the next try on a sink that shares a non-blocking pipe. */
const BUSY_MS = 10;

/**
 * Writes texts whole and in order, and survives the loss of its reader: after
 * the first failure all that is written is dropped.
 */
export class OutputWriter {
  readonly #sink: ByteSink;
  readonly #maxWaitingBytes: number;
  readonly #graceMs: number;
  readonly #encoder = new TextEncoder();
  readonly #failed = Promise.withResolvers<OutputFailure>();
  #failure: OutputFailure | undefined;
  #written: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  #dropped = 0;
  /** A flush gave up: nobody waits for this reader again. */
  #abandoned = false;

  constructor(sink: ByteSink, options: OutputWriterOptions = {}) {
    this.#sink = sink;
    this.#maxWaitingBytes = options.maxWaitingBytes ?? Infinity;
    this.#graceMs = options.graceMs ?? 2000;
  }

  /** The reason for which nothing is written any more; undefined while all is well. */
  get failure(): OutputFailure | undefined {
    return this.#failure;
  }

  /** Resolves when the sink takes no more; pending for ever otherwise. */
  get failed(): Promise<OutputFailure> {
    return this.#failed.promise;
  }

  /** Hands text over. Never throws. */
  write(text: string): void {
    if (this.#failure || this.#abandoned) return;
    const bytes = this.#encoder.encode(text);
    if (this.#waitingBytes + bytes.length > this.#maxWaitingBytes) {
      this.#dropped++;
      return;
    }
    this.#waitingBytes += bytes.length;
    this.#written = this.#written.then(() => this.#deliver(bytes));
  }

  /** Something to wait for before the next write, when the reader is behind; undefined when it is not. */
  backlog(): Promise<void> | undefined {
    return this.#waitingBytes > BACKLOG_BYTES ? this.#written : undefined;
  }

  /**
   * Waits until all is written. Once `hurry` aborts, the reader has
   * `graceMs` left; what it has not taken by then is given up, and all that is
   * written later. False when something was not written.
   */
  async flush(hurry?: AbortSignal): Promise<boolean> {
    if (this.#abandoned) return false;
    if (this.#waitingBytes === 0 && this.#dropped === 0) return !this.#failure;
    const late = Promise.withResolvers<"late">();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const startTimer = () => {
      timer = setTimeout(() => late.resolve("late"), this.#graceMs);
    };
    if (hurry?.aborted) startTimer();
    else hurry?.addEventListener("abort", startTimer);
    const ended = await Promise.race([this.#written, late.promise]);
    hurry?.removeEventListener("abort", startTimer);
    // Not without need: the first use of a timer costs 6 ms at start.
    if (timer !== undefined) clearTimeout(timer);
    if (ended === "late") this.#abandoned = true;
    return !this.#abandoned && !this.#failure;
  }

  async #deliver(bytes: Uint8Array): Promise<void> {
    try {
      await this.#writeAll(bytes);
      this.#waitingBytes -= bytes.length;
      if (this.#dropped > 0) {
        const notice =
          `tau: ${this.#dropped} messages were dropped: this stream was not read\n`;
        this.#dropped = 0;
        await this.#writeAll(this.#encoder.encode(notice));
      }
    } catch (error) {
      this.#waitingBytes -= bytes.length;
      this.#fail(error);
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    while (rest.length > 0 && !this.#failure) {
      try {
        rest = rest.subarray(await this.#sink.write(rest));
      } catch (error) {
        // Another process may have made the pipe that we share non-blocking.
        if (!(error instanceof Deno.errors.WouldBlock)) throw error;
        await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
      }
    }
  }

  #fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#failure = error instanceof Deno.errors.BrokenPipe
      ? { kind: "closed" }
      : { kind: "failed", message };
    this.#failed.resolve(this.#failure);
  }
}
