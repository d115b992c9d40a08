import type OpenAI from "openai";
import {
  argumentsText,
  asArray,
  asRecord,
  asText,
  type JsonRecord,
  parseJson,
} from "../json_value.ts";

/** A reasoning item that can be sent again. */
export type ReasoningItemWire = OpenAI.Responses.ResponseReasoningItem;

/** The purpose of a message, where the server names it. It must be sent again with the message. */
export type MessagePhase = "commentary" | "final_answer";

/** Types of the blocks that items of the output become. */
export type ItemBlock = "text" | "thinking" | "toolcall";

/** The type of block that an item becomes; undefined for items that are skipped. */
export function itemBlock(item: JsonRecord): ItemBlock | undefined {
  switch (item.type as OpenAI.Responses.ResponseOutputItem["type"]) {
    case "message":
      return "text";
    case "reasoning":
      return "thinking";
    case "function_call":
      return "toolcall";
    default:
      return undefined;
  }
}

/** The id of an item, or else of its call, if it has any. */
export function itemId(item: JsonRecord): string | undefined {
  return asText(item.id) ?? asText(item.call_id);
}

/** The whole text of an item, its thoughts, or the arguments of its call. */
export function itemText(block: ItemBlock, item: JsonRecord): string {
  switch (block) {
    case "text":
      return partTexts(item.content).join("");
    case "thinking":
      return [...partTexts(item.summary), ...partTexts(item.content)]
        .join("\n\n");
    case "toolcall":
      return argumentsText(item.arguments);
  }
}

/**
 * The part of an item that must be sent again with its text. For reasoning it
 * is the whole item, but only when that is encrypted: the server has not stored
 * it and could not find it by its id.
 */
export function itemSignature(
  block: ItemBlock,
  item: JsonRecord,
): string | undefined {
  if (block === "text") return messagePhase(item.phase);
  const wire = block === "thinking" ? reasoningWire(item) : undefined;
  return wire && JSON.stringify(wire);
}

/** The phase that a signature names, or undefined. */
export function messagePhase(signature: unknown): MessagePhase | undefined {
  return signature === "commentary" || signature === "final_answer"
    ? signature
    : undefined;
}

/** The reasoning item of a signature, or undefined when it is none of ours. */
export function reasoningItem(
  signature: string | undefined,
): ReasoningItemWire | undefined {
  const item = asRecord(parseJson(signature ?? ""));
  return item && reasoningWire(item);
}

function reasoningWire(item: JsonRecord): ReasoningItemWire | undefined {
  const id = asText(item.id);
  const encrypted_content = asText(item.encrypted_content);
  if (id === undefined || encrypted_content === undefined) return undefined;
  const summary = partTexts(item.summary)
    .map((text) => ({ type: "summary_text" as const, text }));
  return { type: "reasoning", id, summary, encrypted_content };
}

function partTexts(parts: unknown): string[] {
  return asArray(parts).flatMap((part) => {
    const { text, refusal } = asRecord(part) ?? {};
    return asText(text) ?? asText(refusal) ?? [];
  });
}
