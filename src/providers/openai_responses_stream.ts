import type OpenAI from "openai";
import { emptyUsage, type Usage } from "../model/message.ts";
import type { Model } from "../model/model.ts";
import type { AssistantDelta, Context } from "../model/stream.ts";
import { DeltaWriter } from "./delta_writer.ts";
import {
  argumentsText,
  asArray,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "./json_value.ts";
import {
  type ItemBlock,
  itemBlock,
  itemId,
  itemSignature,
  itemText,
} from "./openai_responses_items.ts";
import type { ProviderErrors } from "./provider_error.ts";
import type { ResponseReader } from "./stream_response.ts";
import { type ToolCallIds, usedToolCallIds } from "./tool_call_ids.ts";
import { priceUsage, tokenCount } from "./usage.ts";

type EventType = OpenAI.Responses.ResponseStreamEvent["type"];

/** An item of the output that becomes a block. */
interface Item {
  type: ItemBlock;
  contentIndex: number;
  /** The server's id. */
  id: string | undefined;
  /** The id of its call, as it came; ours may differ. */
  callId: string | undefined;
  /** The server's place of the item. */
  key: number | string | undefined;
  /** All that was received of it. */
  said: string;
  /** Which of its parts grows. */
  part: string | undefined;
  /** True once the server said that the arguments are complete. */
  isWhole: boolean;
  hasEnded: boolean;
}

/**
 * Reads the events of a response. `response.completed` and
 * `response.incomplete` complete it, nothing else does.
 *
 * An item of the output is a block; its parts are joined. Where an item's end
 * says more than its deltas did, the rest is added then. A call that the server
 * did not end must have arguments that are complete JSON. Events and items of
 * unknown types are skipped.
 */
export class ResponsesReader implements ResponseReader {
  #model: Model;
  #errors: ProviderErrors;
  #out = new DeltaWriter();
  #ids: ToolCallIds;
  #items: Item[] = [];
  #byId = new Map<string, Item>();
  /** The latest item of each place. */
  #byKey = new Map<Item["key"], Item>();
  /** The response as it was at its end. */
  #final: JsonRecord | undefined;
  #usage: JsonRecord | undefined;

  constructor(
    model: Model,
    { context, errors }: { context: Context; errors: ProviderErrors },
  ) {
    this.#model = model;
    this.#errors = errors;
    this.#ids = usedToolCallIds(context);
  }

  get announced(): boolean {
    return this.#final !== undefined;
  }

  take(): AssistantDelta[] {
    return this.#out.take();
  }

  add(data: string): boolean {
    if (data.trim() === "") return false;
    const event = asRecord(parseJson(data));
    if (!event) throw this.#cut("sent an event that is not complete JSON");
    switch (event.type as EventType) {
      case "response.created":
      case "response.queued":
      case "response.in_progress":
        this.#begin(asRecord(event.response) ?? {});
        break;
      case "response.output_item.added":
        this.#added(keyOf(event), asRecord(event.item) ?? {});
        break;
      case "response.output_item.done":
        this.#done(keyOf(event), asRecord(event.item) ?? {});
        break;
      case "response.output_text.delta":
      case "response.refusal.delta":
        this.#grow(event, "text");
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#grow(event, "thinking");
        break;
      case "response.function_call_arguments.delta":
        this.#say(this.#call(event), asText(event.delta) ?? "");
        break;
      case "response.function_call_arguments.done": {
        const call = this.#call(event);
        if (call.isWhole) break;
        this.#fill(call, argumentsText(event.arguments));
        call.isWhole = true;
        break;
      }
      case "response.completed":
        this.#finish(event.response);
        return true;
      case "response.incomplete":
        this.#finish(event.response).status = "incomplete";
        return true;
      case "response.failed":
        throw this.#errors.fromEvent(this.#finish(event.response).error);
      case "error":
        throw this.#errors.fromEvent(asRecord(event.error) ?? event);
      default:
        // Gateways send errors in other shapes too.
        if (event.error) throw this.#errors.fromEvent(event.error);
    }
    return false;
  }

  end(): void {
    if (!this.#final) {
      throw this.#cut("ended the answer before it was complete");
    }
    const { status, error, incomplete_details, output } = this.#final;
    if (error || status === "failed" || status === "cancelled") {
      throw this.#errors.fromEvent(error);
    }
    const why = asText(asRecord(incomplete_details)?.reason);
    if (why === "content_filter") {
      throw this.#errors.of(
        "content_filter",
        "withheld the answer (content_filter)",
      );
    }
    const isCutByLimit = why === "max_output_tokens";
    if (!isCutByLimit && (why !== undefined || status === "incomplete")) {
      throw this.#cut(`broke the answer off (${why ?? "no reason given"})`);
    }
    this.#endItems(asArray(output), { isCutByLimit });
    const hasCalls = this.#items.some(({ type }) => type === "toolcall");
    this.#out.start();
    this.#out.push({
      type: "done",
      reason: isCutByLimit ? "length" : hasCalls ? "toolUse" : "stop",
      usage: this.usage() ?? emptyUsage(),
      rawStopReason: why ?? asText(status) ?? "completed",
    });
  }

  usage(): Usage | undefined {
    if (!this.#usage) return undefined;
    const { input_tokens, output_tokens } = this.#usage;
    const input = asRecord(this.#usage.input_tokens_details) ?? {};
    const output = asRecord(this.#usage.output_tokens_details) ?? {};
    const cacheRead = tokenCount(input.cached_tokens);
    const cacheWrite = tokenCount(input.cache_write_tokens);
    return priceUsage(this.#model, {
      input: tokenCount(input_tokens) - cacheRead - cacheWrite,
      output: output_tokens,
      cacheRead,
      cacheWrite,
      reasoning: output.reasoning_tokens,
    });
  }

  #cut(words: string): Error {
    return this.#errors.of("stream_cut", words);
  }

  #begin(response: JsonRecord): void {
    this.#out.start(asText(response.id), asText(response.model));
    this.#usage = asRecord(response.usage) ?? this.#usage;
  }

  #finish(response: unknown): JsonRecord {
    this.#final = asRecord(response) ?? {};
    this.#begin(this.#final);
    return this.#final;
  }

  #added(key: Item["key"], wire: JsonRecord): Item | undefined {
    const type = itemBlock(wire);
    if (!type) return undefined;
    // Some servers say it twice, and some give all items the same place.
    const known = this.#find(itemId(wire), key);
    const isKnown = known?.type === type && known.id === itemId(wire) &&
      (known.id !== undefined || !known.hasEnded);
    return isKnown ? known : this.#open(type, { key, wire });
  }

  #done(key: Item["key"], wire: JsonRecord): void {
    // Some servers give an item another id at its end.
    const known = this.#find(itemId(wire), key);
    const item = known && !known.hasEnded && isOf(known, wire)
      ? known
      : this.#added(key, wire);
    if (!item || item.hasEnded) return;
    this.#fill(item, itemText(item.type, wire));
    this.#end(item, wire);
  }

  /** The item of an id, or else of a place. */
  #find(id: string | undefined, key: Item["key"]): Item | undefined {
    return this.#byId.get(id ?? "") ?? this.#byKey.get(key);
  }

  #open(
    type: ItemBlock,
    { key, wire }: { key: Item["key"]; wire: JsonRecord },
  ): Item {
    this.#out.start();
    const item: Item = {
      type,
      contentIndex: this.#out.nextIndex(),
      id: itemId(wire),
      callId: asText(wire.call_id),
      key,
      said: "",
      part: undefined,
      isWhole: false,
      hasEnded: false,
    };
    this.#items.push(item);
    this.#byKey.set(key, item);
    if (item.id !== undefined) this.#byId.set(item.id, item);
    const { contentIndex } = item;
    if (type === "toolcall") {
      this.#out.push({
        type: "toolcall_start",
        contentIndex,
        id: this.#ids.give(item.callId ?? item.id ?? ""),
        toolName: asText(wire.name) ?? "",
      });
    } else {
      this.#out.push({ type: `${type}_start`, contentIndex });
    }
    return item;
  }

  /** Takes a delta of text or thinking. */
  #grow(event: JsonRecord, type: "text" | "thinking"): void {
    const delta = asText(event.delta);
    if (delta === undefined) return;
    const key = keyOf(event);
    const item = this.#find(asText(event.item_id), key) ??
      this.#open(type, { key, wire: {} });
    if (item.type !== type) return;
    const place = [event.summary_index, event.content_index]
      .find((index) => typeof index === "number");
    const part = `${event.type} ${place}`;
    const isNext = type === "thinking" && item.said !== "" &&
      item.part !== part;
    item.part = part;
    this.#say(item, isNext ? `\n\n${delta}` : delta);
  }

  /** The call that an event about arguments belongs to. */
  #call(event: JsonRecord): Item {
    const item = this.#find(asText(event.item_id), keyOf(event));
    if (item?.type === "toolcall") return item;
    throw this.#cut("sent arguments of a tool call that it had not announced");
  }

  #say(item: Item, delta: string): void {
    if (item.hasEnded) return;
    item.said += delta;
    const { type, contentIndex } = item;
    this.#out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  /** Adds what the deltas left out of the whole. */
  #fill(item: Item, whole: string): void {
    if (whole.startsWith(item.said)) {
      this.#say(item, whole.slice(item.said.length));
    } else if (
      item.type === "toolcall" && whole !== "" &&
      parseJson(item.said) === undefined
    ) {
      throw this.#cut("sent two versions of the arguments of a tool call");
    }
  }

  /** Ends the items that the server did not end. */
  #endItems(
    output: unknown[],
    { isCutByLimit }: { isCutByLimit: boolean },
  ): void {
    const wires = output.map((wire) => asRecord(wire) ?? {});
    const byId = new Map(wires.map((wire) => [itemId(wire), wire]));
    if (this.#items.length === 0) {
      // Some servers send the whole answer at its end only.
      for (const [key, wire] of wires.entries()) this.#done(key, wire);
    }
    for (const item of this.#items) {
      if (item.hasEnded) continue;
      const placed = typeof item.key === "number" ? wires[item.key] : undefined;
      const wire = (item.id && byId.get(item.id)) ||
        (placed && isOf(item, placed) ? placed : {});
      this.#fill(item, itemText(item.type, wire));
      if (item.type === "toolcall" && !item.isWhole && !isCutByLimit) {
        const isEmpty = item.said === "" && wire.arguments === "";
        if (!isEmpty && parseJson(item.said) === undefined) {
          throw this.#cut("ended the answer inside a tool call");
        }
      }
      this.#end(item, wire);
    }
  }

  #end(item: Item, wire: JsonRecord): void {
    item.hasEnded = true;
    const { type, contentIndex } = item;
    const contentSignature = itemSignature(type, wire);
    if (type === "toolcall" || contentSignature === undefined) {
      this.#out.push({ type: `${type}_end`, contentIndex });
    } else {
      this.#out.push({ type: `${type}_end`, contentIndex, contentSignature });
    }
  }
}

/** Whether what a server says at an item's place may be about that item. */
function isOf(item: Item, wire: JsonRecord): boolean {
  const callId = asText(wire.call_id) ?? item.callId;
  return item.type === itemBlock(wire) &&
    (item.callId === undefined || callId === item.callId);
}

function keyOf(event: JsonRecord): Item["key"] {
  const { output_index, item_id, item } = event;
  return typeof output_index === "number"
    ? output_index
    : asText(item_id) ?? asText(asRecord(item)?.id);
}
