import type { AssistantDelta, DeltaSource } from "../model/stream.ts";
import {
  type CanonicalRequest,
  canonicalRequest,
  hashOfRequest,
  mapStrings,
} from "./recording/canonical_request.ts";
import type { NeutralText } from "./recording/neutral_text.ts";
import type { RunEvent } from "../protocol/event_schemas.ts";
import { UsageError } from "../settings/usage_error.ts";
import type { ChosenModel } from "./choose_model.ts";
import { AnswerCollector, mapAnswer } from "./recorded_answer.ts";
import { RecordedCalls } from "./recorded_calls.ts";
import {
  commonMessages,
  type ExchangeLine,
  MAX_RECORDING_BYTES,
  RECORDING_VERSION,
  type RecordingHeader,
  type ResultLine,
} from "./recording.ts";

/** First line of a recording. */
const HEAD = '{"type":"recording"';

/** Parts of a run that are recorded. */
export interface RecorderOptions
  extends Pick<ChosenModel, "model" | "thinkingLevel"> {
  /** Fresh for each request. */
  neutral(): NeutralText;
  /** Bytes of the file. Default 64 MiB. */
  maxBytes?: number;
}

/**
 * Writes the recording of a run: a line for each answer when it has ended, and
 * for each result of a tool. Whatever happens to the run, the lines that are
 * there are whole. The file stays as it is until the first of them.
 */
export class Recorder {
  readonly #path: string;
  readonly #file: Deno.FsFile;
  readonly #isNew: boolean;
  readonly #calls = new RecordedCalls();
  readonly #encoder = new TextEncoder();
  #options: RecorderOptions | undefined;
  #last: CanonicalRequest = { settings: "", messages: [] };
  #bytes = 0;
  #problem: string | undefined;

  private constructor(
    { path, file, isNew }: { path: string; file: Deno.FsFile; isNew: boolean },
  ) {
    this.#path = path;
    this.#file = file;
    this.#isNew = isNew;
  }

  /** Opens the file of a recording. Throws {@linkcode UsageError} where it cannot be written, or is something else. */
  static open(path: string): Recorder {
    try {
      return new Recorder({ path, ...openFile(path) });
    } catch (error) {
      throw new UsageError(cannotRecord(path, error), { cause: error });
    }
  }

  /** Says what the run is. Before anything else is called. */
  begin(options: RecorderOptions): void {
    this.#options = options;
  }

  /** A source that records what is asked and answered. Answers that were aborted are left out. */
  recorded(source: DeltaSource): DeltaSource {
    return (...asked) => this.#record(source, asked);
  }

  /** Hears every event of the run; records results. */
  note(event: RunEvent): void {
    for (const ended of this.#calls.note(event)) {
      const neutral = this.#begun.neutral();
      const { name, arguments: args } = ended.call;
      const call = {
        name,
        arguments: mapStrings(args, (text) => neutral.canonical(text)),
      } as ResultLine["call"];
      const result = mapStrings(
        ended.result,
        (text) => neutral.portable(text),
      ) as ResultLine["result"];
      this.#write({ type: "result", call, result });
    }
  }

  /** Reason why the recording is not whole, if it is not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Ends the recording. */
  close(): void {
    this.#file.close();
    if (this.#isNew && this.#bytes === 0) {
      try {
        Deno.removeSync(this.#path);
      } catch {
        // Somebody else has.
      }
    }
  }

  async *#record(
    source: DeltaSource,
    asked: Parameters<DeltaSource>,
  ): AsyncGenerator<AssistantDelta[]> {
    const [, context, options] = asked;
    const neutral = this.#begun.neutral();
    const request = await canonicalRequest({ context, options }, neutral);
    const collector = new AnswerCollector();
    for await (const batch of source(...asked)) {
      for (const delta of batch) collector.add(delta);
      const end = collector.deltas.at(-1);
      if (
        end?.type === "done" ||
        end?.type === "error" && end.reason !== "aborted"
      ) {
        const answer = mapAnswer(
          collector.deltas,
          (text) => neutral.portable(text),
        );
        // Before anybody acts on it.
        await this.#writeExchange(request, answer);
      }
      yield batch;
    }
  }

