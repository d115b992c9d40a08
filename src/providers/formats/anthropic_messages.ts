import type Anthropic from "@anthropic-ai/sdk";
import type { AssistantDelta } from "../../model/stream.ts";
import {
  argumentsText,
  asRecord,
  asText,
  type JsonRecord,
} from "../json_value.ts";
import { ResponseReader } from "../response_reader.ts";
import type { StopReason } from "../stop_reasons.ts";
import type { TokenCounts } from "../usage.ts";
import type { WireFormat } from "../wire_format.ts";
import { anthropicRequest } from "./anthropic_messages_request.ts";

type EventType = Anthropic.RawMessageStreamEvent["type"] | "ping" | "error";
type BlockType = Anthropic.RawContentBlockStartEvent["content_block"]["type"];
type BlockDeltaType = Anthropic.RawContentBlockDelta["type"];

/** Anthropic's messages format. */
export const wireFormat: WireFormat = {
  // People write this base URL with and without its version.
  path: ({ baseUrl }) =>
    baseUrl.replace(/\/+$/, "").endsWith("/v1") ? "/messages" : "/v1/messages",
  headers: { "anthropic-version": "2023-06-01" },
  credential: (key) => ({ "x-api-key": key }),
  body: anthropicRequest,
  // Not the class itself, which is not made yet here.
  reader: (options) => new AnthropicReader(options),
};

/** The start of a block. */
type NewBlock =
  | { type: "text" }
  | { type: "thinking"; redacted?: boolean }
  | { type: "toolcall"; id: string; toolName: string };

/** A block that is being received. */
interface OpenBlock {
  type: NewBlock["type"];
  contentIndex: number;
  signature: string;
  /** The arguments that came with the block's start; used when no others follow. */
  wholeInput: string;
  hasDelta: boolean;
}

/**
 * Reads the events of a message. Nothing but `message_stop` completes it.
 * Events and blocks of unknown types are skipped; blocks are counted without
 * them.
 */
class AnthropicReader extends ResponseReader {
  announced = false;
  /** By the server's index. */
  #open = new Map<unknown, OpenBlock>();
  /** Indexes of blocks of unknown types. */
  #skipped = new Set<unknown>();
  #stopReason: string | undefined;
  #explanation: unknown;

  protected read(event: JsonRecord): boolean {
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
        this.count(event.usage);
        break;
      case "message_stop":
        this.announced = true;
        return true;
      case "error":
        throw this.errors.fromEvent(event.error);
      case "ping":
        break;
      default:
        // Gateways send errors in other shapes too.
        if (event.error) throw this.errors.fromEvent(event.error);
    }
    return false;
  }

  protected stopReason(): StopReason {
    return { word: this.#stopReason, explanation: this.#explanation };
  }

  protected override endBlocks({ isCut }: { isCut: boolean }): void {
    for (const [index, block] of this.#open) {
      if (block.type === "toolcall" && !isCut) {
        throw this.cut("ended the answer inside a tool call");
      }
      this.#stop(index);
    }
  }

  #begin(message: JsonRecord): void {
    this.out.start(asText(message.id), asText(message.model));
    this.count(message.usage);
  }

  #start(index: unknown, block: JsonRecord): void {
    this.out.start();
    switch (block.type as BlockType) {
      case "text":
        this.#openBlock(index, { type: "text" });
        this.#grow(index, { type: "text_delta", text: block.text });
        break;
      case "thinking": {
        const { thinking, signature } = block;
        this.#openBlock(index, { type: "thinking" });
        this.#grow(index, { type: "thinking_delta", thinking });
        this.#grow(index, { type: "signature_delta", signature });
        break;
      }
      case "redacted_thinking": {
        const open = this.#openBlock(index, {
          type: "thinking",
          redacted: true,
        });
        open.signature = asText(block.data) ?? "";
        break;
      }
      case "tool_use": {
        const id = this.ids.give(asText(block.id) ?? "");
        const toolName = asText(block.name) ?? "";
        const open = this.#openBlock(index, { type: "toolcall", id, toolName });
        open.wholeInput = argumentsText(block.input);
        this.hasCalls = true;
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
    switch (delta.type as BlockDeltaType) {
      case "text_delta":
        this.#add(open, "text", asText(delta.text) ?? "");
        break;
      case "thinking_delta":
        this.#add(open, "thinking", asText(delta.thinking) ?? "");
        break;
      case "signature_delta":
        open.signature += asText(delta.signature) ?? "";
        break;
      case "input_json_delta":
        this.#add(open, "toolcall", argumentsText(delta.partial_json));
        break;
    }
  }

  /** Adds to a block, unless the delta is of another type. */
  #add(open: OpenBlock, type: OpenBlock["type"], delta: string): void {
    if (open.type !== type) return;
    open.hasDelta ||= delta !== "";
    const { contentIndex } = open;
    this.out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  #stop(index: unknown): void {
    const open = this.#open.get(index);
    if (!open) return;
    this.#open.delete(index);
    const { type, contentIndex, signature, wholeInput } = open;
    if (type === "toolcall" && !open.hasDelta) {
      this.#add(open, type, wholeInput);
    }
    if (type === "thinking" && signature !== "") {
      const contentSignature = signature;
      this.out.push({ type: `${type}_end`, contentIndex, contentSignature });
    } else {
      this.out.push({ type: `${type}_end`, contentIndex });
    }
  }

  /** Opens a block; one that is still open under this index ends. */
  #openBlock(index: unknown, { type, ...more }: NewBlock): OpenBlock {
    this.#stop(index);
    const contentIndex = this.out.nextIndex();
    const block: OpenBlock = {
      type,
      contentIndex,
      signature: "",
      wholeInput: "",
      hasDelta: false,
    };
    this.#open.set(index, block);
    this.out.push(
      { type: `${type}_start`, contentIndex, ...more } as AssistantDelta,
    );
    return block;
  }

  #explain(delta: JsonRecord): void {
    this.#stopReason = asText(delta.stop_reason) ?? this.#stopReason;
    this.#explanation = asRecord(delta.stop_details)?.explanation;
  }

  protected counted(counts: JsonRecord): TokenCounts {
    return {
      input: counts.input_tokens,
      output: counts.output_tokens,
      cacheRead: counts.cache_read_input_tokens,
      cacheWrite: counts.cache_creation_input_tokens,
      reasoning: asRecord(counts.output_tokens_details)?.thinking_tokens,
    };
  }
}
