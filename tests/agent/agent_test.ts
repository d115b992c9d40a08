import assert from "node:assert/strict";
import { Agent } from "../../src/agent/agent.ts";
import { setDefaultStreamFn } from "../../src/agent/agent_loop.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { ImageContent } from "../../src/model/content.ts";
import { user } from "../support/record_run.ts";
import {
  call,
  say,
  scriptedModel,
  testModel,
  waiting,
} from "../support/scripted_model.ts";
import { testAgent } from "../support/test_agent.ts";
import { testTool, untilAbort } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

// Extends the type of all messages, as a host or plugin does.
declare module "../../src/agent/mod.ts" {
  interface CustomAgentMessages {
    testNote: { role: "testNote"; note: string };
  }
}

const BUSY = {
  prompt:
    "Agent is already processing a prompt. Use steer() or followUp() to queue messages, or wait for completion.",
  continue:
    "Agent is already processing. Wait for completion before continuing.",
  reset: "Agent is already processing. Wait for completion before resetting.",
};

Deno.test("Agent.prompt() runs to the end and keeps the conversation", async () => {
  const model = scriptedModel(
    say("Looking.", call("look")),
    say("Found."),
    say("Again."),
  );
  const { agent, events } = testAgent({
    model,
    initialState: { tools: [testTool("look")], systemPrompt: "Be brief." },
  });
  await agent.prompt("Look.");
  assertTrace(
    events,
    `agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:toolUse) TS1 TE1
     MS(T1) ME(T1) turn_end[1]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[4]`,
  );
  await agent.prompt("Once more.");
  model.assertPlayed();
  assertTranscript(
    agent.state.messages,
    `
    system     Be brief. +look
    user       Look.
    assistant  Looking.
    call       look {}
    result     look done
    assistant  Found.
    user       Once more.
    assistant  Again.
    `,
  );
  assert.equal(model.contexts[2]?.systemPrompt, "Be brief.");
});

Deno.test("Agent.prompt() takes a text, a message, several, and pictures with a text", async () => {
  const picture: ImageContent = {
    type: "image",
    data: "AA==",
    mimeType: "image/png",
  };
  const model = scriptedModel(say("1"), say("2"), say("3"), say("4"));
  const { agent } = testAgent({ model });
  const beforeMs = Date.now();
  await agent.prompt("text");
  await agent.prompt(user("message"));
  await agent.prompt([user("two"), user("messages")]);
  await agent.prompt("picture", [picture]);
  model.assertPlayed();
  assertTranscript(
    agent.state.messages,
    `
    user       text
    assistant  1
    user       message
    assistant  2
    user       two
    user       messages
    assistant  3
    user       picture
    user       [image/png]
    assistant  4
    `,
  );
  const [first] = agent.state.messages;
  assert(first?.role === "user" && first.timestamp >= beforeMs);
});

Deno.test("Agent refuses a second prompt, continue and reset during a run, which goes on unharmed", async () => {
  const gate = Promise.withResolvers<void>();
  const model = scriptedModel(waiting(gate.promise, say("Done.")));
  const { agent } = testAgent({ model });
  const run = agent.prompt("First.");
  await assert.rejects(agent.prompt("Second."), { message: BUSY.prompt });
  await assert.rejects(agent.continue(), { message: BUSY.continue });
  assert.throws(() => agent.reset(), { message: BUSY.reset });
  gate.resolve();
  await run;
  model.assertPlayed();
  assertTranscript(
    agent.state.messages,
    `
    user       First.
    assistant  Done.
    `,
  );
});

Deno.test("Agent is busy until the listeners of agent_end are through", async () => {
  const gate = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const { agent } = testAgent({ model: scriptedModel(say("a"), say("b")) });
  const unsubscribe = agent.subscribe(async ({ type }) => {
    if (type !== "agent_end") return;
    ending.resolve();
    await gate.promise;
  });
  let settled = "";
  const run = agent.prompt("Go.").then(() => settled += "run ");
  const idle = agent.waitForIdle().then(() => settled += "idle ");
  await ending.promise;
  assert.equal(agent.state.isStreaming, true);
  assert(agent.signal);
  await assert.rejects(agent.prompt("Second."), { message: BUSY.prompt });
  assert.equal(settled, "");
  unsubscribe();
  gate.resolve();
  await Promise.all([run, idle]);
  assert.equal(agent.state.isStreaming, false);
  assert.equal(agent.signal, undefined);
  await agent.prompt("Third.");
});

Deno.test("Agent.waitForIdle() resolves at once when nothing runs", async () => {
  await testAgent({ model: scriptedModel() }).agent.waitForIdle();
});

