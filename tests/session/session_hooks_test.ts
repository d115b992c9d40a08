import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import type { Context } from "../../src/model/stream.ts";
import { AgentSession } from "../../src/session/agent_session.ts";
import type { SessionEvent } from "../../src/session/session_event.ts";
import type { SessionHooks } from "../../src/session/session_hooks.ts";
import {
  call,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";

/** Hooks that change nothing but what is given. */
function hooks(given: Partial<SessionHooks>): SessionHooks {
  return {
    beforeRun: () => Promise.resolve({ messages: [], systemPrompt: undefined }),
    context: undefined,
    beforeToolCall: undefined,
    afterToolCall: undefined,
    progress: undefined,
    completeMessage: undefined,
    hear: () => {},
    beforeCompact: () => Promise.resolve({ cancel: false, summary: undefined }),
    ...given,
  };
}

const working: AgentTool = {
  name: "work",
  label: "work",
  description: "work",
  parameters: { type: "object", properties: {} },
  execute(_id, _args, _signal, onUpdate) {
    onUpdate?.({ content: [{ type: "text", text: "half" }] });
    return Promise.resolve({ content: [{ type: "text", text: "whole" }] });
  },
};

async function run(
  given: Partial<SessionHooks>,
): Promise<{ events: SessionEvent[]; contexts: Context[] }> {
  const events: SessionEvent[] = [];
  const contexts: Context[] = [];
  const streamFn = scriptedModel(
    say("", call("work", {})),
    say("done"),
  );
  const session = new AgentSession({
    model: testModel,
    systemPrompt: { role: "system", content: "prompt", timestamp: 0 },
    tools: [working],
    streamFn: (model, context, options) => {
      contexts.push(structuredClone({ ...context, tools: [] }));
      return streamFn(model, context, options);
    },
    emit: (event) => {
      events.push(event);
    },
    hooks: hooks(given),
  });
  assert.deepEqual(await session.run("hi"), { kind: "completed" });
  return { events, contexts };
}

function ends(events: SessionEvent[]): AgentMessage[] {
  return events.flatMap((event) =>
    event.type === "message_end" ? [event.message] : []
  );
}

Deno.test("AgentSession lets hooks add messages and say another prompt for one run", async () => {
  const { events, contexts } = await run({
    beforeRun: (said, systemPrompt) => {
      assert.equal(said.length, 1);
      return Promise.resolve({
        messages: [{ role: "user", content: "more", timestamp: 1 }],
        systemPrompt: `${systemPrompt} and more`,
      });
    },
  });
  assert.deepEqual(contexts.map(({ systemPrompt }) => systemPrompt), [
    "prompt and more",
    "prompt and more",
  ]);
  assert.deepEqual(
    ends(events).slice(0, 3).map((message) =>
      "content" in message && message.content
    ),
    ["prompt", "hi", "more"],
  );
});

Deno.test("AgentSession lets hooks change what a request sends, and keeps its transcript", async () => {
  const { events, contexts } = await run({
    context: (messages) => {
      assert(messages.every(({ role }) => role !== "system"));
      return [
        { role: "user", content: "seen", timestamp: 1 },
        ...messages.slice(1),
      ];
    },
  });
  for (const { messages, systemPrompt } of contexts) {
    assert.equal(messages[0]?.content, "seen");
    assert.equal(systemPrompt, "prompt");
  }
  assert.doesNotMatch(JSON.stringify(ends(events)), /seen/);
});

Deno.test("AgentSession tells, stores and goes on with messages as hooks leave them", async () => {
  const { events, contexts } = await run({
    completeMessage: (message) =>
      message.role === "user" ? { ...message, content: "changed" } : message,
  });
  assert.equal(contexts[1]?.messages[0]?.content, "changed");
  const told = events.flatMap((event) =>
    (event.type === "message_start" || event.type === "message_end") &&
      event.message.role === "user"
      ? [[event.type, event.message.content]]
      : []
  );
  assert.deepEqual(told, [["message_start", "hi"], ["message_end", "changed"]]);
});

Deno.test("AgentSession tells progress and results as hooks leave them, and then the hooks", async () => {
  const heard: string[] = [];
  const { events } = await run({
    progress: () => ({ content: [{ type: "text", text: "hidden" }] }),
    afterToolCall: () => ({ content: [{ type: "text", text: "masked" }] }),
    hear: (event) => {
      heard.push(event.type);
    },
  });
  const text = JSON.stringify(events);
  assert.match(text, /hidden/);
  assert.match(text, /masked/);
  assert.doesNotMatch(text, /half|whole/);
  assert.deepEqual(heard, events.map(({ type }) => type));
});
