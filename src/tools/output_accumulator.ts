import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  truncateTail,
  type TruncationResult,
} from "../sdk/truncate.ts";
import { readableOutput } from "./readable_output.ts";

/** Bytes kept in memory: the first half and the last half of a longer output. */
const KEPT_BYTES = 1024 * 1024;
const HALF = KEPT_BYTES / 2;

/** Bytes that a snapshot looks at; more than it shows, since parts may be left out. */
const SNAPSHOT_BYTES = 4 * DEFAULT_MAX_BYTES;

const NEWLINE = 10;

/** The end of an output as the model gets it. */
export interface OutputSnapshot {
  /** Its totals are those of the whole output. */
  truncation: TruncationResult;
  /** Binary parts are only summarised, so that shown lines cannot be counted. */
  binary: boolean;
}

/**
 * Takes what a command prints, however much, in 1 MiB of memory. Bytes are
 * decoded only to be looked at, so that no character is ever split.
 */
export class OutputAccumulator {
  totalBytes = 0;
  #newlines = 0;
  #lineStart = 0;
  #previousLineStart = 0;
  /** Byte i stands at i; past the first half, in the second half as a ring. */
  #kept = new Uint8Array(new ArrayBuffer(0, { maxByteLength: KEPT_BYTES }));

  /** A final newline does not begin another line. */
  get totalLines(): number {
    return this.#newlines + (this.#lineStart < this.totalBytes ? 1 : 0);
  }

  /** Bytes of the last line. */
  get lastLineBytes(): number {
    return this.#lineStart < this.totalBytes
      ? this.totalBytes - this.#lineStart
      : Math.max(0, this.#lineStart - 1 - this.#previousLineStart);
  }

  /** The output is longer than what the model gets to see. */
  get exceedsLimits(): boolean {
    return this.totalBytes > DEFAULT_MAX_BYTES ||
      this.totalLines > DEFAULT_MAX_LINES;
  }

  append(chunk: Uint8Array): void {
    for (let i = 0; i < chunk.length; i++) {
      if (chunk[i] !== NEWLINE) continue;
      this.#newlines++;
      this.#previousLineStart = this.#lineStart;
      this.#lineStart = this.totalBytes + i + 1;
    }
    this.#reserve(Math.min(this.totalBytes + chunk.length, KEPT_BYTES));
    for (let at = 0; at < chunk.length;) {
      const slot = slotOf(this.totalBytes);
      const room = (slot < HALF ? HALF : KEPT_BYTES) - slot;
      const part = chunk.subarray(at, at + room);
      this.#kept.set(part, slot);
      at += part.length;
      this.totalBytes += part.length;
    }
  }

  /** The first bytes, at most half a MiB of them. */
  head(count: number): Uint8Array<ArrayBuffer> {
    return this.#bytes(0, Math.min(count, HALF));
  }

  /** The end of the output within the limits. With `partial` a character that is not complete yet is left off. */
  snapshot({ partial = false } = {}): OutputSnapshot {
    const start = Math.max(0, this.totalBytes - SNAPSHOT_BYTES);
    const bytes = this.#bytes(start, this.totalBytes);
    const decoded = decode(bytes, { stream: partial });
    // The first line is only a part of one, unless it is all there is.
    const whole = start > 0
      ? decoded.slice(decoded.indexOf("\n") + 1)
      : decoded;
    const { text, binary } = readableOutput(whole || decoded);
    const cut = truncateTail(text);
    return {
      truncation: {
        ...cut,
        truncated: cut.truncated || start > 0,
        truncatedBy: cut.truncatedBy ?? (start > 0 ? "bytes" : null),
        totalBytes: this.totalBytes,
        totalLines: this.totalLines,
        lastLinePartial: cut.lastLinePartial || this.#lineStart < start,
      },
      binary,
    };
  }

  /** The whole output, of more than 1 MiB the two ends. */
  text(): string {
    if (this.totalBytes <= KEPT_BYTES) {
      return readableOutput(decode(this.#bytes(0, this.totalBytes))).text;
    }
    const head = decode(this.#bytes(0, HALF), { stream: true });
    const tail = decode(this.#bytes(this.totalBytes - HALF, this.totalBytes));
    const omitted = this.totalBytes - KEPT_BYTES;
    return readableOutput(head).text +
      `\n\n[... ${omitted} bytes omitted ...]\n\n` + readableOutput(tail).text;
  }

  #reserve(bytes: number): void {
    const { buffer } = this.#kept;
    if (bytes <= buffer.byteLength) return;
    buffer.resize(Math.min(KEPT_BYTES, Math.max(bytes, 2 * buffer.byteLength)));
  }

  /** A copy; the range must still be kept. */
  #bytes(start: number, end: number): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(end - start);
    for (let at = start; at < end;) {
      const slot = slotOf(at);
      const room = (slot < HALF ? HALF : KEPT_BYTES) - slot;
      const part = this.#kept.subarray(slot, slot + Math.min(room, end - at));
      copy.set(part, at - start);
      at += part.length;
    }
    return copy;
  }
}

function slotOf(at: number): number {
  return at < HALF ? at : HALF + (at - HALF) % HALF;
}

/** Decodes from the first byte on that begins a character. */
function decode(bytes: Uint8Array, options: { stream?: boolean } = {}): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start), options);
}
