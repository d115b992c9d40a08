import type OpenAI from "openai";
import type { AssistantContent, UserContent } from "../../model/content.ts";
import { textOf } from "../../model/message.ts";
import type { Model } from "../../model/model.ts";
import type { Context, StreamOptions } from "../../model/stream.ts";
import { dataUrl, openaiStrictTools, reasoningEffort } from "./openai_rules.ts";
import { type PreparedMessage, prepareMessages } from "../prepare_messages.ts";
import { findPreset } from "../presets.ts";
import type { ToolCallIdRules } from "../tool_call_ids.ts";
import { wellFormedJson } from "../json_value.ts";

/** The body of a request, with the fields that only some servers know. */
export type CompletionsRequestWire =
  & OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming
  & { messages: CompletionsMessageWire[] };

type Wire = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type PartWire = OpenAI.Chat.Completions.ChatCompletionContentPart;

/** The fields in which servers send reasoning, and in which they take it back. */
export const REASONING_FIELDS = [
  "reasoning_content",
  "reasoning",
  "reasoning_text",
] as const;

/** A message, with the reasoning that is replayed to the model that it came from. */
export type CompletionsMessageWire =
  & Wire
  & { [Field in (typeof REASONING_FIELDS)[number]]?: string };

/** Builds the body of a request. Throws a `ModelError` for a tool that must be strict and cannot be. */
export function completionsRequest(
  model: Model,
  context: Context,
  options: StreamOptions,
): CompletionsRequestWire {
  const preset = findPreset(model.provider);
  const prepared = prepareMessages(context, {
    model,
    idRules: idRules(model.provider),
  });
  const messages: CompletionsMessageWire[] = [];
  if (prepared.systemPrompt !== undefined) {
    messages.push({ role: "system", content: prepared.systemPrompt });
  }
  addMessages(messages, prepared.messages);
  const body: CompletionsRequestWire = {
    model: model.id,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  };
  const maxTokens = options.maxTokens ?? model.maxTokens;
  if (maxTokens >= 1) {
    body[preset?.maxTokensField ?? "max_completion_tokens"] = maxTokens;
  }
  if (prepared.tools.length > 0) {
    const strict = openaiStrictTools(model, prepared.tools);
    body.tools = prepared.tools.map((tool) => ({
      type: "function",
      function: {
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters as OpenAI.FunctionParameters,
        ...(strict.has(tool) ? { strict: true } : {}),
      },
    }));
    // Without tools a server refuses the choice among them.
    if (options.toolChoice) body.tool_choice = options.toolChoice;
  }
  if (options.temperature !== undefined) body.temperature = options.temperature;
  if (options.reasoning && model.reasoning) {
    body.reasoning_effort = reasoningEffort(model, options.reasoning);
  }
  if (options.sessionId && model.provider === "openai") {
    body.prompt_cache_key = options.sessionId;
  }
  return body;
}

function idRules(provider: string): ToolCallIdRules {
  const length = findPreset(provider)?.toolCallIdLength;
  return length === undefined
    ? { maxLength: 64 }
    : { maxLength: length, exact: true, forbidden: /[^a-zA-Z0-9]/g };
}

function addMessages(
  messages: CompletionsMessageWire[],
  prepared: PreparedMessage[],
): void {
  // Tool messages hold text only; pictures follow once all results are there.
  let pictures: PartWire[] = [];
  const flush = (content: UserContent[]) => {
    const parts = [...pictures, ...content.map(part)];
    pictures = [];
    if (parts.length > 0) {
      messages.push({ role: "user", content: merge(parts) });
    }
  };
  for (const message of prepared) {
    if (message.role === "toolResult") {
      const { toolCallId, toolName, content } = message;
      const images = content.filter((block) => block.type === "image");
      messages.push({
        role: "tool",
        tool_call_id: toolCallId,
        content: textOf(content) || "(see the image below)",
      });
      if (images.length > 0) {
        pictures.push(
          { type: "text", text: `Image of ${toolName}:` },
          ...images.map(part),
        );
      }
    } else if (message.role === "user") {
      flush(message.content);
    } else {
      flush([]);
      messages.push(assistant(message.content));
    }
  }
  flush([]);
}

function part(block: UserContent): PartWire {
  if (block.type === "text") return { type: "text", text: block.text };
  return { type: "image_url", image_url: { url: dataUrl(block) } };
}

/** A string where there is only text: servers with plain chat templates take nothing else. */
function merge(parts: PartWire[]): string | PartWire[] {
  const texts: string[] = [];
  for (const item of parts) {
    if (item.type !== "text") return parts;
    texts.push(item.text);
  }
  return texts.join("\n\n");
}

function assistant(content: AssistantContent[]): CompletionsMessageWire {
  const texts: string[] = [];
  const calls: OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall[] =
    [];
  const message: CompletionsMessageWire = { role: "assistant", content: null };
  for (const block of content) {
    if (block.type === "text") {
      texts.push(block.text);
    } else if (block.type === "toolCall") {
      calls.push({
        id: block.id,
        type: "function",
        function: {
          name: block.name,
          arguments: wellFormedJson(block.arguments),
        },
      });
    } else {
      const field = REASONING_FIELDS.find((name) =>
        name === block.thinkingSignature
      );
      if (field) message[field] = (message[field] ?? "") + block.thinking;
    }
  }
  if (texts.length > 0) message.content = texts.join("\n\n");
  if (calls.length > 0) message.tool_calls = calls;
  return message;
}
