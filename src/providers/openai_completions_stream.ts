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
import { CompletionsCalls } from "./openai_completions_calls.ts";
import { REASONING_FIELDS } from "./openai_completions_request.ts";
import type { ProviderErrors } from "./provider_error.ts";
import type { ResponseReader } from "./stream_response.ts";
import { usedToolCallIds } from "./tool_call_ids.ts";
import { priceUsage, tokenCount } from "./usage.ts";

interface GrowingBlock {
  type: "text" | "thinking";
  contentIndex: number;
}

/**
 * Reads the chunks of a completion.
 *
 * The answer is complete when a `finish_reason` came; `[DONE]` is not needed,
 * and without a `finish_reason` it is not enough, since gateways add it to
 * answers whose upstream was cut. Text and thinking blocks end when another
 * block begins, calls when the answer does: their pieces may be interleaved.
 */
export class CompletionsReader implements ResponseReader {
  #model: Model;
  #errors: ProviderErrors;
  #out = new DeltaWriter();
  #calls: CompletionsCalls;
  /** The text or thinking block that grows. */
  #block: GrowingBlock | undefined;
  #reasoningField = "";
  #finish: string | undefined;
  #counts: JsonRecord = {};
  #said = false;

  constructor(
    model: Model,
    { context, errors }: { context: Context; errors: ProviderErrors },
  ) {
    this.#model = model;
    this.#errors = errors;
    this.#calls = new CompletionsCalls(this.#out, usedToolCallIds(context));
  }

  get announced(): boolean {
    return this.#finish !== undefined;
  }

  take(): AssistantDelta[] {
    return this.#out.take();
  }

  add(data: string): boolean {
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
    if (chunk.object === "error") throw this.#errors.fromEvent(chunk);
    this.#out.start(asText(chunk.id), asText(chunk.model));
    const choice = asRecord(asArray(chunk.choices)[0]);
    this.#count(chunk.usage);
    if (!choice) return false;
    this.#count(choice.usage);
    const delta = asRecord(choice.delta);
    if (delta) this.#grow(delta);
    // Some servers send a whole message as the only chunk.
    const whole = asRecord(choice.message);
    if (whole && !this.#said) this.#grow(whole);
    this.#finish = asText(choice.finish_reason) ?? this.#finish;
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
    if (rawStopReason === "content_filter") {
      throw this.#errors.of(
        "content_filter",
        "withheld the answer (content_filter)",
      );
    }
    if (FAILURES.has(rawStopReason)) {
      throw this.#errors.of(
        "overloaded",
        `failed during the answer (${rawStopReason})`,
      );
    }
    const calls = this.#calls.end();
    const reason = LENGTH.has(rawStopReason)
      ? "length"
      : calls > 0
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

  #grow(delta: JsonRecord): void {
    // Some servers send the same reasoning under two names.
    for (const field of REASONING_FIELDS) {
      const thought = asText(delta[field]);
      if (thought === undefined) continue;
      this.#say("thinking", thought);
      this.#reasoningField = field;
      break;
    }
    const said = asText(delta.content) ?? asText(delta.refusal);
    if (said !== undefined) this.#say("text", said);
    // Some servers send a list of parts, their thoughts among them.
    for (const part of asArray(delta.content)) this.#growPart(asRecord(part));
    const legacy = asRecord(delta.function_call);
    const calls = asArray(delta.tool_calls);
    for (const call of legacy ? [{ index: 0, function: legacy }] : calls) {
      const entry = asRecord(call);
      if (!entry) continue;
      this.#endBlock();
      this.#said = true;
      this.#calls.add(entry);
    }
  }

  #growPart(part: JsonRecord | undefined): void {
    const text = asText(part?.text);
    if (text !== undefined) this.#say("text", text);
    for (const thought of asArray(part?.thinking)) {
      const words = asText(asRecord(thought)?.text);
      if (words !== undefined) this.#say("thinking", words);
    }
  }

  #say(type: GrowingBlock["type"], delta: string): void {
    this.#said = true;
    let block = this.#block;
    if (block?.type !== type) {
      this.#endBlock();
      this.#block = block = { type, contentIndex: this.#out.nextIndex() };
      this.#out.push({ ...block, type: `${type}_start` });
    }
    const { contentIndex } = block;
    this.#out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  #endBlock(): void {
    if (!this.#block) return;
    const { type, contentIndex } = this.#block;
    this.#block = undefined;
    if (type === "text") {
      this.#out.push({ type: "text_end", contentIndex });
    } else {
      // The field's name stands in for a signature: servers want it back there.
      const contentSignature = this.#reasoningField;
      this.#out.push({ type: "thinking_end", contentIndex, contentSignature });
    }
  }

  /** Keeps each count's last value; servers send them in any chunk, some piecemeal. */
  #count(usage: unknown): void {
    const counts = asRecord(usage) ?? {};
    for (const [name, value] of Object.entries(counts)) {
      if (USAGE_FIELDS.has(name) && value !== null) this.#counts[name] = value;
    }
  }

  #usage(): Usage {
    const counts = this.#counts;
    const prompt = asRecord(counts.prompt_tokens_details) ?? {};
    const completion = asRecord(counts.completion_tokens_details) ?? {};
    const cacheRead = tokenCount(prompt.cached_tokens) ||
      tokenCount(counts.prompt_cache_hit_tokens);
    const cacheWrite = tokenCount(prompt.cache_write_tokens);
    return priceUsage(this.#model, {
      input: tokenCount(counts.prompt_tokens) - cacheRead - cacheWrite,
      output: counts.completion_tokens,
      cacheRead,
      cacheWrite,
      reasoning: completion.reasoning_tokens,
    });
  }
}

/** Words of other servers for "the output limit was reached". */
const LENGTH = new Set(["length", "max_tokens", "model_length"]);

/** Words for "something broke on our side" that come as a finish reason. */
const FAILURES = new Set([
  "error",
  "network_error",
  "insufficient_system_resource",
]);

const USAGE_FIELDS = new Set([
  "prompt_tokens",
  "completion_tokens",
  "prompt_cache_hit_tokens",
  "prompt_tokens_details",
  "completion_tokens_details",
]);
