import type Anthropic from "@anthropic-ai/sdk";
import type { Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantDelta, Context } from "../model/stream.ts";
import { DeltaWriter } from "./delta_writer.ts";
import {
  argumentsText,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "./json_value.ts";
import type { ProviderErrors } from "./provider_error.ts";
import type { ResponseReader } from "./stream_response.ts";
import { type ToolCallIds, usedToolCallIds } from "./tool_call_ids.ts";
import { priceUsage } from "./usage.ts";

type EventType = Anthropic.RawMessageStreamEvent["type"] | "ping" | "error";
type BlockType = Anthropic.RawContentBlockStartEvent["content_block"]["type"];
type BlockDeltaType = Anthropic.RawContentBlockDelta["type"];

/** A block that is being received. */
interface OpenBlock {
  type: "text" | "thinking" | "toolcall";
  contentIndex: number;
  signature: string;
  /** The arguments that came with the block's start; used when no others follow. */
  wholeInput: string;
  hasInput: boolean;
}

/**
 * Reads the events of a message. Nothing but `message_stop` completes it.
 * Events and blocks of unknown types are skipped; blocks are counted without
 * them.
 */
export class AnthropicReader implements ResponseReader {
  announced = false;
  #model: Model;
  #errors: ProviderErrors;
  #out = new DeltaWriter();
  #ids: ToolCallIds;
  /** By the server's index. */
  #open = new Map<unknown, OpenBlock>();
  /** Indexes of blocks of unknown types. */
  #skipped = new Set<unknown>();
  #calls = 0;
  #stopReason: string | undefined;
  #explanation: string | undefined;
  #counts: JsonRecord = {};

  constructor(
    model: Model,
    { context, errors }: { context: Context; errors: ProviderErrors },
  ) {
    this.#model = model;
    this.#errors = errors;
    this.#ids = usedToolCallIds(context);
  }

  take(): AssistantDelta[] {
    return this.#out.take();
  }

  add(data: string): boolean {
    if (data.trim() === "") return false;
    const event = asRecord(parseJson(data));
    if (!event) {
      throw this.#errors.of(
        "stream_cut",
        "sent an event that is not complete JSON",
      );
    }
    switch (event.type as EventType) {
      case "message_start":
        this.#begin(asRecord(event.message) ?? {});
        break;
      case "content_block_start":
        this.#start(event.index, asRecord(event.content_block) ?? {});
        break;
      case "content_block_delta":
        this.#grow(event.index, asRecord(event.delta) ?? {});
        break;
      case "content_block_stop":
        this.#stop(event.index);
        break;
      case "message_delta":
        this.#explain(asRecord(event.delta) ?? {});
        this.#count(event.usage);
        break;
      case "message_stop":
        this.announced = true;
        return true;
      case "error":
        throw this.#errors.fromEvent(event.error);
      case "ping":
        break;
      default:
        // Gateways send errors in other shapes too.
        if (event.error) throw this.#errors.fromEvent(event.error);
    }
    return false;
  }

  end(): void {
    if (!this.announced) {
      throw this.#errors.of(
        "stream_cut",
        "ended the answer before it was complete",
      );
    }
    const stop = this.#stopReason;
    if (stop === "refusal") {
      const why = this.#explanation ? `: ${this.#explanation}` : "";
      throw this.#errors.of(
        "content_filter",
        `withheld the answer (refusal)${why}`,
      );
    }
    if (stop === "model_context_window_exceeded") {
      throw this.#errors.of(
        "context_overflow",
        "ran out of context window during the answer",
      );
    }
    for (const [index, block] of this.#open) {
      // A call may be cut by the output limit only.
      if (block.type === "toolcall" && stop !== "max_tokens") {
        throw this.#errors.of(
          "stream_cut",
          "ended the answer inside a tool call",
        );
      }
      this.#stop(index);
    }
    this.#out.start();
    this.#out.push({
      type: "done",
      reason: stop === "max_tokens"
        ? "length"
        : this.#calls > 0
        ? "toolUse"
        : "stop",
      usage: this.#usage(),
      ...(stop === undefined ? {} : { rawStopReason: stop }),
    });
  }

  usage(): Usage | undefined {
    return Object.keys(this.#counts).length > 0 ? this.#usage() : undefined;
  }

  #begin(message: JsonRecord): void {
    this.#out.start(asText(message.id), asText(message.model));
    this.#count(message.usage);
  }

  #start(index: unknown, block: JsonRecord): void {
    this.#out.start();
    switch (block.type as BlockType) {
      case "text": {
        const { contentIndex } = this.#add(index, "text");
        this.#out.push({ type: "text_start", contentIndex });
        this.#grow(index, { type: "text_delta", text: block.text });
        break;
      }
      case "thinking": {
        const { contentIndex } = this.#add(index, "thinking");
        this.#out.push({ type: "thinking_start", contentIndex });
        this.#grow(index, { type: "thinking_delta", thinking: block.thinking });
        this.#grow(index, {
          type: "signature_delta",
          signature: block.signature,
        });
        break;
      }
      case "redacted_thinking": {
        const open = this.#add(index, "thinking");
        open.signature = asText(block.data) ?? "";
        const { contentIndex } = open;
        this.#out.push({
          type: "thinking_start",
          contentIndex,
          redacted: true,
        });
        break;
      }
      case "tool_use": {
        const open = this.#add(index, "toolcall");
        open.wholeInput = argumentsText(block.input);
        this.#calls++;
        this.#out.push({
          type: "toolcall_start",
          contentIndex: open.contentIndex,
          id: this.#ids.give(asText(block.id) ?? ""),
          toolName: asText(block.name) ?? "",
        });
        break;
      }
      default:
        this.#skipped.add(index);
    }
  }

  #grow(index: unknown, delta: JsonRecord): void {
    // Text is kept also of a server that never announced it.
    if (
      delta.type === "text_delta" && !this.#open.has(index) &&
      !this.#skipped.has(index)
    ) this.#start(index, { type: "text" });
    const open = this.#open.get(index);
    if (!open) return;
    const { type, contentIndex } = open;
    switch (delta.type as BlockDeltaType) {
      case "text_delta":
        if (type !== "text") break;
        this.#out.push({
          type: "text_delta",
          contentIndex,
          delta: asText(delta.text) ?? "",
        });
        break;
      case "thinking_delta":
        if (type !== "thinking") break;
        this.#out.push({
          type: "thinking_delta",
          contentIndex,
          delta: asText(delta.thinking) ?? "",
        });
        break;
      case "signature_delta":
        open.signature += asText(delta.signature) ?? "";
        break;
      case "input_json_delta": {
        if (type !== "toolcall") break;
        const text = argumentsText(delta.partial_json);
        open.hasInput ||= text !== "";
        this.#out.push({ type: "toolcall_delta", contentIndex, delta: text });
        break;
      }
    }
  }

  #stop(index: unknown): void {
    const open = this.#open.get(index);
    if (!open) return;
    this.#open.delete(index);
    const { type, contentIndex, signature, wholeInput } = open;
    if (type === "toolcall") {
      if (!open.hasInput) {
        const delta = wholeInput;
        this.#out.push({ type: "toolcall_delta", contentIndex, delta });
      }
      this.#out.push({ type: "toolcall_end", contentIndex });
    } else if (type === "thinking" && signature !== "") {
      this.#out.push({
        type: "thinking_end",
        contentIndex,
        contentSignature: signature,
      });
    } else {
      this.#out.push({ type: `${type}_end`, contentIndex });
    }
  }

  /** Opens a block; one that is still open under this index ends. */
  #add(index: unknown, type: OpenBlock["type"]): OpenBlock {
    this.#stop(index);
    const block: OpenBlock = {
      type,
      contentIndex: this.#out.nextIndex(),
      signature: "",
      wholeInput: "",
      hasInput: false,
    };
    this.#open.set(index, block);
    return block;
  }

  #explain(delta: JsonRecord): void {
    this.#stopReason = asText(delta.stop_reason) ?? this.#stopReason;
    this.#explanation = asText(asRecord(delta.stop_details)?.explanation);
  }

  /** Counts are cumulative; the last one that is not null holds. */
  #count(usage: unknown): void {
    for (const [name, value] of Object.entries(asRecord(usage) ?? {})) {
      if (USAGE_FIELDS.has(name) && value !== null) this.#counts[name] = value;
    }
  }

  #usage(): Usage {
    const counts = this.#counts;
    return priceUsage(this.#model, {
      input: counts.input_tokens,
      output: counts.output_tokens,
      cacheRead: counts.cache_read_input_tokens,
      cacheWrite: counts.cache_creation_input_tokens,
      reasoning: asRecord(counts.output_tokens_details)?.thinking_tokens,
    });
  }
}

const USAGE_FIELDS = new Set<string>(
  [
    "input_tokens",
    "output_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens_details",
  ] satisfies (keyof Anthropic.MessageDeltaUsage)[],
);
