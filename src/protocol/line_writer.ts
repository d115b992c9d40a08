import { encodeLine } from "./line_codec.ts";

/**
 * Writes messages as lines, in order. What is sent while a write is under way
 * goes out together with the next one.
 */
export class LineWriter {
  readonly #token: string;
  readonly #write: (bytes: Uint8Array) => Promise<void>;
  readonly #encoder = new TextEncoder();
  #waiting: string[] = [];
  #waitingLength = 0;
  #flushing: Promise<void> | undefined;

  /** `write` takes all bytes or rejects. */
  constructor(token: string, write: (bytes: Uint8Array) => Promise<void>) {
    this.#token = token;
    this.#write = write;
  }

  /** Characters that are not written yet. */
  get waiting(): number {
    return this.#waitingLength;
  }

  /** Resolves when the message is written; rejects when the pipe is closed. */
  send(message: unknown): Promise<void> {
    return this.#send(encodeLine(this.#token, message));
  }

  /** The same for a message that is JSON already, without a line break. */
  sendJson(json: string): Promise<void> {
    return this.#send(`${this.#token} ${json}\n`);
  }

  #send(line: string): Promise<void> {
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    this.#flushing ??= this.#flush();
    // Whoever does not wait for it learns of a closed pipe when reading ends.
    this.#flushing.catch(() => {});
    return this.#flushing;
  }

  async #flush(): Promise<void> {
    // One task later, so that what is sent in the same task shares a write.
    await undefined;
    try {
      while (this.#waiting.length > 0) {
        const text = this.#waiting.join("");
        this.#waiting = [];
        await this.#write(this.#encoder.encode(text));
        this.#waitingLength -= text.length;
      }
    } finally {
      // In the same task as the last look at what waits: what is sent later
      // begins a new flush.
      this.#flushing = undefined;
    }
  }
}
