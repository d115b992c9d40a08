import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { keepModelMessages } from "../../src/agent/request_messages.ts";
import { queueOf } from "../support/queue_of.ts";
import {
  recordRun,
  type RecordRunOptions,
  user,
} from "../support/record_run.ts";
import {
  call,
  say,
  type ScriptedModel,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

/** What a run asked the model, by the `convertToLlm` that is read on from turn to turn and by one that gets all messages anew. */
async function contextsOf(
  options: () => Omit<RecordRunOptions, "model">,
): Promise<ScriptedModel["contexts"]> {
  const script = () =>
    scriptedModel(
      say("First.", call("a", {}, { id: "1" })),
      say("Second.", call("a", {}, { id: "2" })),
      say("Third."),
    );
  const [readOn, anew] = [script(), script()];
  await recordRun("Go.", {
    ...options(),
    model: readOn,
    convertToLlm: keepModelMessages,
  });
  await recordRun("Go.", {
    ...options(),
    model: anew,
    convertToLlm: (messages) => keepModelMessages(messages),
  });
  const withoutTimes = (contexts: unknown) =>
    JSON.parse(
      JSON.stringify(contexts, (key, value) =>
        key === "timestamp" || key === "durationMs" ? 0 : value),
    );
  assert.deepEqual(withoutTimes(readOn.contexts), withoutTimes(anew.contexts));
  return readOn.contexts;
}

Deno.test("keepModelMessages() as convertToLlm shows each request the messages so far, and never changes one", async () => {
  const contexts = await contextsOf(() => ({
    tools: [testTool("a")],
    history: [
      { role: "system", content: "P", sections: { mood: "M" }, timestamp: 0 },
      { role: "odd" } as unknown as AgentMessage,
      user("Before."),
    ],
    getSteeringMessages: queueOf("S").afterFirstPoll,
  }));
  assert.deepEqual(
    contexts.map(({ messages }) =>
      messages.map(({ role }) => role[0]).join("")
    ),
    ["uu", "uuatu", "uuatuat"],
  );
  assert(contexts.every(({ systemPrompt }) => systemPrompt === "P\n\nM"));
});

Deno.test("keepModelMessages() as convertToLlm follows a prompt that changes in the run", async () => {
  const prompts: AgentMessage[] = [
    { role: "system", content: "P", sections: { mood: "M" }, timestamp: 0 },
    { role: "system", content: "Q", sections: { mood: null }, timestamp: 0 },
  ];
  const contexts = await contextsOf(() => {
    const left = [...prompts];
    return {
      tools: [testTool("a")],
      prepareNextTurn: () => ({ messages: left.splice(0, 1) }),
    };
  });
  assert.deepEqual(
    contexts.map(({ systemPrompt }) => systemPrompt),
    [undefined, "P\n\nM", "P\n\nQ"],
  );
});

Deno.test("keepModelMessages() as convertToLlm follows a context that a hook swaps", async () => {
  const once = await contextsOf(() => {
    const changes = [undefined, { messages: [user("Instead.")] }];
    return {
      tools: [testTool("a")],
      prepareRequest({ context }) {
        const change = changes.shift();
        return change && { context: { ...context, ...change } };
      },
    };
  });
  assert.deepEqual(
    once.map(({ messages }) => messages.length),
    [1, 1, 3],
  );

  const fromThenOn = await contextsOf(() => {
    const changes = [{ messages: [user("In short.")] }];
    return {
      tools: [testTool("a")],
      prepareNextTurn() {
        const change = changes.shift();
        return change && { context: { ...change, tools: [testTool("a")] } };
      },
    };
  });
  assert.deepEqual(
    fromThenOn.map(({ messages }) => messages.map(({ content }) => content)[0]),
    ["Go.", "In short.", "In short."],
  );
  assert.equal(fromThenOn[2]?.messages.length, 3);
});

Deno.test("keepModelMessages() as convertToLlm gets what transformContext makes", async () => {
  const contexts = await contextsOf(() => ({
    tools: [testTool("a")],
    transformContext: (messages) => messages.slice(0, 2),
    endedEarly: true,
  }));
  assert.deepEqual(contexts.map(({ messages }) => messages.length), [1, 1, 1]);
});
