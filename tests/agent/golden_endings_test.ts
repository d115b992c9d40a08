import assert from "node:assert/strict";
import { recordRun } from "../support/record_run.ts";
import {
  call,
  failing,
  failModel,
  say,
  scriptedModel,
  waiting,
} from "../support/scripted_model.ts";
import { chattyTool, testTool, untilAbort } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("runAgentLoop() ends when every call of a batch votes to", async () => {
  const model = scriptedModel(say("", call("a"), call("a")));
  const { events } = await recordRun("Both.", {
    model,
    tools: [testTool("a", () => ({ content: [], terminate: true }))],
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TS2 TE1 TE2 MS(T1) ME(T1) MS(T2) ME(T2) turn_end[2] agent_end[5]`,
  );
});

Deno.test("runAgentLoop() goes on when one call of a batch does not vote to end", async () => {
  const model = scriptedModel(say("", call("a"), call("b")), say("So."));
  const { events } = await recordRun("Both.", {
    model,
    tools: [
      testTool("a", () => ({ content: [], terminate: true })),
      testTool("b"),
    ],
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TS2 TE1 TE2 MS(T1) ME(T1) MS(T2) ME(T2) turn_end[2]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[6]`,
  );
});

// The reference makes one more request, with the aborted signal, and leaves it
// to the provider to answer it as aborted. Here no request follows an abort:
// it would cost a turn, and a provider that misses the signal would answer.
Deno.test("runAgentLoop() answers what is left of a sequential batch when it is aborted, and asks no more", async () => {
  const user = new AbortController();
  const model = scriptedModel(say("", call("a"), call("b")), say("Never."));
  const { events, messages } = await recordRun("Both.", {
    model,
    tools: [chattyTool("a"), chattyTool("b")],
    toolExecution: "sequential",
    signal: user.signal,
    onEvent(event) {
      if (event.type === "tool_execution_end") user.abort();
    },
    endedEarly: true,
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TU1 TE1 MS(T1) ME(T1) TS2 TE2! MS(T2!) ME(T2!) turn_end[2]
     agent_end[5:aborted]`,
  );
  assertTranscript(
    messages.slice(-2),
    `
    result     a done
    error      Operation aborted
    `,
  );
  assert.equal(model.contexts.length, 1);
});

// As above: the reference makes one more request.
Deno.test("runAgentLoop() answers every call of a parallel batch when it is aborted, and asks no more", async () => {
  const user = new AbortController();
  const model = scriptedModel(say("", call("a"), call("b")), say("Never."));
  const { events, messages } = await recordRun("Both.", {
    model,
    tools: [
      testTool("a", async ({ signal, update }) => {
        update("half");
        await untilAbort(signal).catch(() => {});
        // Ends after the other call, with a result of its own.
        for (let i = 0; i < 50; i++) await undefined;
        return "a as far as it got";
      }),
      testTool("b", ({ signal }) => untilAbort(signal)),
    ],
    signal: user.signal,
    onEvent(event) {
      if (event.type === "tool_execution_update") user.abort();
    },
    endedEarly: true,
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TS2 TU1 TE2! TE1 MS(T1) ME(T1) MS(T2!) ME(T2!) turn_end[2]
     agent_end[5:aborted]`,
  );
  assertTranscript(
    messages.slice(-2),
    `
    result     a as far as it got
    error      Operation aborted
    `,
  );
  assert.equal(model.contexts.length, 1);
});

Deno.test("runAgentLoop() ends the message as aborted when it is aborted while the model speaks", async () => {
  const user = new AbortController();
  const never = new Promise<void>(() => {});
  const model = scriptedModel(waiting(never, say("Let me", call("a"))));
  const { events, messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a", () => assert.fail("ran"))],
    signal: user.signal,
    onEvent(event) {
      if (event.type !== "message_update") return;
      if (event.assistantMessageEvent.type === "text_end") user.abort();
    },
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:aborted)
     turn_end[0] agent_end[3:aborted]`,
  );
  assertTranscript(
    messages.slice(-1),
    `
    assistant  Let me
    aborted    AbortError: The signal has been aborted
    `,
  );
});

Deno.test("runAgentLoop() asks nothing when it is aborted before it starts", async () => {
  const model = scriptedModel();
  const asked: string[] = [];
  const { events } = await recordRun("Go.", {
    model,
    signal: AbortSignal.abort(),
    prepareRequest: () => void asked.push("prepareRequest"),
    getSteeringMessages() {
      asked.push("getSteeringMessages");
      return [];
    },
  });
  assert.deepEqual(asked, []);
  assertTrace(
    events,
    `agent_start turn_start MS(U) ME(U) MS(A:aborted) ME(A:aborted) turn_end[0]
     agent_end[2:aborted]`,
  );
  assert.equal(model.contexts.length, 0);
});

Deno.test("runAgentLoop() ends after a message that failed, and runs none of its calls", async () => {
  const model = scriptedModel(
    failing("The server is gone", say("Let me", call("a"))),
  );
  const { events, messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a", () => assert.fail("ran"))],
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:error)
     turn_end[0] agent_end[3]`,
  );
  assertTranscript(
    messages.slice(-1),
    `
    assistant  Let me
    call       a {}
    error      The server is gone
    `,
  );
});

Deno.test("runAgentLoop() announces a failure that comes before the message started", async () => {
  const model = failModel("No key", { errorKind: "auth" });
  const { events, messages } = await recordRun("Go.", { model });
  assertTrace(
    events,
    "agent_start turn_start MS(U) ME(U) MS(A:error) ME(A:error) turn_end[0] agent_end[2]",
  );
  assertTranscript(messages.slice(-1), "error      No key");
});
