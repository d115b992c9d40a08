import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantDelta, Context } from "../model/stream.ts";
import { DeltaWriter } from "./delta_writer.ts";
import {
  asArray,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "./json_value.ts";
import type { ProviderErrors } from "./provider_error.ts";
import type { ResponseReader } from "./stream_response.ts";
import { type ToolCallIds, usedToolCallIds } from "./tool_call_ids.ts";
import { priceUsage, tokenCount } from "./usage.ts";

interface GrowingBlock {
  type: "text" | "thinking";
  contentIndex: number;
  signature?: string;
}

/** Characters of the server's own explanation that are shown. */
const MAX_WORDS = 300;

/**
 * Reads the chunks of a generated content.
 *
 * The answer is complete when a `finishReason` came. Earlier models send one
 * with every chunk, so reading goes on until the connection ends. Calls come
 * whole, and mostly without an id. A signature belongs to the block that it
 * comes with, or, in a part that says nothing, to the block before it.
 */
export class GoogleReader implements ResponseReader {
  #model: Model;
  #errors: ProviderErrors;
  #out = new DeltaWriter();
  #ids: ToolCallIds;
  /** The text or thinking block that grows. */
  #block: GrowingBlock | undefined;
  #calls = 0;
  #finish: string | undefined;
  #explanation = "";
  #counts: JsonRecord = {};

  constructor(
    model: Model,
    { context, errors }: { context: Context; errors: ProviderErrors },
  ) {
    this.#model = model;
    this.#errors = errors;
    this.#ids = usedToolCallIds(context);
  }

  get announced(): boolean {
    return this.#finish !== undefined;
  }

  take(): AssistantDelta[] {
    return this.#out.take();
  }

  add(data: string): boolean {
    // Gateways add what other formats end with.
    if (data.trim() === "[DONE]") return true;
    if (data.trim() === "") return false;
    const chunk = asRecord(parseJson(data));
    if (!chunk) {
      // What follows a complete answer cannot harm it.
      if (this.announced) return false;
      throw this.#errors.of(
        "stream_cut",
        "sent an event that is not complete JSON",
      );
    }
    if (chunk.error) throw this.#errors.fromEvent(chunk.error);
    this.#count(chunk.usageMetadata);
    this.#out.start(asText(chunk.responseId), asText(chunk.modelVersion));
    const feedback = asRecord(chunk.promptFeedback);
    const blocked = asText(feedback?.blockReason);
    if (blocked !== undefined) {
      throw this.#errors.of(
        "content_filter",
        `withheld the answer, since it blocked the prompt (${blocked})${
          words(feedback?.blockReasonMessage)
        }`,
      );
    }
    const candidate = asRecord(asArray(chunk.candidates)[0]);
    for (const part of asArray(asRecord(candidate?.content)?.parts)) {
      this.#read(asRecord(part) ?? {});
    }
    this.#finish = asText(candidate?.finishReason) ?? this.#finish;
    this.#explanation = words(candidate?.finishMessage) || this.#explanation;
    return false;
  }

  end(): void {
    const rawStopReason = this.#finish;
    if (rawStopReason === undefined) {
      throw this.#errors.of(
        "stream_cut",
        "ended the answer before it was complete",
      );
    }
    this.#endBlock();
    const why = `(${rawStopReason})${this.#explanation}`;
    if (WITHHELD.has(rawStopReason)) {
      throw this.#errors.of("content_filter", `withheld the answer ${why}`);
    }
    if (BROKEN_OFF.has(rawStopReason)) {
      throw this.#errors.of("stream_cut", `broke the answer off ${why}`);
    }
    const reason = LENGTH.has(rawStopReason)
      ? "length"
      : this.#calls > 0
      ? "toolUse"
      : "stop";
    this.#out.start();
    this.#out.push({
      type: "done",
      reason,
      usage: this.#usage(),
      rawStopReason,
    });
  }

  usage(): Usage | undefined {
    return Object.keys(this.#counts).length > 0 ? this.#usage() : undefined;
  }

  #read(part: JsonRecord): void {
    const signature = asText(part.thoughtSignature);
    const call = asRecord(part.functionCall);
    if (call) {
      this.#call(call, signature);
      return;
    }
    const text = asText(part.text);
    if (text !== undefined) {
      this.#say(part.thought === true ? "thinking" : "text", text);
    }
    if (signature !== undefined && this.#block) {
      this.#block.signature = signature;
    }
  }

  #call(call: JsonRecord, thoughtSignature: string | undefined): void {
    this.#endBlock();
    this.#calls++;
    const contentIndex = this.#out.nextIndex();
    this.#out.push({
      type: "toolcall_start",
      contentIndex,
      id: this.#ids.give(asText(call.id) ?? ""),
      toolName: asText(call.name) ?? "",
    });
    const delta = JSON.stringify(call.args ?? {});
    this.#out.push({ type: "toolcall_delta", contentIndex, delta });
    this.#out.push({
      type: "toolcall_end",
      contentIndex,
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    });
  }

  #say(type: GrowingBlock["type"], delta: string): void {
    let block = this.#block;
    if (block?.type !== type) {
      this.#endBlock();
      const contentIndex = this.#out.nextIndex();
      this.#block = block = { type, contentIndex };
      this.#out.push({ type: `${type}_start`, contentIndex });
    }
    const { contentIndex } = block;
    this.#out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  #endBlock(): void {
    if (!this.#block) return;
    const { type, contentIndex, signature } = this.#block;
    this.#block = undefined;
    this.#out.push({
      type: `${type}_end`,
      contentIndex,
      ...(signature === undefined ? {} : { contentSignature: signature }),
    });
  }

  /** Counts are cumulative; the last one that is not null holds. */
  #count(usage: unknown): void {
    for (const [name, value] of Object.entries(asRecord(usage) ?? {})) {
      if (USAGE_FIELDS.has(name) && value !== null) this.#counts[name] = value;
    }
  }

  #usage(): Usage {
    const counts = this.#counts;
    const cacheRead = tokenCount(counts.cachedContentTokenCount);
    const reasoning = tokenCount(counts.thoughtsTokenCount);
    return priceUsage(this.#model, {
      input: tokenCount(counts.promptTokenCount) +
        tokenCount(counts.toolUsePromptTokenCount) - cacheRead,
      // Thoughts are paid for as output, and are not among the candidates.
      output: tokenCount(counts.candidatesTokenCount) + reasoning,
      cacheRead,
      cacheWrite: 0,
      reasoning,
    });
  }
}

/** The server's explanation as it continues a sentence; empty when there is none. */
function words(explanation: unknown): string {
  const text = asText(explanation)?.slice(0, MAX_WORDS).toWellFormed();
  return text === undefined ? "" : `: ${text.replace(/\s+/g, " ").trim()}`;
}

/** Finish reasons of an answer that the output limit cut. */
const LENGTH = new Set(["MAX_TOKENS", "CONTINUATION"]);

/** Finish reasons of an answer that a filter stopped. */
const WITHHELD = new Set([
  "SAFETY",
  "RECITATION",
  "LANGUAGE",
  "BLOCKLIST",
  "PROHIBITED_CONTENT",
  "SPII",
  "IMAGE_SAFETY",
  "IMAGE_PROHIBITED_CONTENT",
  "IMAGE_RECITATION",
]);

/** Finish reasons of an answer that went wrong, and may be right at the next try. Words that nobody knows end an answer. */
const BROKEN_OFF = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MALFORMED_RESPONSE",
  "OTHER",
]);

const USAGE_FIELDS = new Set([
  "promptTokenCount",
  "toolUsePromptTokenCount",
  "cachedContentTokenCount",
  "candidatesTokenCount",
  "thoughtsTokenCount",
]);