  get #begun(): RecorderOptions {
    if (!this.#options) throw new Error("the recording has not begun");
    return this.#options;
  }

  async #writeExchange(
    request: CanonicalRequest,
    answer: ExchangeLine["answer"],
  ): Promise<void> {
    const hash = await hashOfRequest(request);
    const last = this.#last;
    this.#last = request;
    const keeps = commonMessages(last, request);
    this.#write({
      type: "exchange",
      hash,
      keeps,
      ...(request.settings === last.settings
        ? {}
        : { settings: JSON.parse(request.settings) }),
      messages: request.messages.slice(keeps).map((json) => JSON.parse(json)),
      answer,
    });
  }

  #write(line: ExchangeLine | ResultLine): void {
    if (this.#problem !== undefined) return;
    const { maxBytes = MAX_RECORDING_BYTES } = this.#begun;
    const text = `${JSON.stringify(line)}\n`;
    const head = this.#bytes > 0 ? "" : `${JSON.stringify(this.#header())}\n`;
    const bytes = this.#encoder.encode(head + text);
    try {
      if (this.#bytes + bytes.length > maxBytes) {
        throw new Error(`it would have more than ${maxBytes} bytes`);
      }
      if (this.#bytes === 0) this.#file.truncateSync(0);
      for (let at = 0; at < bytes.length;) {
        const count = this.#file.writeSync(bytes.subarray(at));
        at += count;
        this.#bytes += count;
      }
    } catch (error) {
      this.#problem = cannotRecord(this.#path, error);
    }
  }

  #header(): RecordingHeader {
    const { model, thinkingLevel } = this.#begun;
    const { baseUrl: _, headers: __, ...recorded } = model;
    return {
      type: "recording",
      version: RECORDING_VERSION,
      model: recorded,
      ...(thinkingLevel ? { thinkingLevel } : {}),
    };
  }
}

function openFile(path: string): { file: Deno.FsFile; isNew: boolean } {
  const there = statOrNothing(path);
  if (!there) {
    const options = { write: true, createNew: true, mode: 0o600 };
    const file = Deno.openSync(path, options);
    lock(file);
    return { file, isNew: true };
  }
  if (!there.isFile) throw new Error("it is not a regular file");
  if (isOutputOfTau(there)) throw new Error("the output of tau goes there");
  const file = Deno.openSync(path, { read: true, write: true });
  lock(file);
  if (there.size > 0 && !beginsAsRecording(file)) {
    file.close();
    throw new Error("it exists and is not a recording");
  }
  file.seekSync(0, Deno.SeekMode.Start);
  return { file, isNew: false };
}

/** Throws where another run records; the lock goes away with the file. */
function lock(file: Deno.FsFile): void {
  let isOurs = true;
  try {
    isOurs = file.tryLockSync(true);
  } catch {
    // Some network file systems have no locks.
  }
  if (isOurs) return;
  file.close();
  throw new Error("another run records to it");
}

/** Two that write to one file overwrite each other. */
function isOutputOfTau({ dev, ino }: Deno.FileInfo): boolean {
  return ino !== null && ["/dev/stdout", "/dev/stderr"].some((output) => {
    try {
      const other = Deno.statSync(output);
      return other.dev === dev && other.ino === ino;
    } catch {
      // Closed, or a system that has no such name.
      return false;
    }
  });
}

function statOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function beginsAsRecording(file: Deno.FsFile): boolean {
  const bytes = new Uint8Array(HEAD.length);
  const count = file.readSync(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count)) === HEAD;
}

function cannotRecord(path: string, error: unknown): string {
  const reason = error instanceof Deno.errors.NotFound
    ? "there is no such folder"
    : error instanceof Deno.errors.PermissionDenied
    ? "permission denied"
    : error instanceof Error
    ? error.message
    : String(error);
  return `Cannot record to ${JSON.stringify(path)}: ${reason}`;
}
