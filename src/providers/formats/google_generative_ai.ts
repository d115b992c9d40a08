import { asArray, asRecord, asText, type JsonRecord } from "../json_value.ts";
import { explained, ResponseReader } from "../response_reader.ts";
import type { StopReason } from "../stop_reasons.ts";
import { tokenCount, type TokenCounts } from "../usage.ts";
import type { WireFormat } from "../wire_format.ts";
import { googleRequest } from "./google_generative_ai_request.ts";

/** Google's own format of the Gemini models. */
export const wireFormat: WireFormat = {
  path: ({ id }) =>
    `/models/${
      encodeURIComponent(id.toWellFormed())
    }:streamGenerateContent?alt=sse`,
  // The provider takes it in the URL, too, where logs would show it.
  credential: (key) => ({ "x-goog-api-key": key }),
  body: googleRequest,
  reader: (options) => new GoogleReader(options),
};

/**
 * Reads the chunks of a generated content.
 *
 * The answer is complete when a `finishReason` came. Earlier models send one
 * with every chunk, so reading goes on until the connection ends. Calls come
 * whole, and mostly without an id. A signature belongs to the block that it
 * comes with, or, in a part that says nothing, to the block before it.
 */
class GoogleReader extends ResponseReader {
  #finish: string | undefined;
  #explanation: unknown;

  get announced(): boolean {
    return this.#finish !== undefined;
  }

  protected read(chunk: JsonRecord): boolean {
    if (chunk.error) throw this.errors.fromEvent(chunk.error);
    this.count(chunk.usageMetadata);
    this.out.start(asText(chunk.responseId), asText(chunk.modelVersion));
    const feedback = asRecord(chunk.promptFeedback);
    const blocked = asText(feedback?.blockReason);
    if (blocked !== undefined) {
      const explanation = feedback?.blockReasonMessage;
      const why = explained({ word: blocked, explanation });
      throw this.errors.of(
        "content_filter",
        `withheld the answer, since it blocked the prompt ${why}`,
      );
    }
    const candidate = asRecord(asArray(chunk.candidates)[0]);
    for (const part of asArray(asRecord(candidate?.content)?.parts)) {
      this.#part(asRecord(part) ?? {});
    }
    this.#finish = asText(candidate?.finishReason) ?? this.#finish;
    this.#explanation = asText(candidate?.finishMessage) ?? this.#explanation;
    return false;
  }

  protected stopReason(): StopReason {
    return { word: this.#finish, explanation: this.#explanation };
  }

  #part(part: JsonRecord): void {
    const signature = asText(part.thoughtSignature);
    const call = asRecord(part.functionCall);
    if (call) return this.#call(call, signature);
    const text = asText(part.text);
    if (text !== undefined) {
      this.say(part.thought === true ? "thinking" : "text", text);
    }
    if (signature !== undefined && this.block) this.block.signature = signature;
  }

  #call(call: JsonRecord, thoughtSignature: string | undefined): void {
    this.endBlock();
    this.hasCalls = true;
    const contentIndex = this.out.nextIndex();
    this.out.push({
      type: "toolcall_start",
      contentIndex,
      id: this.ids.give(asText(call.id) ?? ""),
      toolName: asText(call.name) ?? "",
    });
    const delta = JSON.stringify(call.args ?? {});
    this.out.push({ type: "toolcall_delta", contentIndex, delta });
    this.out.push({
      type: "toolcall_end",
      contentIndex,
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    });
  }

  protected counted(counts: JsonRecord): TokenCounts {
    const cacheRead = tokenCount(counts.cachedContentTokenCount);
    const reasoning = tokenCount(counts.thoughtsTokenCount);
    return {
      input: tokenCount(counts.promptTokenCount) +
        tokenCount(counts.toolUsePromptTokenCount) - cacheRead,
      // Thoughts are paid for as output, and are not among the candidates.
      output: tokenCount(counts.candidatesTokenCount) + reasoning,
      cacheRead,
      cacheWrite: 0,
      reasoning,
    };
  }
}
