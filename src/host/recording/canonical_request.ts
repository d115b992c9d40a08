import type {
  AssistantContent,
  JsonValue,
  UserContent,
} from "../../model/content.ts";
import type { Message } from "../../model/message.ts";
import { stableJson } from "../../model/stable_json.ts";
import type { Context, StreamOptions } from "../../model/stream.ts";
import type { NeutralText } from "./neutral_text.ts";

/**
 * The content of a request, in no wire format and without what differs from run
 * to run: two runs of the same conversation have the same canonical requests.
 *
 * Not in it: who answers and where, ids of calls and responses, signatures,
 * times, costs, and answers that failed, which no provider is sent.
 */
export interface CanonicalRequest {
  /** JSON of all but the messages. */
  settings: string;
  /** JSON of each message. */
  messages: string[];
}

/** The part of a request that counts: all, or the messages of users and tools. */
export type CanonicalScope = "everything" | "prompts";

/** The canonical form of a request. Changes nothing but what `neutral` has seen. */
export async function canonicalRequest(
  { context, options }: { context: Context; options: StreamOptions },
  neutral: NeutralText,
  scope: CanonicalScope = "everything",
): Promise<CanonicalRequest> {
  const isAll = scope === "everything";
  const { systemPrompt, tools } = context;
  const { reasoning, toolChoice, temperature, maxTokens } = options;
  const settings = isAll
    ? { systemPrompt, tools, reasoning, toolChoice, temperature, maxTokens }
    : {};
  const canonical = (value: unknown) =>
    stableJson(mapStrings(value, (text) => neutral.canonical(text)));
  const messages: string[] = [];
  const parts = { settings: canonical(settings), messages };
  for (const message of context.messages) {
    if (!isAll && !isPrompt(message)) continue;
    const content = await contentOf(message);
    if (content) messages.push(canonical(content));
  }
  return parts;
}

/** Names a canonical request: SHA-256 in hexadecimal. */
export async function hashOfRequest(
  { settings, messages }: CanonicalRequest,
): Promise<string> {
  return await sha256([settings, ...messages].join("\n"));
}

/** A copy of JSON with every string, names of members included, replaced. */
export function mapStrings(
  value: unknown,
  map: (text: string) => string,
): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      map(key),
      mapStrings(item, map),
    ]),
  );
}

function isPrompt({ role }: Message): boolean {
  return role === "user" || role === "toolResult";
}

/** The content of a message, or undefined where it has none. */
async function contentOf(message: Message): Promise<object | undefined> {
  switch (message.role) {
    case "system": {
      const { role, content, sections, toolsAdded, toolsRemoved } = message;
      const text = await textOf(content);
      return { role, text, sections, toolsAdded, toolsRemoved };
    }
    case "user":
      return { role: message.role, text: await textOf(message.content) };
    case "assistant": {
      const { role, content, stopReason } = message;
      if (stopReason === "error" || stopReason === "aborted") return undefined;
      return { role, content: content.map(blockOf) };
    }
    case "toolResult": {
      const { role, toolName, isError, content } = message;
      return { role, toolName, isError, text: await textOf(content) };
    }
  }
}

function blockOf(block: AssistantContent): Record<string, JsonValue> {
  switch (block.type) {
    case "text":
      return { type: block.type, text: block.text };
    case "thinking":
      return { type: block.type, thinking: block.thinking };
    case "toolCall": {
      const { type, name, arguments: args } = block;
      return { type, name, arguments: args };
    }
  }
}

async function textOf(content: string | UserContent[]): Promise<string> {
  if (typeof content === "string") return content;
  const texts: string[] = [];
  for (const block of content) {
    texts.push(
      block.type === "text"
        ? block.text
        : `[${block.mimeType} ${await sha256(block.data)}]`,
    );
  }
  return texts.join("\n");
}

async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
