const NEWLINE = 10;

/** Which lines of a stream are kept. */
export interface LineWindowOptions {
  /** Counted from 1. */
  firstLine: number;
  maxLines: number;
  maxBytes: number;
}

/**
 * Keeps a window of lines out of a stream of bytes and counts the rest. Bytes,
 * since decoding what is only counted would cost more than reading it.
 */
export class LineWindow {
  readonly #options: LineWindowOptions;
  readonly #parts: Uint8Array[] = [];
  #keptBytes = 0;
  #line = 1;
  #lineBytes = 0;
  #firstLineBytes = 0;

  constructor(options: LineWindowOptions) {
    this.#options = options;
  }

  /** Takes the next bytes of the stream. */
  push(chunk: Uint8Array): void {
    const { firstLine, maxLines } = this.#options;
    let start = 0;
    while (start < chunk.byteLength) {
      const newline = chunk.indexOf(NEWLINE, start);
      const end = newline === -1 ? chunk.byteLength : newline + 1;
      if (this.#line >= firstLine && this.#line < firstLine + maxLines) {
        this.#keep(chunk.subarray(start, end));
      }
      if (this.#line === firstLine) {
        this.#firstLineBytes += end - start - (newline === -1 ? 0 : 1);
      }
      this.#lineBytes += end - start;
      if (newline !== -1) {
        this.#line++;
        this.#lineBytes = 0;
      }
      start = end;
    }
  }

  /** Lines so far; a final newline does not begin another. */
  get lines(): number {
    return this.#lineBytes > 0 ? this.#line : this.#line - 1;
  }

  /** Size of the first line of the window, without its newline. */
  get firstLineBytes(): number {
    return this.#firstLineBytes;
  }

  /** True when more bytes belong to the window than `maxBytes`. */
  get overflowed(): boolean {
    const last = this.#parts.at(-1)?.at(-1);
    return this.#keptBytes - (last === NEWLINE ? 1 : 0) >
      this.#options.maxBytes;
  }

  /** True when what comes can no longer change the kept bytes. */
  get full(): boolean {
    const { firstLine, maxLines } = this.#options;
    return this.overflowed || this.#line >= firstLine + maxLines;
  }

  /** The kept bytes; whole lines only where they overflowed, none if not even one fits. */
  bytes(): Uint8Array {
    const bytes = new Uint8Array(this.#keptBytes);
    let offset = 0;
    for (const part of this.#parts) {
      bytes.set(part, offset);
      offset += part.byteLength;
    }
    if (!this.overflowed) return bytes;
    // The limit may fall right behind a whole line.
    const end = bytes.lastIndexOf(NEWLINE, this.#options.maxBytes);
    return bytes.subarray(0, end + 1);
  }

  #keep(part: Uint8Array): void {
    // Two bytes more than the limit: a newline that does not count, and one that tells that there is more.
    const room = this.#options.maxBytes + 2 - this.#keptBytes;
    if (room <= 0) return;
    // The buffer of the caller is filled anew for the next chunk.
    const kept = part.slice(0, room);
    this.#parts.push(kept);
    this.#keptBytes += kept.byteLength;
  }
}
