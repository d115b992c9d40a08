import { emptyUsage, type Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { ModelError } from "../model/model_error.ts";
import type { AssistantDelta, Context } from "../model/stream.ts";
import { DeltaWriter } from "./delta_writer.ts";
import { asRecord, asText, type JsonRecord, parseJson } from "./json_value.ts";
import type { ProviderErrors } from "./provider_error.ts";
import { endingOf, FAILED_ENDINGS, type StopReason } from "./stop_reasons.ts";
import { type ToolCallIds, usedToolCallIds } from "./tool_call_ids.ts";
import { priceUsage, type TokenCounts } from "./usage.ts";

/** Characters of the server's own explanation that are shown. */
const MAX_EXPLANATION = 300;

/** A text or thinking block that grows. */
interface GrowingBlock {
  type: "text" | "thinking";
  contentIndex: number;
  signature?: string | undefined;
}

/** The request that a response answers. */
export interface ReaderOptions {
  model: Model;
  context: Context;
  /** Words the failures. */
  errors: ProviderErrors;
}

/** Turns the events of one response into deltas. One reader a response. */
export interface AnswerReader {
  /** True once the server said that the answer is complete. */
  readonly announced: boolean;
  /** Takes the data of one event; true when nothing can follow. May throw a `ModelError`. */
  add(data: string): boolean;
  /** Ends the answer. Throws a `ModelError` when it is not complete, or failed. */
  end(): void;
  /** The deltas since the last call. */
  take(): AssistantDelta[];
  /** The cost of the response as far as it is known. */
  usage(): Usage | undefined;
}

/**
 * Reads the responses of the providers. A wire format reads its events; here is
 * what all formats share: JSON, blocks that grow, token counts, and the end.
 */
export abstract class ResponseReader implements AnswerReader {
  abstract readonly announced: boolean;
  protected readonly errors: ProviderErrors;
  protected readonly out = new DeltaWriter();
  protected readonly ids: ToolCallIds;
  protected hasCalls = false;
  /** The text or thinking block that grows. */
  protected block: GrowingBlock | undefined;
  readonly #model: Model;
  #counts: JsonRecord | undefined;

  constructor({ model, context, errors }: ReaderOptions) {
    this.#model = model;
    this.errors = errors;
    this.ids = usedToolCallIds(context);
  }

  /** Reads one event; true when nothing can follow. May throw a `ModelError`. */
  protected abstract read(event: JsonRecord): boolean;
  /** The server's reason to end the answer. Called once, at its end. */
  protected abstract stopReason(): StopReason;
  /** The counts of tokens, of all that the server sent under their names. */
  protected abstract counted(counts: JsonRecord): TokenCounts;
  /** Ends the blocks that are open but for `block`. Throws a `ModelError` where one is half, unless the output limit cut it. */
  protected endBlocks(_options: { isCut: boolean }): void {}

  add(data: string): boolean {
    const text = data.trim();
    // Gateways end every format with it.
    if (text === "" || text === "[DONE]") return text !== "";
    const event = asRecord(parseJson(data));
    if (event) return this.read(event);
    // What follows a complete answer cannot harm it.
    if (this.announced) return false;
    throw this.cut("sent an event that is not complete JSON");
  }

  end(): void {
    if (!this.announced) throw this.errors.incomplete();
    this.endBlock();
    const reason = this.stopReason();
    const { word } = reason;
    const ending = endingOf(this.#model.api, reason);
    if (ending !== "stop" && ending !== "length") {
      const [kind, words] = FAILED_ENDINGS[ending];
      throw this.errors.of(kind, `${words} ${explained(reason)}`);
    }
    const isCut = ending === "length";
    this.endBlocks({ isCut });
    this.out.start();
    this.out.push({
      type: "done",
      reason: isCut ? "length" : this.hasCalls ? "toolUse" : "stop",
      usage: this.usage() ?? emptyUsage(),
      ...(word === undefined ? {} : { rawStopReason: word }),
    });
  }

  take(): AssistantDelta[] {
    return this.out.take();
  }

  usage(): Usage | undefined {
    return this.#counts && priceUsage(this.#model, this.counted(this.#counts));
  }

  protected cut(words: string): ModelError {
    return this.errors.of("stream_cut", words);
  }

  /** Counts are cumulative; the last one that is not null holds. */
  protected count(usage: unknown): void {
    for (const [name, value] of Object.entries(asRecord(usage) ?? {})) {
      if (value === null) continue;
      // Without a prototype, so that no name has a meaning.
      this.#counts ??= Object.create(null) as JsonRecord;
      this.#counts[name] = value;
    }
  }

  /** Adds to the block that grows; one of the other kind ends. */
  protected say(type: GrowingBlock["type"], delta: string): void {
    if (this.block?.type !== type) {
      this.endBlock();
      const contentIndex = this.out.nextIndex();
      this.block = { type, contentIndex };
      this.out.push({ type: `${type}_start`, contentIndex });
    }
    const { contentIndex } = this.block as GrowingBlock;
    this.out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  /** Ends the block that grows, if there is one. */
  protected endBlock(): void {
    if (!this.block) return;
    const { type, contentIndex, signature } = this.block;
    this.block = undefined;
    this.out.push({
      type: `${type}_end`,
      contentIndex,
      ...(signature === undefined ? {} : { contentSignature: signature }),
    });
  }
}

/** A stop reason and the server's explanation, as they continue a sentence. */
export function explained({ word, explanation }: StopReason): string {
  const text = asText(explanation)?.slice(0, MAX_EXPLANATION).toWellFormed()
    .replace(/\s+/g, " ").trim();
  return text ? `(${word}): ${text}` : `(${word})`;
}
