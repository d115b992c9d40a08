import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { runAgentLoop } from "../../src/agent/agent_loop.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { keepModelMessages } from "../../src/agent/request_messages.ts";
import { say, scriptedModel, testModel } from "../support/scripted_model.ts";

async function run(
  completeMessage: (message: AgentMessage) => Promise<AgentMessage>,
  { failAt }: { failAt?: string } = {},
): Promise<{ added: AgentMessage[]; told: string[] }> {
  const told: string[] = [];
  const added = await runAgentLoop(
    [{ role: "user", content: "hi", timestamp: 1 }],
    { messages: [] },
    { model: testModel, convertToLlm: keepModelMessages, completeMessage },
    (event: AgentEvent) => {
      if (event.type !== "message_start" && event.type !== "message_end") {
        return;
      }
      const { role } = event.message;
      const content = "content" in event.message ? event.message.content : "";
      told.push(`${event.type} ${role} ${JSON.stringify(content)}`);
      if (`${event.type} ${role}` === failAt) throw new Error("deaf");
    },
    undefined,
    scriptedModel(say("answer")),
  );
  return { added, told };
}

Deno.test("completeMessage() changes a message between its start and its end, before it is in the transcript", async () => {
  const { added, told } = await run((message) =>
    Promise.resolve(
      message.role === "user"
        ? { ...message, content: "changed" }
        : message.role === "assistant"
        ? { ...message, content: [{ type: "text", text: "other" }] }
        : message,
    )
  );
  const other = JSON.stringify([{ type: "text", text: "other" }]);
  assert.deepEqual(told.filter((line) => !line.includes("_start assistant")), [
    'message_start user "hi"',
    'message_end user "changed"',
    `message_end assistant ${other}`,
  ]);
  assert.deepEqual(
    added.map((message) => "content" in message && message.content),
    ["changed", [{ type: "text", text: "other" }]],
  );
});

Deno.test("completeMessage() that fails leaves the message as it was in the transcript of a failed run", async () => {
  const { added } = await run(() => Promise.reject(new Error("broken")));
  assert.deepEqual(added.map(({ role }) => role), ["user", "assistant"]);
  const [user, failed] = added;
  assert.equal(user?.role === "user" && user.content, "hi");
  assert.equal(
    failed?.role === "assistant" && failed.errorMessage,
    "broken",
  );
});

Deno.test("a message whose start nobody could hear is in the transcript all the same", async () => {
  const { added } = await run(
    (message) => Promise.resolve(message),
    { failAt: "message_start user" },
  );
  assert.deepEqual(added.map(({ role }) => role), ["user", "assistant"]);
});
