import assert from "node:assert/strict";
import type { FinishedTurn } from "../../src/agent/loop_config.ts";
import type { Model } from "../../src/model/model.ts";
import type { Context } from "../../src/model/stream.ts";
import { queueOf } from "../support/queue_of.ts";
import { recordRun, user } from "../support/record_run.ts";
import {
  call,
  failing,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

const otherModel: Model = { ...testModel, id: "other" };

Deno.test("finishTurn() ends the run after the turn's end and leaves the queues as they are", async () => {
  const queue = queueOf("1");
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [testTool("a")],
    finishTurn: () => ({ action: "end" }),
    getSteeringMessages: queue.afterFirstPoll,
    getFollowUpMessages: () => assert.fail("asked"),
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TE1 MS(T1) ME(T1) turn_end[1] agent_end[4]`,
  );
  assert.equal(queue.left(), 1);
});

Deno.test("finishTurn() sees the turn before it is announced as ended", async () => {
  const order: string[] = [];
  let turn: FinishedTurn | undefined;
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [testTool("a")],
    finishTurn(finished) {
      turn = finished;
      order.push("finishTurn");
      return { action: "end" };
    },
    onEvent({ type }) {
      if (type === "turn_end") order.push("turn_end");
    },
  });
  assert.deepEqual(order, ["finishTurn", "turn_end"]);
  assert.equal(turn?.message.stopReason, "toolUse");
  assert.equal(turn?.toolResults.length, 1);
});

Deno.test("finishTurn() gets one more request with continue", async () => {
  const actions = [{ action: "continue" as const }];
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("One."), say("Two.")),
    finishTurn: () => actions.shift(),
  });
  assertTrace(
    events,
    `agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:stop) turn_end[0]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[3]`,
  );
});

Deno.test("finishTurn() gets no further request with continue where one follows anyway", async () => {
  for (
    const { script, followUps = [] } of [
      { script: [say("", call("a")), say("So.")] },
      { script: [say("One."), say("Two.")], followUps: [user("F")] },
    ]
  ) {
    const actions = [{ action: "continue" as const }];
    const model = scriptedModel(...script);
    await recordRun("Go.", {
      model,
      tools: [testTool("a")],
      finishTurn: () => actions.shift(),
      getFollowUpMessages: () => followUps.splice(0),
    });
    assert.equal(model.contexts.length, 2);
  }
});

Deno.test("finishTurn() changes nothing about a turn that failed", async () => {
  let calls = 0;
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(failing("gone")),
    finishTurn() {
      calls++;
      return { action: "continue" };
    },
  });
  assert.equal(calls, 1);
  assertTranscript(messages.slice(-1), "error      gone");
});

Deno.test("prepareNextTurn() changes model, thinking and messages of the turns to come, but not of the first", async () => {
  const turns: FinishedTurn[] = [];
  const model = scriptedModel(
    say("", call("a")),
    say("", call("a")),
    say("So."),
  );
  const { messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a")],
    reasoning: "high",
    prepareNextTurn(turn) {
      turns.push(turn);
      return turns.length === 1
        ? {
          model: otherModel,
          thinkingLevel: "off",
          messages: [user("By the way.")],
        }
        : undefined;
    },
  });
  assert.deepEqual(
    model.requests.map(({ model, options }) => [model.id, options.reasoning]),
    [["scripted", "high"], ["other", undefined], ["other", undefined]],
  );
  assert.deepEqual(
    turns.map(({ message, toolResults }) => [
      message.stopReason,
      toolResults.length,
    ]),
    [["toolUse", 1], ["toolUse", 1]],
  );
  assertTranscript(
    messages.slice(2),
    `
    call       a {}
    result     a done
    user       By the way.
    call       a {}
    result     a done
    assistant  So.
    `,
  );
});

Deno.test("prepareNextTurn() puts steering messages before its own", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("One."), say("Two.")),
    getSteeringMessages: queueOf("S").afterFirstPoll,
    prepareNextTurn: () => ({ messages: [user("P")] }),
  });
  assertTranscript(
    messages.slice(2),
    `
    user       S
    user       P
    assistant  Two.
    `,
  );
});

Deno.test("prepareNextTurn() swaps the context; the run still tells every message that it added", async () => {
  const model = scriptedModel(say("", call("a")), say("So."));
  const swapped = [user("In short.")];
  const { messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a")],
    prepareNextTurn: () => ({
      context: { messages: swapped, tools: [testTool("b")] },
    }),
  });
  assert.deepEqual(rolesOf(model.contexts[1]), ["user"]);
  assert.deepEqual(model.contexts[1]?.tools?.map(({ name }) => name), ["b"]);
  assertTranscript(
    messages,
    `
    system     +a
    user       Go.
    call       a {}
    result     a done
    system     +b
    assistant  So.
    `,
  );
  assert.equal(swapped.length, 1, "the hook's own array was changed");
});

Deno.test("prepareRequest() changes the run from that request on", async () => {
  const changes = [
    undefined,
    {
      model: otherModel,
      thinkingLevel: "low" as const,
      context: { messages: [user("Instead.")], tools: [testTool("b")] },
    },
  ];
  const seen: unknown[] = [];
  const model = scriptedModel(
    say("", call("a")),
    say("", call("a"), call("b")),
    say("So."),
  );
  const { messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a")],
    prepareRequest({ context, model, thinkingLevel }) {
      seen.push([context.messages.length, model.id, thinkingLevel]);
      return changes.shift();
    },
  });
  assert.deepEqual(seen, [
    [2, "scripted", "off"],
    [4, "scripted", "off"],
    // The change of tools is declared.
    [5, "other", "low"],
  ]);
  assert.deepEqual(
    model.requests.map(({ model, options }) => [model.id, options.reasoning]),
    [["scripted", undefined], ["other", "low"], ["other", "low"]],
  );
  assert.deepEqual(model.contexts.map(rolesOf), [
    ["user"],
    ["user"],
    ["user", "assistant", "toolResult", "toolResult"],
  ]);
  assertTranscript(
    messages.slice(-4, -1),
    `
    error      Tool a not found
    result     b done
    system     +b
    `,
  );
});

Deno.test("finishTurn() and prepareNextTurn() see the context and what the run has added", async () => {
  const seen: unknown[] = [];
  const note = (name: string) => (turn: FinishedTurn) => {
    const { context, newMessages, message, toolResults } = turn;
    assert.equal(newMessages.includes(message), true);
    seen.push([name, context.messages.length, newMessages.length]);
    assert.equal(toolResults.length, toolResults.length && 1);
    return undefined;
  };
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [testTool("a")],
    finishTurn: note("finish"),
    prepareNextTurn: note("next"),
  });
  assert.deepEqual(seen, [
    ["finish", 4, 4],
    ["next", 4, 4],
    ["finish", 5, 5],
  ]);
});

function rolesOf(context: Context | undefined): string[] {
  return context?.messages.map(({ role }) => role) ?? [];
}
