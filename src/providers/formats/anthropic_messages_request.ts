import type Anthropic from "@anthropic-ai/sdk";
import type { AssistantContent, UserContent } from "../../model/content.ts";
import type { Model } from "../../model/model.ts";
import type { Context, StreamOptions } from "../../model/stream.ts";
import { type PreparedMessage, prepareMessages } from "../prepare_messages.ts";
import { presetAtHome } from "../presets.ts";
import {
  STRICT_KEYWORDS,
  type StrictRules,
  strictTools,
} from "../strict_tools.ts";

/** The body of a request. `temperature` is for earlier models; the types of later ones lost it. */
export type AnthropicRequestWire = Anthropic.MessageCreateParamsStreaming & {
  temperature?: number;
};

type BlockWire = Anthropic.ContentBlockParam;
type MessageWire = { role: "user" | "assistant"; content: BlockWire[] };
type Level = NonNullable<StreamOptions["reasoning"]>;

const CACHE = { cache_control: { type: "ephemeral" } } as const;

/** Tokens of thinking for models that are given a budget. */
const BUDGETS: Record<Level, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 65_536,
};
const MIN_BUDGET = 1024;
/** Tokens that must be left for the answer after thinking. */
const ANSWER_TOKENS = 1024;

/** Strict schemas have no limits of strings and numbers, and no references. */
const STRICT_RULES: StrictRules = {
  keywords: new Set(STRICT_KEYWORDS),
  limits: { tools: 20, optional: 24, unions: 16 },
};

/** Builds the body of a request. Throws a `ModelError` for a tool that must be strict and cannot be. */
export function anthropicRequest(
  model: Model,
  context: Context,
  options: StreamOptions,
): AnthropicRequestWire {
  const prepared = prepareMessages(context, { model, beginsWithUser: true });
  const messages = messagesOf(prepared.messages);
  cacheLastUserBlock(messages);
  const maxTokens = options.maxTokens ?? model.maxTokens;
  const thinking = thinkingOf(model, { level: options.reasoning, maxTokens });
  const body: AnthropicRequestWire = {
    model: model.id,
    max_tokens: maxTokens,
    messages,
    stream: true,
    ...thinking,
  };
  if (prepared.systemPrompt !== undefined) {
    body.system = [{ type: "text", text: prepared.systemPrompt, ...CACHE }];
  }
  if (prepared.tools.length > 0) {
    const strict = strictTools(prepared.tools, strictRules(model));
    body.tools = prepared.tools.map((tool, i): Anthropic.Tool => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.parameters as Anthropic.Tool.InputSchema,
      ...(strict.has(tool) ? { strict: true } : {}),
      ...(i === prepared.tools.length - 1 ? CACHE : {}),
    }));
    if (options.toolChoice) body.tool_choice = { type: options.toolChoice };
  }
  // A model that thinks refuses any temperature but its own.
  if (options.temperature !== undefined && !thinking) {
    body.temperature = options.temperature;
  }
  return body;
}

/** Models before 4.5 refuse strict tools. */
function strictRules(model: Model): StrictRules | undefined {
  const knows = /claude-(fable|mythos|(opus|sonnet|haiku)-(4-[5-9]|[5-9]))\b/
    .test(model.id);
  return knows && presetAtHome(model)?.strictTools ? STRICT_RULES : undefined;
}

/**
 * The fields that ask for thinking: later models are given an effort and decide
 * how much they think, earlier ones need a budget and know no effort. Undefined
 * when the budget would leave no room for the answer.
 */
function thinkingOf(
  model: Model,
  { level, maxTokens }: { level: Level | undefined; maxTokens: number },
): Pick<AnthropicRequestWire, "thinking" | "output_config"> | undefined {
  if (!level || !model.reasoning) return undefined;
  if (
    /claude-(fable|mythos|(opus|sonnet|haiku)-(4-[6-9]|[5-9]))\b/.test(model.id)
  ) {
    return {
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: level === "minimal" ? "low" : level },
    };
  }
  const budget = Math.min(BUDGETS[level], maxTokens - ANSWER_TOKENS);
  if (budget < MIN_BUDGET) return undefined;
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

function messagesOf(prepared: PreparedMessage[]): MessageWire[] {
  const messages: MessageWire[] = [];
  for (const message of prepared) {
    const role = message.role === "assistant" ? "assistant" : "user";
    let last = messages.at(-1);
    if (last?.role !== role) messages.push(last = { role, content: [] });
    if (message.role === "assistant") {
      last.content.push(...message.content.map(answerBlock));
    } else if (message.role === "user") {
      last.content.push(...message.content.map(userBlock));
    } else {
      last.content.push({
        type: "tool_result",
        tool_use_id: message.toolCallId,
        content: message.content.map(userBlock),
        ...(message.isError ? { is_error: true } : {}),
      });
    }
  }
  return messages;
}

function userBlock(
  block: UserContent,
): Anthropic.TextBlockParam | Anthropic.ImageBlockParam {
  if (block.type === "text") return { type: "text", text: block.text };
  const media = block.mimeType as Anthropic.Base64ImageSource["media_type"];
  return {
    type: "image",
    source: { type: "base64", media_type: media, data: block.data },
  };
}

function answerBlock(block: AssistantContent): BlockWire {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "toolCall") {
    const { id, name, arguments: input } = block;
    return { type: "tool_use", id, name, input };
  }
  const { thinking, thinkingSignature: signature = "" } = block;
  return block.redacted
    ? { type: "redacted_thinking", data: signature }
    : { type: "thinking", thinking, signature };
}

/** Lets the provider reuse everything up to the newest message. */
function cacheLastUserBlock(messages: MessageWire[]): void {
  const last = messages.findLast((message) => message.role === "user");
  const block = last?.content.at(-1);
  if (last && block) {
    last.content[last.content.length - 1] = { ...block, ...CACHE } as BlockWire;
  }
}