Deno.test("Agent needs a stream function, its own or the default, and loses nothing without", async () => {
  const message =
    "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().";
  const model = scriptedModel(say("Hi."));
  const agent = new Agent({ initialState: { model: testModel } });
  await assert.rejects(agent.prompt("Go."), { message });
  assert.equal(agent.state.isStreaming, false);
  assert.deepEqual(agent.state.messages, []);

  const earlier = testAgent({ model: scriptedModel(say("Gone.")) }).agent;
  await earlier.prompt("Go.");
  agent.state.messages = earlier.state.messages;
  agent.steer(user("Quickly."));
  await assert.rejects(agent.continue(), { message });
  assert.equal(agent.peekQueuedMessages().length, 1);
  try {
    setDefaultStreamFn(model);
    await agent.continue();
  } finally {
    setDefaultStreamFn(undefined);
  }
  model.assertPlayed();
  assertTranscript(agent.state.messages.slice(-1), "assistant  Hi.");
});

Deno.test("Agent.abort() ends the run as aborted and leaves the queues as they are", async () => {
  const model = scriptedModel(say("", call("wait"), call("next")), say("b"));
  const started = Promise.withResolvers<void>();
  const { agent, events } = testAgent({
    model,
    initialState: {
      tools: [
        testTool("wait", ({ signal }) => {
          started.resolve();
          return untilAbort(signal);
        }, { executionMode: "sequential" }),
        testTool("next", () => assert.fail("ran")),
      ],
    },
  });
  agent.abort();
  const run = agent.prompt("Go.");
  await started.promise;
  agent.steer(user("steering"));
  agent.followUp(user("follow-up"));
  const { signal } = agent;
  agent.abort();
  await run;
  assert.equal(signal?.aborted, true);
  assertTrace(
    events,
    `agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TE1! MS(T1!) ME(T1!) TS2 TE2! MS(T2!) ME(T2!)
     turn_end[2] agent_end[4:aborted]`,
  );
  model.assertPlayed({ endedEarly: true });
  assert.equal(model.contexts.length, 1);
  agent.steeringMode = agent.followUpMode = "all";
  const steered = agent.peekQueuedMessages().length;
  agent.clearSteeringQueue();
  assert.deepEqual([steered, agent.peekQueuedMessages().length], [1, 1]);
});

Deno.test("Agent.prompt() shows the model a host's own messages as convertToLlm says", async () => {
  const note: AgentMessage = { role: "testNote", note: "The sky is blue." };
  const converting = scriptedModel(say("Blue."));
  const { agent } = testAgent({
    model: converting,
    convertToLlm: (messages) =>
      messages.flatMap((message) =>
        message.role === "testNote" ? [user(`Note: ${message.note}`)] : message
      ),
  });
  await agent.prompt([note, user("Which colour?")]);
  converting.assertPlayed();
  assert.deepEqual(
    converting.contexts[0]?.messages.map(({ content }) => content),
    ["Note: The sky is blue.", "Which colour?"],
  );
  assert.equal(agent.state.messages[0], note);
});

Deno.test("Agent.prompt() leaves a host's own messages out without convertToLlm", async () => {
  const model = scriptedModel(say("Which sky?"));
  // A host may pass a setting on that it does not have itself.
  const { agent } = testAgent({ model, convertToLlm: undefined });
  await agent.prompt([{ role: "testNote", note: "Blue." }, user("Colour?")]);
  model.assertPlayed();
  assert.equal(model.contexts[0]?.messages.length, 1);
  assert.equal(agent.state.messages.length, 3);
});

Deno.test("A field of Agent changes the hooks of the next run, not of one that goes on", async () => {
  const model = scriptedModel(
    say("", call("act")),
    say("a"),
    say("", call("act")),
    say("b"),
  );
  const { agent } = testAgent({
    model,
    temperature: 0.5,
    initialState: {
      tools: [testTool("act", () => {
        agent.beforeToolCall = () => ({ block: true, reason: "No." });
        agent.temperature = 1;
        return "acted";
      })],
    },
  });
  await agent.prompt("Go.");
  await agent.prompt("Again.");
  model.assertPlayed();
  assert.deepEqual(
    model.requests.map(({ options }) => options.temperature),
    [0.5, 0.5, 1, 1],
  );
  const results = agent.state.messages.filter(({ role }) =>
    role === "toolResult"
  );
  assertTranscript(
    results,
    `
    result     acted
    error      No.
    `,
  );
});

Deno.test("Agent has its settings as fields, and refuses to be given one that there is not", async () => {
  const model = scriptedModel(say("", call("a")), say("So."));
  const tools = [testTool("a")];
  const agent = new Agent({
    initialState: { model: testModel, tools },
    streamFn: model,
  });
  let asked = 0;
  agent.beforeToolCall = ({ toolCall }) => {
    asked++;
    return { block: true, reason: `No ${toolCall.name}.` };
  };
  assert.throws(() => Object.assign(agent, { beforeToolcall() {} }), TypeError);
  await agent.prompt("Go.");
  assert.equal(asked, 1);
  const [prompt, answer] = agent.state.messages
    .filter(({ role }) => role !== "system");
  assert.deepEqual(prompt && "content" in prompt && prompt.content, [
    { type: "text", text: "Go." },
  ]);
  assert.equal("thinkingLevel" in (answer ?? {}), true);
  class Named extends Agent {
    nick = "tau";
  }
  const named = new Named({ initialState: { model: testModel } });
  Object.assign(named, { other: 1 });
  assert.equal(named.nick, "tau");
});
