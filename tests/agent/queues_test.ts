import assert from "node:assert/strict";
import { queueOf } from "../support/queue_of.ts";
import { recordRun, user } from "../support/record_run.ts";
import {
  call,
  failing,
  say,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("getSteeringMessages() opens the first turn, after the prompt", async () => {
  const steering = [user("Quickly.")];
  const { events, messages } = await recordRun("Go.", {
    model: scriptedModel(say("Done.")),
    getSteeringMessages: () => steering.splice(0),
  });
  assertTrace(
    events,
    `agent_start turn_start MS(U) ME(U) MS(U) ME(U) MS(A:pending) ME(A:stop)
     turn_end[0] agent_end[3]`,
  );
  assertTranscript(
    messages,
    `
    user       Go.
    user       Quickly.
    assistant  Done.
    `,
  );
});

Deno.test("getSteeringMessages() is asked again before a turn only when it had nothing after the last", async () => {
  const polls: number[] = [];
  const steering = [user("1")];
  const model = scriptedModel(say("", call("a")), say("b"), say("c"));
  const followUps = [user("F")];
  await recordRun("Go.", {
    model,
    tools: [testTool("a")],
    getSteeringMessages() {
      polls.push(model.contexts.length);
      return model.contexts.length === 1 ? steering.splice(0) : [];
    },
    getFollowUpMessages: () => followUps.splice(0),
  });
  // Before the first request, after turn 1 (found one), after turn 2 and again
  // before turn 3 (nothing), after turn 3.
  assert.deepEqual(polls, [0, 1, 2, 2, 3]);
});

Deno.test("getFollowUpMessages() waits until the model is done, and gives one or all", async () => {
  const queue = [user("1"), user("2"), user("3")];
  const model = scriptedModel(say("", call("a")), say("b"), say("c"), say("d"));
  const takes = [1, 2];
  const { messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a")],
    getFollowUpMessages: () => queue.splice(0, takes.shift()),
  });
  assertTranscript(
    messages.slice(2),
    `
    call       a {}
    result     a done
    assistant  b
    user       1
    assistant  c
    user       2
    user       3
    assistant  d
    `,
  );
});

Deno.test("getFollowUpMessages() is not asked after a failure", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(failing("gone")),
    getSteeringMessages: queueOf("1").afterFirstPoll,
    getFollowUpMessages: () => assert.fail("asked"),
  });
  assertTranscript(
    messages,
    `
    user       Go.
    error      gone
    `,
  );
});

Deno.test("getFollowUpMessages() is not asked after an abort, so that the messages stay queued", async () => {
  const controller = new AbortController();
  const model = scriptedModel(say("Done."));
  const { messages } = await recordRun("Go.", {
    model,
    signal: controller.signal,
    getSteeringMessages() {
      if (model.contexts.length === 1) controller.abort();
      return [];
    },
    getFollowUpMessages: () => [user("taken")],
  });
  assertTranscript(messages.slice(-1), "assistant  Done.");
});
