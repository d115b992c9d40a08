import type { AgentMessage } from "../../agent/agent_message.ts";
import type { JsonObject } from "../../model/content.ts";

/** Counts of a conversation: messages by their kind, tokens, US dollars. */
export function sessionStats(messages: readonly AgentMessage[]): JsonObject {
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const counts = { user: 0, assistant: 0, toolResult: 0, system: 0 };
  let toolCalls = 0;
  let cost = 0;
  for (const message of messages) {
    if (message.role in counts) counts[message.role as keyof typeof counts]++;
    if (message.role !== "assistant") continue;
    const { usage, content } = message;
    toolCalls += content.filter(({ type }) => type === "toolCall").length;
    tokens.input += usage.input;
    tokens.output += usage.output;
    tokens.cacheRead += usage.cacheRead;
    tokens.cacheWrite += usage.cacheWrite;
    tokens.total += usage.totalTokens;
    cost += usage.cost.total;
  }
  return {
    userMessages: counts.user,
    assistantMessages: counts.assistant,
    toolCalls,
    toolResults: counts.toolResult,
    totalMessages: messages.length - counts.system,
    tokens,
    cost,
  };
}
