import { asArray, asRecord, asText, type JsonRecord } from "../json_value.ts";
import { CompletionsCalls } from "./openai_completions_calls.ts";
import {
  completionsRequest,
  REASONING_FIELDS,
} from "./openai_completions_request.ts";
import { type ReaderOptions, ResponseReader } from "../response_reader.ts";
import type { StopReason } from "../stop_reasons.ts";
import { tokenCount, type TokenCounts } from "../usage.ts";
import type { WireFormat } from "../wire_format.ts";

/** Chat completions: OpenAI's first format, which most other servers speak. */
export const wireFormat: WireFormat = {
  path: () => "/chat/completions",
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  body: completionsRequest,
  reader: (options) => new CompletionsReader(options),
};

/**
 * Reads the chunks of a completion.
 *
 * The answer is complete when a `finish_reason` came; `[DONE]` is not needed,
 * and without a `finish_reason` it is not enough, since gateways add it to
 * answers whose upstream was cut. Text and thinking blocks end when another
 * block begins, calls when the answer does: their pieces may be interleaved.
 */
class CompletionsReader extends ResponseReader {
  #calls: CompletionsCalls;
  #finish: string | undefined;
  #hasContent = false;

  constructor(options: ReaderOptions) {
    super(options);
    this.#calls = new CompletionsCalls(this.out, this.ids);
  }

  get announced(): boolean {
    return this.#finish !== undefined;
  }

  protected read(chunk: JsonRecord): boolean {
    if (chunk.error) throw this.errors.fromEvent(chunk.error);
    if (chunk.object === "error") throw this.errors.fromEvent(chunk);
    this.out.start(asText(chunk.id), asText(chunk.model));
    const choice = asRecord(asArray(chunk.choices)[0]);
    this.count(chunk.usage);
    if (!choice) return false;
    this.count(choice.usage);
    const delta = asRecord(choice.delta);
    if (delta) this.#grow(delta);
    // Some servers send a whole message as the only chunk.
    const whole = asRecord(choice.message);
    if (whole && !this.#hasContent) this.#grow(whole);
    this.#finish = asText(choice.finish_reason) ?? this.#finish;
    return false;
  }

  protected stopReason(): StopReason {
    return { word: this.#finish };
  }

  protected override endBlocks(): void {
    this.hasCalls = this.#calls.end() > 0;
  }

  #grow(delta: JsonRecord): void {
    // Some servers send the same reasoning under two names.
    for (const field of REASONING_FIELDS) {
      const thought = asText(delta[field]);
      if (thought === undefined) continue;
      // The field's name stands in for a signature: servers want it back there.
      this.#say("thinking", thought, field);
      break;
    }
    const text = asText(delta.content) ?? asText(delta.refusal);
    if (text !== undefined) this.#say("text", text);
    // Some servers send a list of parts, their thoughts among them.
    for (const part of asArray(delta.content)) this.#growPart(asRecord(part));
    const legacy = asRecord(delta.function_call);
    const calls = asArray(delta.tool_calls);
    for (const call of legacy ? [{ index: 0, function: legacy }] : calls) {
      const entry = asRecord(call);
      if (!entry) continue;
      this.endBlock();
      this.#hasContent = true;
      this.#calls.add(entry);
    }
  }

  #growPart(part: JsonRecord | undefined): void {
    const text = asText(part?.text);
    if (text !== undefined) this.#say("text", text);
    for (const thought of asArray(part?.thinking)) {
      const words = asText(asRecord(thought)?.text);
      if (words !== undefined) this.#say("thinking", words, "");
    }
  }

  #say(type: "text" | "thinking", delta: string, field?: string): void {
    this.#hasContent = true;
    this.say(type, delta);
    if (field !== undefined && this.block) this.block.signature = field;
  }

  protected counted(counts: JsonRecord): TokenCounts {
    const prompt = asRecord(counts.prompt_tokens_details) ?? {};
    const completion = asRecord(counts.completion_tokens_details) ?? {};
    const cacheRead = tokenCount(prompt.cached_tokens) ||
      tokenCount(counts.prompt_cache_hit_tokens);
    const cacheWrite = tokenCount(prompt.cache_write_tokens);
    return {
      input: tokenCount(counts.prompt_tokens) - cacheRead - cacheWrite,
      output: counts.completion_tokens,
      cacheRead,
      cacheWrite,
      reasoning: completion.reasoning_tokens,
    };
  }
}
