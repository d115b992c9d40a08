import assert from "node:assert/strict";
import { Agent } from "../../src/agent/agent.ts";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { SystemMessage } from "../../src/model/message.ts";
import { user } from "../support/record_run.ts";
import {
  call,
  failing,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testAgent } from "../support/test_agent.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("Agent.state begins with a system message for prompt and tools", () => {
  const look = testTool("look", undefined, {
    executionMode: "sequential",
    constrainedSampling: false,
  });
  const { agent } = testAgent({
    model: scriptedModel(),
    initialState: { systemPrompt: "Be brief.", tools: [look] },
  });
  const { state } = agent;
  assert.deepEqual(state.messages, [{
    role: "system",
    content: "Be brief.",
    toolsAdded: [{
      name: "look",
      description: "Runs look.",
      parameters: { type: "object" },
      constrainedSampling: false,
    }],
    timestamp: 0,
  }]);
  assert.equal(state.systemPrompt, "Be brief.");
  assert.equal(state.model, testModel);
  assert.equal(state.thinkingLevel, "off");
  assert.deepEqual(state.tools, [look]);
  assert.equal(state.isStreaming, false);
  assert.equal(state.streamingMessage, undefined);
  assert.deepEqual(state.pendingToolCalls, new Set());
  assert.equal(state.errorMessage, undefined);
});

Deno.test("Agent.state begins empty without prompt and tools", () => {
  const agent = new Agent({ initialState: { model: testModel } });
  assert.deepEqual(agent.state.messages, []);
  assert.equal(agent.state.systemPrompt, "");
});

Deno.test("Agent.state says the prompt once when the transcript that it starts from says it already", async () => {
  const model = scriptedModel(say("Hello."), say("Hello again."));
  const initialState = { systemPrompt: "Be brief.", tools: [testTool("look")] };
  const { agent } = testAgent({ model, initialState });
  await agent.prompt("Hi.");
  const { agent: resumed } = testAgent({
    model,
    initialState: { ...initialState, messages: agent.state.messages },
  });
  assert.deepEqual(resumed.state.messages, agent.state.messages);
  await resumed.prompt("Hi again.");
  model.assertPlayed();
  assert.equal(model.contexts[1]?.systemPrompt, "Be brief.");
  assert.equal(agent.state.messages.length, 3);
});

Deno.test("Agent.state copies arrays that are given to it; pushing to its own changes it", async () => {
  const model = scriptedModel(say("a"), say("b"));
  const [messages, tools] = [[user("early")] as AgentMessage[], [
    testTool("a"),
  ]];
  const { agent } = testAgent({ model, initialState: { messages, tools } });
  const { state } = agent;
  messages.push(user("not seen"));
  tools.push(testTool("not_seen"));
  assert.equal(state.messages.length, 2);
  assert.equal(state.tools.length, 1);

  state.messages = messages;
  state.tools = tools;
  messages.push(user("not seen either"));
  tools.push(testTool("not_seen_either"));
  assert.equal(state.messages.length, 2);
  assert.equal(state.tools.length, 2);

  state.messages.push(user("pushed"));
  state.tools.push(testTool("pushed"));
  await agent.prompt("Go.");
  assertTranscript(
    state.messages,
    `
    user       early
    user       not seen
    user       pushed
    system     +a +not_seen +pushed
    user       Go.
    assistant  a
    `,
  );
  assert.equal(messages.length, 3);
});

Deno.test("Agent.state that changes in a run concerns the next one", async () => {
  const model = scriptedModel(say("", call("swap")), say("a"), say("b"));
  const other = { ...testModel, id: "other" };
  const { agent } = testAgent({
    model,
    initialState: {
      systemPrompt: "P",
      tools: [testTool("swap", () => {
        agent.state.model = other;
        agent.state.thinkingLevel = "high";
        agent.state.tools = [testTool("new")];
        return "swapped";
      })],
    },
  });
  agent.subscribe((event) => {
    if (event.type === "turn_end" && event.toolResults.length > 0) {
      agent.state.messages.push(user("pushed"));
    }
  });
  await agent.prompt("Go.");
  await agent.prompt("Again.");
  model.assertPlayed();
  assert.deepEqual(
    model.requests.map(({ model, options }) => [model.id, options.reasoning]),
    [["scripted", undefined], ["scripted", undefined], ["other", "high"]],
  );
  assert.deepEqual(
    model.contexts.map(({ tools }) => tools?.map(({ name }) => name)),
    [["swap"], ["swap"], ["new"]],
  );
  assert.equal(model.contexts[1]?.messages.length, 3);
  assertTranscript(
    agent.state.messages.slice(1),
    `
    user       Go.
    call       swap {}
    result     swapped
    user       pushed
    assistant  a
    system     +new -swap
    user       Again.
    assistant  b
    `,
  );
});

