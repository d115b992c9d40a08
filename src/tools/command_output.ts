import type { OutputFile } from "../operations/bash_operations.ts";
import { formatSize, type TruncationResult } from "../sdk/truncate.ts";
import type { AgentToolUpdate } from "../agent/agent_tool.ts";
import {
  OutputAccumulator,
  type OutputSnapshot,
} from "./output_accumulator.ts";

/** The least time between two updates. */
const UPDATE_MS = 100;

/** A full output is kept up to here, so that a runaway command cannot fill the disk. */
const MAX_FILE_BYTES = 1024 * 1024 * 1024;

/** Details of a shell call, for renderers and hosts. */
export type CommandDetails = {
  /** Present when the model does not see the whole output. */
  truncation?: Omit<TruncationResult, "content">;
  /** The file that holds all of it. */
  fullOutputPath?: string;
};

/** The place where the output of a command goes besides memory. */
export interface CommandOutputOptions {
  onUpdate: AgentToolUpdate<CommandDetails | undefined> | undefined;
  /** Makes the file for an output that is longer than the model gets to see. */
  createFile: (() => Promise<OutputFile>) | undefined;
}

/**
 * The output of one command while it runs: its end in memory, all of it in a
 * file when it is long, and what is reported of it, at most ten times a second.
 */
export class CommandOutput {
  readonly #accumulator = new OutputAccumulator();
  readonly #options: CommandOutputOptions;
  #writes = Promise.resolve();
  #file: OutputFile | undefined;
  #fileBytes = 0;
  #fileFailed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastUpdateMs = -Infinity;

  constructor(options: CommandOutputOptions) {
    this.#options = options;
    options.onUpdate?.({ content: [], details: undefined });
    this.#lastUpdateMs = performance.now();
  }

  /** Takes a chunk; resolves when it is written, where that is needed. */
  add(chunk: Uint8Array): Promise<void> | undefined {
    const { exceedsLimits: wasLong, totalBytes: before } = this.#accumulator;
    this.#accumulator.append(chunk);
    this.#scheduleUpdate();
    if (!this.#accumulator.exceedsLimits) return;
    if (!wasLong) this.#write(this.#accumulator.head(before));
    return this.#write(chunk);
  }

  /** Ends updates with a last one and closes the file. Must be called, once. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Signs that stand for binary data can make a short output too long.
    if (this.#snapshot().truncation.truncated && this.#fileBytes === 0) {
      await this.#write(this.#accumulator.head(this.#accumulator.totalBytes));
    }
    await this.#writes;
    this.#file?.close();
    if (this.#accumulator.totalBytes > 0) this.#update();
  }

  /** Text for the model: the end of the output and how to get the rest; empty when there was none. */
  get text(): string {
    const snapshot = this.#snapshot();
    const notice = this.#notice(snapshot);
    const { content } = snapshot.truncation;
    return notice === undefined ? content : `${content}\n\n${notice}`;
  }

  get details(): CommandDetails | undefined {
    return this.#details(this.#snapshot());
  }

  /** All of the output up to 1 MiB, of more the two ends. */
  get fullText(): string {
    return this.#accumulator.text();
  }

  #snapshot(options: { partial?: boolean } = {}): OutputSnapshot {
    return this.#accumulator.snapshot(options);
  }

  #details({ truncation }: OutputSnapshot): CommandDetails | undefined {
    if (!truncation.truncated) return undefined;
    const { content: _content, ...rest } = truncation;
    return this.#file === undefined
      ? { truncation: rest }
      : { truncation: rest, fullOutputPath: this.#file.path };
  }

  #notice({ truncation, binary }: OutputSnapshot): string | undefined {
    const { totalBytes, totalLines, outputLines, outputBytes } = truncation;
    if (!truncation.truncated) return undefined;
    const limit = formatSize(truncation.maxBytes);
    let shown = `lines ${
      totalLines - outputLines + 1
    }-${totalLines} of ${totalLines}`;
    if (binary) {
      shown = `the end of ${formatSize(totalBytes)}, without its binary parts`;
    } else if (truncation.lastLinePartial) {
      const line = formatSize(this.#accumulator.lastLineBytes);
      shown = `last ${
        formatSize(outputBytes)
      } of line ${totalLines} (line is ${line})`;
    } else if (truncation.truncatedBy === "bytes") {
      shown += ` (${limit} limit)`;
    }
    return `[Showing ${shown}. ${this.#whereTheRestIs(totalBytes)}]`;
  }

  #whereTheRestIs(totalBytes: number): string {
    if (this.#file === undefined) {
      return `The rest of ${formatSize(totalBytes)} was not kept`;
    }
    return this.#fileBytes < totalBytes
      ? `The first ${formatSize(this.#fileBytes)} of ${
        formatSize(totalBytes)
      }: ${this.#file.path}`
      : `Full output: ${this.#file.path}`;
  }

  /** Writes bytes after those that were written before. */
  #write(bytes: Uint8Array): Promise<void> | undefined {
    const { createFile } = this.#options;
    if (createFile === undefined || this.#fileFailed) return;
    return this.#writes = this.#writes.then(async () => {
      if (this.#fileFailed) return;
      if (this.#fileBytes + bytes.length > MAX_FILE_BYTES) {
        this.#fileFailed = true;
        return;
      }
      try {
        this.#file ??= await createFile();
        await this.#file.write(bytes);
        this.#fileBytes += bytes.length;
      } catch {
        // A full disk must not fail the command; the notice tells what is there.
        this.#fileFailed = true;
      }
    });
  }

  #scheduleUpdate(): void {
    if (this.#timer !== undefined || this.#options.onUpdate === undefined) {
      return;
    }
    const waitMs = this.#lastUpdateMs + UPDATE_MS - performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#update({ partial: true });
    }, Math.max(0, waitMs));
  }

  #update(options: { partial?: boolean } = {}): void {
    const snapshot = this.#snapshot(options);
    this.#lastUpdateMs = performance.now();
    this.#options.onUpdate?.({
      content: [{ type: "text", text: snapshot.truncation.content }],
      details: this.#details(snapshot),
    });
  }
}
