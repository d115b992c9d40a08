import type { AssistantContent, UserContent } from "../../model/content.ts";
import type { Model } from "../../model/model.ts";
import type { Context, StreamOptions } from "../../model/stream.ts";
import type {
  GoogleContentWire,
  GooglePartWire,
  GoogleRequestWire,
  GoogleThinkingWire,
} from "./google_generative_ai_wire.ts";
import { asRecord } from "../json_value.ts";
import {
  type PreparedMessage,
  type PreparedResult,
  prepareMessages,
} from "../prepare_messages.ts";
import { strictTools } from "../strict_tools.ts";

type Level = NonNullable<StreamOptions["reasoning"]>;

/** Models before Gemini 3 are given a budget; no 2.5 model takes more than the last. */
const BUDGETS: Record<Level, number> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};
/** The smallest that every model with budgets takes. */
const MIN_BUDGET = 512;
/** Tokens that must be left for the answer after thinking. */
const ANSWER_TOKENS = 1024;

/** Every model takes these levels; several refuse MINIMAL. */
const LEVELS: Record<Level, GoogleThinkingWire["thinkingLevel"]> = {
  minimal: "LOW",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  xhigh: "HIGH",
  max: "HIGH",
};

/** The signature that the provider takes for a call that it did not sign; without one it refuses the request. */
const NOT_SIGNED = "skip_thought_signature_validator";

/** Builds the body of a request. Throws a `ModelError` for a tool that must be strict and cannot be. */
export function googleRequest(
  model: Model,
  context: Context,
  options: StreamOptions,
): GoogleRequestWire {
  const prepared = prepareMessages(context, { model, beginsWithUser: true });
  const body: GoogleRequestWire = {
    contents: contentsOf(prepared.messages, isGemini3(model)),
  };
  if (prepared.systemPrompt !== undefined) {
    body.systemInstruction = { parts: [{ text: prepared.systemPrompt }] };
  }
  if (prepared.tools.length > 0) {
    // Strict tools do not exist here: only refuses those that must be.
    strictTools(prepared.tools, undefined);
    const functionDeclarations = prepared.tools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parametersJsonSchema: withBareReferences(tool.parameters),
    }));
    body.tools = [{ functionDeclarations }];
    if (options.toolChoice) {
      const mode = options.toolChoice === "none" ? "NONE" : "AUTO";
      body.toolConfig = { functionCallingConfig: { mode } };
    }
  }
  const maxTokens = options.maxTokens ?? model.maxTokens;
  const thinkingConfig = thinkingOf(model, {
    level: options.reasoning,
    maxTokens,
  });
  const { temperature } = options;
  body.generationConfig = {
    ...(maxTokens >= 1 ? { maxOutputTokens: maxTokens } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(thinkingConfig ? { thinkingConfig } : {}),
  };
  return body;
}

/** Gemini 3 and what came after it, names without a number included. */
function isGemini3(model: Model): boolean {
  return /^gemini-(?![12]\b)/.test(model.id);
}

/** Without a level the field is absent: most models cannot be kept from thinking. */
function thinkingOf(
  model: Model,
  { level, maxTokens }: { level: Level | undefined; maxTokens: number },
): GoogleThinkingWire | undefined {
  if (!level || !model.reasoning) return undefined;
  if (isGemini3(model)) {
    return { includeThoughts: true, thinkingLevel: LEVELS[level] };
  }
  const budget = Math.min(BUDGETS[level], maxTokens - ANSWER_TOKENS);
  return {
    includeThoughts: true,
    ...(budget < MIN_BUDGET ? {} : { thinkingBudget: budget }),
  };
}

/** The provider refuses a reference with other words beside it than these. */
function withBareReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withBareReferences);
  const record = asRecord(schema);
  if (!record) return schema;
  const isReference = typeof record.$ref === "string";
  return Object.fromEntries(
    Object.entries(record)
      .filter(([word]) =>
        !isReference || ["$ref", "description", "default"].includes(word)
      )
      .map(([word, value]) => [word, withBareReferences(value)]),
  );
}

function contentsOf(
  prepared: PreparedMessage[],
  gemini3: boolean,
): GoogleContentWire[] {
  const contents: GoogleContentWire[] = [];
  // Pictures of results that results cannot hold; they follow all of them.
  let pictures: GooglePartWire[] = [];
  for (const [i, message] of prepared.entries()) {
    const role = message.role === "assistant" ? "model" : "user";
    let last = contents.at(-1);
    if (last?.role !== role) contents.push(last = { role, parts: [] });
    if (message.role === "assistant") {
      last.parts.push(...message.content.flatMap(answerParts));
      if (gemini3) signFirstCall(last.parts);
    } else if (message.role === "user") {
      last.parts.push(...message.content.map(userPart));
    } else {
      const { part, images } = resultPart(message);
      last.parts.push(part);
      if (gemini3 && images.length > 0 && part.functionResponse) {
        part.functionResponse.parts = images;
      } else if (images.length > 0) {
        pictures.push({ text: `Image of ${message.toolName}:` }, ...images);
      }
      if (prepared[i + 1]?.role !== "toolResult") {
        last.parts.push(...pictures);
        pictures = [];
      }
    }
  }
  return contents;
}

/** Signs the first of the calls of an answer; the provider wants no other signed. */
function signFirstCall(parts: GooglePartWire[]): void {
  const first = parts.find((part) => part.functionCall);
  if (first) first.thoughtSignature ??= NOT_SIGNED;
}

function answerParts(block: AssistantContent): GooglePartWire[] {
  if (block.type === "text") {
    return [{ text: block.text, ...signed(block.textSignature) }];
  }
  if (block.type === "thinking") {
    const { thinking: text, thinkingSignature } = block;
    // A part may not be empty.
    if (text.trim() === "") return [];
    return [{ text, thought: true, ...signed(thinkingSignature) }];
  }
  const { id, arguments: args } = block;
  return [{
    functionCall: { id, name: functionName(block.name), args },
    ...signed(block.thoughtSignature),
  }];
}

function signed(
  thoughtSignature: string | undefined,
): Pick<GooglePartWire, "thoughtSignature"> {
  return thoughtSignature ? { thoughtSignature } : {};
}

function resultPart(
  { toolCallId, toolName, content, isError }: PreparedResult,
): {
  part: GooglePartWire;
  images: Required<Pick<GooglePartWire, "inlineData">>[];
} {
  const parts = content.map(userPart);
  const images = parts.flatMap(({ inlineData }) =>
    inlineData ? [{ inlineData }] : []
  );
  const texts = parts.flatMap(({ text }) => text ?? []);
  const text = texts.join("\n") || "(see the image)";
  const response = isError ? { error: text } : { output: text };
  const name = functionName(toolName);
  return {
    part: { functionResponse: { id: toolCallId, name, response } },
    images,
  };
}

/** A name may begin with a letter or an underscore only; models invent others. */
function functionName(name: string): string {
  return /^[a-zA-Z_]/.test(name) ? name : `_${name}`.slice(0, 64);
}

function userPart(block: UserContent): GooglePartWire {
  if (block.type === "text") return { text: block.text };
  const { mimeType, data } = block;
  return mimeType === "image/gif"
    ? { text: "(image omitted: the model takes no GIF)" }
    : { inlineData: { mimeType, data } };
}
