import assert from "node:assert/strict";
import { sessionStats } from "../../../src/cli/rpc/session_stats.ts";
import type { AgentMessage } from "../../../src/agent/agent_message.ts";
import { emptyUsage } from "../../../src/model/message.ts";

Deno.test("sessionStats() counts messages by their kind, calls, tokens and cost", () => {
  const usage = {
    ...emptyUsage(),
    input: 10,
    output: 5,
    cacheRead: 3,
    cacheWrite: 1,
    totalTokens: 19,
  };
  usage.cost = { ...usage.cost, total: 0.25 };
  const messages = [
    { role: "system", content: "rules" },
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: [
        { type: "text", text: "two calls" },
        { type: "toolCall", id: "a", name: "read", arguments: {} },
        { type: "toolCall", id: "b", name: "read", arguments: {} },
      ],
      usage,
    },
    { role: "toolResult", toolCallId: "a", content: [] },
    { role: "toolResult", toolCallId: "b", content: [] },
    { role: "assistant", content: [], usage },
  ] as unknown as AgentMessage[];
  assert.deepEqual(sessionStats(messages), {
    userMessages: 1,
    assistantMessages: 2,
    toolCalls: 2,
    toolResults: 2,
    totalMessages: 5,
    tokens: { input: 20, output: 10, cacheRead: 6, cacheWrite: 2, total: 38 },
    cost: 0.5,
  });
  assert.equal(sessionStats([]).totalMessages, 0);
});
