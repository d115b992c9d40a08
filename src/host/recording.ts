import type { AssistantContent, JsonValue, Message } from "../model/mod.ts";
import { textOf } from "../model/mod.ts";
import { UsageError } from "../settings/mod.ts";

/** One request of a recorded run, and the answer to it. */
export interface Exchange {
  /** The messages that the request brought, in canonical form. */
  request: CanonicalMessage[];
  response: {
    content: AssistantContent[];
    stopReason: "stop" | "toolUse" | "length";
    usage: { input: number; output: number };
  };
}

/** What is compared of a message: nothing that differs from run to run. */
export type CanonicalMessage =
  | { role: "user"; text: string }
  | {
    role: "toolResult";
    toolCallId: string;
    toolName: string;
    isError: boolean;
    text: string;
  };

/**
 * Reads a recording: JSON lines, a header and then one exchange a line. Throws
 * {@linkcode UsageError} with the name of the file and the line.
 */
export function parseRecording(text: string, name: string): Exchange[] {
  const exchanges: Exchange[] = [];
  let hasHeader = false;
  text.replace(/^\ufeff/, "").split("\n").forEach((line, index) => {
    if (line.trim() === "") return;
    const fail = (reason: string): never => {
      throw new UsageError(
        `Cannot replay "${name}": line ${index + 1}: ${reason}`,
      );
    };
    const value = parseLine(line) ?? fail("not a JSON object");
    if (!hasHeader) {
      if (value.type !== "recording") fail("a recording begins with a header");
      if (value.version !== 1) fail(`unknown version ${value.version}`);
      hasHeader = true;
    } else if (isExchange(value)) exchanges.push(value);
    else fail("not an exchange");
  });
  if (!hasHeader) throw new UsageError(`Cannot replay "${name}": it is empty`);
  return exchanges;
}

/** The canonical form of the messages that a recording compares; `{cwd}` stands for the working folder. */
export function canonicalMessages(
  messages: readonly Message[],
  cwd: string,
): CanonicalMessage[] {
  const canonical: CanonicalMessage[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      canonical.push({ role: "user", text: neutral(message.content, cwd) });
    } else if (message.role === "toolResult") {
      const { role, toolCallId, toolName, isError, content } = message;
      const text = neutral(content, cwd);
      canonical.push({ role, toolCallId, toolName, isError, text });
    }
  }
  return canonical;
}

function neutral(content: Message["content"], cwd: string): string {
  const text = typeof content === "string"
    ? content
    : content.map((block) =>
      block.type === "image" ? "[image]" : textOf([block])
    )
      .join("\n");
  return text.replaceAll(cwd, "{cwd}");
}

function parseLine(line: string): Record<string, JsonValue> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value as Record<string, JsonValue> : undefined;
  } catch {
    return undefined;
  }
}

function isExchange(value: unknown): value is Exchange {
  if (!isFields(value) || value.type !== "exchange") return false;
  const { request, response } = value;
  if (!Array.isArray(request) || !request.every(isCanonical)) return false;
  if (!isFields(response) || !isFields(response.usage)) return false;
  const { content, usage: { input, output }, stopReason } = response;
  return Array.isArray(content) && content.every(isBlock) &&
    Number.isFinite(input) && Number.isFinite(output) &&
    ["stop", "toolUse", "length"].includes(String(stopReason));
}

function isCanonical(value: unknown): boolean {
  return isFields(value) && typeof value.text === "string" &&
    (value.role === "user" || value.role === "toolResult");
}

function isBlock(value: unknown): boolean {
  if (!isFields(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "thinking":
      return typeof value.thinking === "string";
    case "toolCall":
      return typeof value.id === "string" && typeof value.name === "string" &&
        isFields(value.arguments);
  }
  return false;
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
