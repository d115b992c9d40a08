import type OpenAI from "openai";
import {
  argumentsText,
  asArray,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "../json_value.ts";
import {
  type ItemBlock,
  itemBlock,
  itemId,
  itemSignature,
  itemText,
} from "./openai_responses_items.ts";
import { responsesRequest } from "./openai_responses_request.ts";
import { ResponseReader } from "../response_reader.ts";
import type { StopReason } from "../stop_reasons.ts";
import { tokenCount, type TokenCounts } from "../usage.ts";
import type { WireFormat } from "../wire_format.ts";

type EventType = OpenAI.Responses.ResponseStreamEvent["type"];

/** Responses: OpenAI's later format. Nothing is stored at the server; each request says everything. */
export const wireFormat: WireFormat = {
  path: () => "/responses",
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  body: responsesRequest,
  reader: (options) => new ResponsesReader(options),
};

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
  /** The text that was received. */
  received: string;
  /** The part that grows. */
  part: string | undefined;
  /** True once the server said that the arguments are complete. */
  isWhole: boolean;
  hasEnded: boolean;
}

/**
 * Reads the events of a response. `response.completed` and
 * `response.incomplete` complete it, nothing else does.
 *
 * An item of the output is a block; its parts are joined. Where the end of an
 * item has more text than its deltas had, the rest is added then. A call that the server
 * did not end must have arguments that are complete JSON. Events and items of
 * unknown types are skipped.
 */
class ResponsesReader extends ResponseReader {
  #items: Item[] = [];
  #byId = new Map<string, Item>();
  /** The latest item of each place. */
  #byKey = new Map<Item["key"], Item>();
  /** The response as it was at its end. */
  #final: JsonRecord | undefined;

  get announced(): boolean {
    return this.#final !== undefined;
  }

  protected read(event: JsonRecord): boolean {
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
        throw this.errors.fromEvent(this.#finish(event.response).error);
      case "error":
        throw this.errors.fromEvent(asRecord(event.error) ?? event);
      default:
        // Gateways send errors in other shapes too.
        if (event.error) throw this.errors.fromEvent(event.error);
    }
    return false;
  }

  protected stopReason(): StopReason {
    const { status, error, incomplete_details } = this.#final ?? {};
    if (error) throw this.errors.fromEvent(error);
    const why = asText(asRecord(incomplete_details)?.reason);
    return why === undefined
      ? { word: asText(status) ?? "completed" }
      : { word: why, unlisted: "broken" };
  }

  protected counted(counts: JsonRecord): TokenCounts {
    const input = asRecord(counts.input_tokens_details) ?? {};
    const output = asRecord(counts.output_tokens_details) ?? {};
    const cacheRead = tokenCount(input.cached_tokens);
    const cacheWrite = tokenCount(input.cache_write_tokens);
    return {
      input: tokenCount(counts.input_tokens) - cacheRead - cacheWrite,
      output: counts.output_tokens,
      cacheRead,
      cacheWrite,
      reasoning: output.reasoning_tokens,
    };
  }

  #begin(response: JsonRecord): void {
    this.out.start(asText(response.id), asText(response.model));
    this.count(response.usage);
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
    this.out.start();
    this.hasCalls ||= type === "toolcall";
    const item: Item = {
      type,
      contentIndex: this.out.nextIndex(),
      id: itemId(wire),
      callId: asText(wire.call_id),
      key,
      received: "",
      part: undefined,
      isWhole: false,
      hasEnded: false,
    };
    this.#items.push(item);
    this.#byKey.set(key, item);
    if (item.id !== undefined) this.#byId.set(item.id, item);
    const { contentIndex } = item;
    if (type === "toolcall") {
      this.out.push({
        type: "toolcall_start",
        contentIndex,
        id: this.ids.give(item.callId ?? item.id ?? ""),
        toolName: asText(wire.name) ?? "",
      });
    } else {
      this.out.push({ type: `${type}_start`, contentIndex });
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
    const isNext = type === "thinking" && item.received !== "" &&
      item.part !== part;
    item.part = part;
    this.#say(item, isNext ? `\n\n${delta}` : delta);
  }

  /** The call that an event about arguments belongs to. */
  #call(event: JsonRecord): Item {
    const item = this.#find(asText(event.item_id), keyOf(event));
    if (item?.type === "toolcall") return item;
    throw this.cut("sent arguments of a tool call that it had not announced");
  }

  #say(item: Item, delta: string): void {
    if (item.hasEnded) return;
    item.received += delta;
    const { type, contentIndex } = item;
    this.out.push({ type: `${type}_delta`, contentIndex, delta });
  }

  /** Adds the rest of the whole text to what the deltas had. */
  #fill(item: Item, whole: string): void {
    if (whole.startsWith(item.received)) {
      this.#say(item, whole.slice(item.received.length));
    } else if (
      item.type === "toolcall" && whole !== "" &&
      parseJson(item.received) === undefined
    ) {
      throw this.cut("sent two versions of the arguments of a tool call");
    }
  }

  /** Ends the items that the server did not end. */
  protected override endBlocks({ isCut }: { isCut: boolean }): void {
    const wires = asArray(this.#final?.output)
      .map((wire) => asRecord(wire) ?? {});
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
      if (item.type === "toolcall" && !item.isWhole && !isCut) {
        const isEmpty = item.received === "" && wire.arguments === "";
        if (!isEmpty && parseJson(item.received) === undefined) {
          throw this.cut("ended the answer inside a tool call");
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
      this.out.push({ type: `${type}_end`, contentIndex });
    } else {
      this.out.push({ type: `${type}_end`, contentIndex, contentSignature });
    }
  }
}

/** True when the data at an item's place may belong to that item. */
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
