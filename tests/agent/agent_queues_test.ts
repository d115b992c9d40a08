import assert from "node:assert/strict";
import type { Agent } from "../../src/agent/agent.ts";
import { user } from "../support/record_run.ts";
import {
  call,
  failing,
  say,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testAgent } from "../support/test_agent.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

/** An agent whose conversation ends with an answer. */
async function answered(
  ...script: Parameters<typeof scriptedModel>
): Promise<{ agent: Agent; model: ReturnType<typeof scriptedModel> }> {
  const model = scriptedModel(say("Hello."), ...script);
  const { agent } = testAgent({ model });
  await agent.prompt("Hi.");
  return { agent, model };
}

Deno.test("Agent.continue() refuses where there is nothing to go on from", async () => {
  const nothing = { message: "No messages to continue from" };
  const { agent: empty } = testAgent({ model: scriptedModel() });
  await assert.rejects(empty.continue(), nothing);

  const { agent: onlySystem } = testAgent({
    model: scriptedModel(),
    initialState: { systemPrompt: "Be brief." },
  });
  onlySystem.steer(user("queued"));
  await assert.rejects(onlySystem.continue(), nothing);
  assert.equal(onlySystem.hasQueuedMessages(), true);

  const { agent } = await answered();
  await assert.rejects(agent.continue(), {
    message: "Cannot continue from message role: assistant",
  });
  assert.equal(agent.state.isStreaming, false);
});

Deno.test("Agent.continue() answers a last message that is not an assistant's, and adds none", async () => {
  const model = scriptedModel(say("Hello."));
  const { agent } = testAgent({ model });
  agent.state.messages.push(user("Hi."));
  await agent.continue();
  model.assertPlayed();
  assertTranscript(
    agent.state.messages,
    `
    user       Hi.
    assistant  Hello.
    `,
  );
});

Deno.test("Agent.continue() goes on behind a failed answer with what is queued", async () => {
  const model = scriptedModel(failing("overloaded"), say("Hello."));
  const { agent } = testAgent({ model });
  await agent.prompt("Hi.");
  await assert.rejects(agent.continue(), {
    message: "Cannot continue from message role: assistant",
  });
  agent.followUp(user("Once more."));
  await agent.continue();
  model.assertPlayed();
  assert.equal(agent.state.errorMessage, undefined);
});

Deno.test("Agent.continue() takes steering messages before follow-ups, and skips the first poll for more", async () => {
  const { agent, model } = await answered(say("a"), say("b"), say("c"));
  agent.followUp(user("F"));
  agent.steer(user("S1"));
  agent.steer(user("S2"));
  await agent.continue();
  model.assertPlayed();
  // Were the first poll not skipped, S2 would enter the turn of S1.
  assertTranscript(
    agent.state.messages.slice(2),
    `
    user       S1
    assistant  a
    user       S2
    assistant  b
    user       F
    assistant  c
    `,
  );
  assert.equal(agent.hasQueuedMessages(), false);
});

Deno.test("Agent.continue() goes on with a follow-up where nothing steers", async () => {
  const { agent, model } = await answered(say("a"), say("b"));
  agent.followUp(user("F1"));
  agent.followUp(user("F2"));
  await agent.continue();
  model.assertPlayed();
  assertTranscript(
    agent.state.messages.slice(2),
    `
    user       F1
    assistant  a
    user       F2
    assistant  b
    `,
  );
});

Deno.test("Agent.steer() and followUp() wait for their place in the run, one at a time", async () => {
  const model = scriptedModel(
    say("", call("queue")),
    say("a"),
    say("b"),
    say("c"),
    say("d"),
  );
  const { agent } = testAgent({
    model,
    initialState: {
      tools: [testTool("queue", () => {
        for (const text of ["F1", "F2"]) agent.followUp(user(text));
        for (const text of ["S1", "S2"]) agent.steer(user(text));
        return "queued";
      })],
    },
  });
  await agent.prompt("Go.");
  model.assertPlayed();
  assertTranscript(
    agent.state.messages.slice(4),
    `
    user       S1
    assistant  a
    user       S2
    assistant  b
    user       F1
    assistant  c
    user       F2
    assistant  d
    `,
  );
});

Deno.test("Agent.steeringMode and followUpMode all let messages enter together", async () => {
  const model = scriptedModel(say("a"), say("b"));
  const { agent } = testAgent({ model, steeringMode: "all" });
  assert.equal(agent.steeringMode, "all");
  assert.equal(agent.followUpMode, "one-at-a-time");
  agent.followUpMode = "all";
  for (const text of ["S1", "S2"]) agent.steer(user(text));
  for (const text of ["F1", "F2"]) agent.followUp(user(text));
  await agent.prompt("Go.");
  model.assertPlayed();
  assertTranscript(
    agent.state.messages.slice(1),
    `
    user       S1
    user       S2
    assistant  a
    user       F1
    user       F2
    assistant  b
    `,
  );
});

Deno.test("Agent.steeringMode counts at the next poll when it changes in a run", async () => {
  const model = scriptedModel(say("a"), say("b"));
  const { agent } = testAgent({ model });
  for (const text of ["S1", "S2", "S3"]) agent.steer(user(text));
  agent.subscribe(({ type }) => {
    if (type === "turn_end") agent.steeringMode = "all";
  });
  await agent.prompt("Go.");
  model.assertPlayed();
  assertTranscript(
    agent.state.messages.slice(1),
    `
    user       S1
    assistant  a
    user       S2
    user       S3
    assistant  b
    `,
  );
});

Deno.test("Agent.peekQueuedMessages() shows what would be said next and takes nothing", () => {
  const { agent } = testAgent({ model: scriptedModel() });
  assert.equal(agent.hasQueuedMessages(), false);
  const [f1, f2, s1, s2] = ["F1", "F2", "S1", "S2"].map(user);
  assert(f1 && f2 && s1 && s2);
  agent.followUp(f1);
  agent.steer(s1);
  agent.followUp(f2);
  agent.steer(s2);
  const queued = agent.peekQueuedMessages();
  assert.deepEqual(queued, [s1]);
  queued.length = 0;
  assert.deepEqual(agent.peekQueuedMessages(), [s1]);
  agent.clearSteeringQueue();
  assert.deepEqual(agent.peekQueuedMessages(), [f1]);
  agent.followUpMode = "all";
  assert.deepEqual(agent.peekQueuedMessages(), [f1, f2]);
});

Deno.test("Agent.clearSteeringQueue(), clearFollowUpQueue() and clearAllQueues() forget what their names say", () => {
  const { agent } = testAgent({ model: scriptedModel() });
  const [steering, followUp] = [user("S"), user("F")];
  const fill = () => {
    agent.clearAllQueues();
    agent.steer(steering);
    agent.followUp(followUp);
  };
  fill();
  agent.clearSteeringQueue();
  assert.deepEqual(agent.peekQueuedMessages(), [followUp]);
  fill();
  agent.clearFollowUpQueue();
  assert.deepEqual(agent.peekQueuedMessages(), [steering]);
  assert.equal(agent.hasQueuedMessages(), true);
  fill();
  agent.clearAllQueues();
  assert.deepEqual(agent.peekQueuedMessages(), []);
  assert.equal(agent.hasQueuedMessages(), false);
});
