import type { OutputFile } from "../operations/bash_operations.ts";
import {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateTail,
  type TruncationResult,
} from "../sdk/truncate.ts";
import type { AgentToolUpdate } from "../agent/agent_tool.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { readableOutput } from "./readable_output.ts";

/** The least time between two updates. */
const UPDATE_MS = 100;

/** A full output is kept up to here, so that a runaway command cannot fill the disk. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

/** Bytes kept in memory: the first half and the last half of a longer output. */
const KEPT_BYTES = 1024 * 1024;
const HALF = KEPT_BYTES / 2;

/** Bytes that a snapshot looks at; more than it shows, since parts may be left out. */
const SNAPSHOT_BYTES = 4 * DEFAULT_MAX_BYTES;

const NEWLINE = 10;

/** Details of a shell call, for renderers and hosts. */
export type CommandDetails = {
  /** Present when the model does not see the whole output. */
  truncation?: Omit<TruncationResult, "content">;
  /** The file that holds all of it. */
  fullOutputPath?: string;
};

/** The output of a command that has ended. */
export interface FinishedOutput {
  /** Text for the model: the end of the output and how to get the rest; empty when there was none. */
  text: string;
  details: CommandDetails | undefined;
  /** All of the output up to 1 MiB, of more the two ends. */
  fullText: string;
}

/** The end of an output as the model gets it. */
interface Snapshot {
  /** Its totals are those of the whole output. */
  truncation: TruncationResult;
  /** Binary parts are only summarised, so that shown lines cannot be counted. */
  binary: boolean;
}

/**
 * The output of one command while it runs: its end in memory, all of it in a
 * file when it is long, and what is reported of it, at most ten times a second.
 */
export class CommandOutput {
  readonly #kept = new KeptOutput();
  readonly #onUpdate: AgentToolUpdate<CommandDetails | undefined> | undefined;
  readonly #createFile: () => Promise<OutputFile>;
  #writes = Promise.resolve();
  #file: OutputFile | undefined;
  #fileBytes = 0;
  #fileFailed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastUpdateMs = performance.now();

  /** An output that is longer than the model gets to see is kept in a file of `createFile`. */
  constructor(
    onUpdate: AgentToolUpdate<CommandDetails | undefined> | undefined,
    createFile: () => Promise<OutputFile>,
  ) {
    this.#onUpdate = onUpdate;
    this.#createFile = createFile;
    onUpdate?.({ content: [], details: undefined });
  }

  /** Takes a chunk; resolves when it is written, where that is needed. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    const { exceedsLimits: wasLong, totalBytes: before } = this.#kept;
    this.#kept.append(chunk);
    this.#scheduleUpdate();
    if (!this.#kept.exceedsLimits) return;
    if (!wasLong) this.#write(this.#kept.head(before));
    return this.#write(chunk);
  }

  /** Ends updates with a last one and closes the file. Must be called, once. */
  async finish(): Promise<FinishedOutput> {
    clearTimeout(this.#timer);
    await this.#writes;
    const snapshot = this.#kept.snapshot();
    const { content, truncated, totalBytes } = snapshot.truncation;
    // Signs that stand for binary data can make a short output too long.
    if (truncated && this.#fileBytes === 0) {
      await this.#write(this.#kept.head(totalBytes));
    }
    await this.#writes;
    this.#file?.close();
    if (totalBytes > 0) this.#update(snapshot);
    return {
      text: truncated ? `${content}\n\n${this.#notice(snapshot)}` : content,
      details: this.#details(snapshot),
      fullText: this.#kept.text(),
    };
  }

  #details({ truncation }: Snapshot): CommandDetails | undefined {
    if (!truncation.truncated) return undefined;
    const { content: _content, ...rest } = truncation;
    return withoutUndefined({
      truncation: rest,
      fullOutputPath: this.#file?.path,
    });
  }

  #notice({ truncation, binary }: Snapshot): string {
    const { totalBytes, totalLines, outputLines, outputBytes } = truncation;
    const first = totalLines - outputLines + 1;
    let shown = `lines ${first}-${totalLines} of ${totalLines}`;
    if (binary) {
      shown = `the end of ${formatSize(totalBytes)}, without its binary parts`;
    } else if (truncation.lastLinePartial) {
      const line = formatSize(this.#kept.lastLineBytes);
      const part = formatSize(outputBytes);
      shown = `last ${part} of line ${totalLines} (line is ${line})`;
    } else if (truncation.truncatedBy === "bytes") {
      shown += ` (${formatSize(truncation.maxBytes)} limit)`;
    }
    return `[Showing ${shown}. ${this.#whereTheRestIs(totalBytes)}]`;
  }

  #whereTheRestIs(totalBytes: number): string {
    const total = formatSize(totalBytes);
    if (this.#file === undefined) return `The rest of ${total} was not kept`;
    const { path } = this.#file;
    return this.#fileBytes < totalBytes
      ? `The first ${formatSize(this.#fileBytes)} of ${total}: ${path}`
      : `Full output: ${path}`;
  }

  /** Writes bytes after those that were written before. */
  #write(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#fileFailed) return;
    return this.#writes = this.#writes.then(async () => {
      this.#fileFailed ||= this.#fileBytes + bytes.length > MAX_FILE_BYTES;
      if (this.#fileFailed) return;
      try {
        this.#file ??= await this.#createFile();
        await this.#file.write(bytes);
        this.#fileBytes += bytes.length;
      } catch {
        // A full disk must not fail the command; the notice tells what is there.
        this.#fileFailed = true;
      }
    });
  }

  #scheduleUpdate(): void {
    if (this.#timer !== undefined || !this.#onUpdate) return;
    const waitMs = this.#lastUpdateMs + UPDATE_MS - performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#update(this.#kept.snapshot({ partial: true }));
    }, Math.max(0, waitMs));
  }

  #update(snapshot: Snapshot): void {
    this.#lastUpdateMs = performance.now();
    this.#onUpdate?.({
      content: [{ type: "text", text: snapshot.truncation.content }],
      details: this.#details(snapshot),
    });
  }
}

/**
 * Takes what a command prints, however much, in 1 MiB of memory. Bytes are
 * decoded only to be looked at, so that no character is ever split.
 */
class KeptOutput {
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
    const end = this.totalBytes + chunk.length;
    for (const { slot, at, length } of pieces(this.totalBytes, end)) {
      this.#kept.set(chunk.subarray(at, at + length), slot);
    }
    this.totalBytes = end;
  }

  /** The first bytes, at most half a MiB of them. */
  head(count: number): Uint8Array<ArrayBuffer> {
    return this.#bytes(0, Math.min(count, HALF));
  }

  /** The end of the output within the limits. With `partial` a character that is not complete yet is left off. */
  snapshot({ partial = false } = {}): Snapshot {
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
    for (const { slot, at, length } of pieces(start, end)) {
      copy.set(this.#kept.subarray(slot, slot + length), at);
    }
    return copy;
  }
}

/** Pieces of a range of the output: where each is kept, and where it stands in the range. */
function* pieces(
  start: number,
  end: number,
): Generator<{ slot: number; at: number; length: number }> {
  for (let place = start; place < end;) {
    const slot = place < HALF ? place : HALF + (place - HALF) % HALF;
    const room = (slot < HALF ? HALF : KEPT_BYTES) - slot;
    const length = Math.min(room, end - place);
    yield { slot, at: place - start, length };
    place += length;
  }
}

/** Decodes from the first byte on that begins a character. */
function decode(bytes: Uint8Array, options: { stream?: boolean } = {}): string {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return new TextDecoder().decode(bytes.subarray(start), options);
}
