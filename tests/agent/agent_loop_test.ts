import assert from "node:assert/strict";
import {
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runAgentLoopContinue,
  setDefaultStreamFn,
} from "../../src/agent/agent_loop.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { recordRun, testConfig, user } from "../support/record_run.ts";
import {
  call,
  say,
  type ScriptedModel,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("agentLoop() streams the events and resolves to the messages", async () => {
  const model = scriptedModel(say("Hello."));
  const stream = agentLoop(
    [user("Hi.")],
    { messages: [] },
    testConfig,
    undefined,
    model,
  );
  const events = await Array.fromAsync(stream);
  assertTrace(
    events,
    "agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:stop) turn_end[0] agent_end[2]",
  );
  const end = events.at(-1);
  assert(end?.type === "agent_end");
  assert.deepEqual(await stream.result(), end.messages);
  model.assertPlayed();
});

// The reference has no catch there: its stream never ends.
Deno.test("agentLoop() ends its stream when a hook throws", async () => {
  const stream = agentLoop(
    [user("Hi.")],
    { messages: [] },
    {
      ...testConfig,
      convertToLlm() {
        throw new Error("no conversion");
      },
    },
    undefined,
    scriptedModel(),
  );
  assertTrace(
    await Array.fromAsync(stream),
    `agent_start turn_start MS(U) ME(U) MS(A:error) ME(A:error) turn_end[0] agent_end[2]`,
  );
  assertTranscript(
    await stream.result(),
    `
    user       Hi.
    assistant
    error      no conversion
    `,
  );
});

Deno.test("agentLoop() runs though nobody listens", async () => {
  const stream = agentLoop(
    [user("Hi.")],
    { messages: [] },
    testConfig,
    undefined,
    scriptedModel(say("Hello.")),
  );
  assert.equal((await stream.result()).length, 2);
});

// The reference appends to the caller's array.
Deno.test("agentLoopContinue() answers the last message and copies the caller's array", async () => {
  const messages: AgentMessage[] = [user("Hi.")];
  const model = scriptedModel(say("Hello."));
  const stream = agentLoopContinue(
    { messages },
    testConfig,
    undefined,
    model,
  );
  assertTrace(
    await Array.fromAsync(stream),
    "agent_start turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[1]",
  );
  assert.equal(messages.length, 1);
  model.assertPlayed();
});

Deno.test("runAgentLoop() changes neither the caller's messages nor its tools", async () => {
  const context = {
    messages: Object.freeze([user("Before.")]) as AgentMessage[],
    tools: Object.freeze([testTool("a")]) as ReturnType<typeof testTool>[],
  };
  const model = scriptedModel(say("", call("a")), say("So."));
  await runAgentLoop(
    [user("Go.")],
    context,
    testConfig,
    () => {},
    undefined,
    model,
  );
  model.assertPlayed();
});

for (
  const { title, messages, error } of [
    {
      title: "there is no message",
      messages: [],
      error: "Cannot continue: no messages in context",
    },
    {
      title: "the model spoke last",
      messages: await answered(),
      error: "Cannot continue from message role: assistant",
    },
  ]
) {
  Deno.test(`runAgentLoopContinue() refuses when ${title}`, () => {
    const model = scriptedModel();
    assert.throws(
      () =>
        runAgentLoopContinue(
          { messages },
          testConfig,
          () => {},
          undefined,
          model,
        ),
      { message: error },
    );
    assert.throws(
      () => agentLoopContinue({ messages }, testConfig, undefined, model),
      { message: error },
    );
  });
}

Deno.test("setDefaultStreamFn() serves loops that are started without a stream function", async () => {
  const run = () =>
    runAgentLoop([user("Hi.")], { messages: [] }, testConfig, () => {});
  assert.throws(run, {
    message:
      "No default stream function configured. Pass streamFn explicitly or call setDefaultStreamFn().",
  });
  setDefaultStreamFn(scriptedModel(say("Hello.")));
  try {
    assert.equal((await run()).length, 2);
  } finally {
    setDefaultStreamFn(undefined);
  }
  assert.throws(run);
});

Deno.test("runAgentLoop() waits for the listener of each event before it goes on", async () => {
  let isHeard = true;
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("Hm.", call("a"), call("b")), say("So.")),
    tools: [
      testTool("a", ({ update }) => {
        update("1");
        update("2");
        return "a done";
      }),
      testTool("b", ({ update }) => {
        update("1");
        return "b done";
      }),
    ],
    async onEvent({ type }) {
      assert(isHeard, `${type} was told while another event was being heard`);
      isHeard = false;
      for (let i = 0; i < 10; i++) await undefined;
      isHeard = true;
    },
  });
  assert.equal(events.at(-1)?.type, "agent_end");
  assert(isHeard, "the run settled before its last event was heard");
});

Deno.test("runAgentLoop() ends as failed with what a listener threw", async () => {
  for (
    const { thrown, errorMessage } of [
      { thrown: new Error("listener broke"), errorMessage: "listener broke" },
      { thrown: undefined, errorMessage: "undefined" },
      { thrown: Object.create(null), errorMessage: "Unknown error" },
    ]
  ) {
    const { messages } = await recordRun("Go.", {
      model: scriptedModel(),
      onEvent({ type }) {
        if (type === "turn_start") throw thrown;
      },
    });
    const last = messages.at(-1);
    assert(last?.role === "assistant");
    assert.equal(last.errorMessage, errorMessage);
  }
});

async function answered(): Promise<AgentMessage[]> {
  const model: ScriptedModel = scriptedModel(say("Hello."));
  const { messages } = await recordRun("Hi.", { model });
  return messages;
}
