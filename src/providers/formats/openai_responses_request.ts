import type OpenAI from "openai";
import type { AssistantContent, UserContent } from "../../model/content.ts";
import { textOf } from "../../model/message.ts";
import type { Model } from "../../model/model.ts";
import type { Context, StreamOptions } from "../../model/stream.ts";
import { messagePhase, reasoningItem } from "./openai_responses_items.ts";
import { dataUrl, openaiStrictTools, reasoningEffort } from "./openai_rules.ts";
import { type PreparedMessage, prepareMessages } from "../prepare_messages.ts";
import { wellFormedJson } from "../json_value.ts";

/** The body of a request. */
export type ResponsesRequestWire =
  & OpenAI.Responses.ResponseCreateParamsStreaming
  & { input: ItemWire[] };

type ItemWire = OpenAI.Responses.ResponseInputItem;
type PartWire =
  | OpenAI.Responses.ResponseInputText
  | OpenAI.Responses.ResponseInputImage;

/** The server refuses a lower limit. */
const MIN_OUTPUT_TOKENS = 16;

/** Builds the body of a request. Throws a `ModelError` for a tool that must be strict and cannot be. */
export function responsesRequest(
  model: Model,
  context: Context,
  options: StreamOptions,
): ResponsesRequestWire {
  const prepared = prepareMessages(context, { model });
  const body: ResponsesRequestWire = {
    model: model.id,
    input: prepared.messages.flatMap(itemsOf),
    stream: true,
    store: false,
  };
  if (prepared.systemPrompt !== undefined) {
    body.instructions = prepared.systemPrompt;
  }
  const maxTokens = options.maxTokens ?? model.maxTokens;
  if (maxTokens >= 1) {
    body.max_output_tokens = Math.max(maxTokens, MIN_OUTPUT_TOKENS);
  }
  if (prepared.tools.length > 0) {
    const strict = openaiStrictTools(model, prepared.tools);
    body.tools = prepared.tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters as OpenAI.FunctionParameters,
      // Without the word this format makes every tool strict, and changes its schema for it.
      strict: strict.has(tool),
    }));
    // Without tools a server refuses the choice among them.
    if (options.toolChoice) body.tool_choice = options.toolChoice;
  }
  if (options.temperature !== undefined) body.temperature = options.temperature;
  if (model.reasoning) {
    // Also when no effort was asked for: many of these models think all the same.
    body.include = ["reasoning.encrypted_content"];
    if (options.reasoning) {
      const effort = reasoningEffort(model, options.reasoning);
      body.reasoning = { effort, summary: "auto" };
    }
  }
  if (options.sessionId && model.provider === "openai") {
    body.prompt_cache_key = options.sessionId;
  }
  return body;
}

function itemsOf(message: PreparedMessage): ItemWire[] {
  if (message.role === "assistant") return answerItems(message.content);
  if (message.role === "user") {
    return [{ role: "user", content: message.content.map(part) }];
  }
  const { toolCallId: call_id, content } = message;
  const hasImage = content.some((block) => block.type === "image");
  const output = hasImage ? content.map(part) : textOf(content);
  return [{ type: "function_call_output", call_id, output }];
}

function part(block: UserContent): PartWire {
  if (block.type === "text") return { type: "input_text", text: block.text };
  return { type: "input_image", detail: "auto", image_url: dataUrl(block) };
}

function answerItems(content: AssistantContent[]): ItemWire[] {
  // Reasoning that led to nothing is refused.
  const last = content.findLastIndex((block) => block.type !== "thinking");
  return content.slice(0, last + 1).flatMap((block): ItemWire[] => {
    if (block.type === "text") {
      const phase = messagePhase(block.textSignature);
      return [{
        role: "assistant",
        content: block.text,
        ...(phase === undefined ? {} : { phase }),
      }];
    }
    if (block.type === "thinking") {
      const item = reasoningItem(block.thinkingSignature);
      return item ? [item] : [];
    }
    return [{
      type: "function_call",
      // Not its item's id: with that the server would look for what it has not stored.
      call_id: block.id,
      name: block.name,
      arguments: wellFormedJson(block.arguments),
    }];
  });
}
