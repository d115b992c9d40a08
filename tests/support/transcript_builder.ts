import type {
  JsonObject,
  ToolCall,
  UserContent,
} from "../../src/model/content.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type Message,
  type ToolResultMessage,
  type UserMessage,
} from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";

/** A user message. */
export function user(content: string | UserContent[]): UserMessage {
  return { role: "user", content, timestamp: 0 };
}

/** A block that asks for a tool. */
export function toolCall(
  id: string,
  name: string,
  args: JsonObject = {},
): ToolCall {
  return { type: "toolCall", id, name, arguments: args };
}

/** An answer of `model`; a string is a text block. */
export function assistant(
  model: Model,
  content: (string | AssistantMessage["content"][number])[],
  changes: Partial<AssistantMessage> = {},
): AssistantMessage {
  const blocks = content.map((block) =>
    typeof block === "string" ? { type: "text" as const, text: block } : block
  );
  return {
    role: "assistant",
    content: blocks,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: emptyUsage(),
    stopReason: blocks.some((block) => block.type === "toolCall")
      ? "toolUse"
      : "stop",
    timestamp: 0,
    ...changes,
  };
}

/** The result of the call with this id. */
export function toolResult(
  id: string,
  content: string | UserContent[],
  changes: Partial<ToolResultMessage> = {},
): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: id,
    toolName: "tool",
    content: typeof content === "string"
      ? [{ type: "text", text: content }]
      : content,
    isError: false,
    timestamp: 0,
    ...changes,
  };
}

/** A prepared or stored transcript as one short line a block, to compare as a whole. */
export function transcriptLines(
  messages: readonly (Message | { role: string; content: unknown })[],
): string[] {
  return messages.flatMap((message) => {
    const blocks = message.content as { type: string }[];
    const role = message.role === "toolResult"
      ? `${(message as ToolResultMessage).isError ? "error" : "result"} ${
        (message as ToolResultMessage).toolCallId
      }:`
      : `${message.role}:`;
    return [`${role} ${blocks.map(line).join(" | ")}`];
  });
}

function line(block: { type: string }): string {
  const { text, thinking, id, name } = block as Record<string, string>;
  if (block.type === "text") return text ?? "";
  if (block.type === "thinking") return `(${thinking})`;
  return block.type === "toolCall" ? `${name}#${id}` : block.type;
}