Deno.test("Agent.state is reduced from each event before the listeners hear it", async () => {
  const model = scriptedModel(say("One.", call("a"), call("b")), say("Two."));
  const { agent } = testAgent({
    model,
    initialState: { tools: [testTool("a"), testTool("b")] },
  });
  const { state } = agent;
  const pending: number[] = [];
  agent.subscribe((event) => {
    assert.equal(state.isStreaming, true);
    const isAnswer = "message" in event && event.message.role === "assistant";
    switch (event.type) {
      case "message_start":
      case "message_update":
        assert.equal(
          state.streamingMessage,
          isAnswer ? event.message : undefined,
        );
        break;
      case "message_end":
        assert.equal(state.messages.at(-1), event.message);
        assert.equal(state.streamingMessage, undefined);
        break;
      case "tool_execution_start":
        assert(state.pendingToolCalls.has(event.toolCallId));
        pending.push(state.pendingToolCalls.size);
        break;
      case "tool_execution_end":
        assert(!state.pendingToolCalls.has(event.toolCallId));
        pending.push(state.pendingToolCalls.size);
        break;
    }
  });
  await agent.prompt("Go.");
  model.assertPlayed();
  assert.deepEqual(pending, [1, 2, 1, 0]);
  assert.equal(state.isStreaming, false);
});

Deno.test("Agent.state.pendingToolCalls is a snapshot", async () => {
  const { agent } = testAgent({
    model: scriptedModel(say("", call("a", {}, { id: "1" })), say("b")),
    initialState: { tools: [testTool("a")] },
  });
  const seen: ReadonlySet<string>[] = [agent.state.pendingToolCalls];
  agent.subscribe(({ type }) => {
    if (type === "tool_execution_start") {
      seen.push(agent.state.pendingToolCalls, agent.state.pendingToolCalls);
    }
  });
  await agent.prompt("Go.");
  const running = new Set(["1"]);
  assert.deepEqual(seen, [new Set(), running, running]);
});

Deno.test("Agent.state.errorMessage is that of the last answer, until the next run", async () => {
  const model = scriptedModel(failing("overloaded"), say("Hello."));
  const { agent } = testAgent({ model });
  const seen: [AgentEvent["type"], string | undefined][] = [];
  agent.subscribe(({ type }) => {
    seen.push([type, agent.state.errorMessage]);
  });
  await agent.prompt("Hi.");
  assert.equal(agent.state.errorMessage, "overloaded");
  assert.equal(seen.find(([, text]) => text)?.[0], "turn_end");
  seen.length = 0;
  await agent.prompt("Hi.");
  assert(seen.every(([, text]) => text === undefined));
  model.assertPlayed();
});

Deno.test("Agent.reset() leaves one system message that says what all before said, and empties both queues", async () => {
  const model = scriptedModel(failing("overloaded"), say("Hello."));
  const later: SystemMessage = {
    role: "system",
    content: "Be kind.",
    sections: { mood: "Happy.", place: "Here.", "__proto__": "odd" },
    timestamp: 5,
  };
  const { agent } = testAgent({
    model,
    initialState: { systemPrompt: "Be brief.", tools: [testTool("old")] },
  });
  agent.state.messages.push(later, {
    role: "system",
    content: "",
    sections: { place: null },
    timestamp: 6,
  });
  agent.state.tools = [testTool("new")];
  await agent.prompt("Hi.");
  agent.steer(user("S"));
  agent.followUp(user("F"));

  const { systemPrompt } = agent.state;
  agent.reset();
  assert.equal(agent.state.systemPrompt, systemPrompt);
  assert.deepEqual(agent.state.messages, [{
    role: "system",
    content: "Be brief.\n\nBe kind.",
    sections: { mood: "Happy." },
    toolsAdded: [{
      name: "new",
      description: "Runs new.",
      parameters: { type: "object" },
    }],
    timestamp: 0,
  }]);
  assert.equal(agent.state.errorMessage, undefined);
  assert.equal(agent.hasQueuedMessages(), false);

  // A section can still be taken back, and the tools are still declared.
  agent.state.messages.push({
    role: "system",
    content: "",
    sections: { mood: null },
    timestamp: 7,
  });
  await agent.prompt("Hi.");
  model.assertPlayed();
  assertTranscript(
    agent.state.messages.slice(2),
    `
    user       Hi.
    assistant  Hello.
    `,
  );
  assert.equal(model.contexts[1]?.systemPrompt, "Be brief.\n\nBe kind.");
});

Deno.test("Agent.reset() leaves nothing where nothing was said", async () => {
  const { agent } = testAgent({ model: scriptedModel(say("Hello.")) });
  await agent.prompt("Hi.");
  agent.reset();
  assert.deepEqual(agent.state.messages, []);
});
