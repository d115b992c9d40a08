import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { recordRun } from "../support/record_run.ts";
import {
  call,
  endingAs,
  rawCall,
  say,
  scriptedModel,
} from "../support/scripted_model.ts";
import { chattyTool, testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("runAgentLoop() tells of a plain answer", async () => {
  const model = scriptedModel(say("Hello."));
  const { events } = await recordRun("Hi.", { model });
  assertTrace(
    events,
    "agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:stop) turn_end[0] agent_end[2]",
  );
});

Deno.test("runAgentLoop() ends parallel calls as they complete and stores their results in the order of the calls", async () => {
  const second = Promise.withResolvers<void>();
  const model = scriptedModel(
    say("Go.", call("slow"), call("fast")),
    say("So."),
  );
  const { events, messages } = await recordRun("Both.", {
    model,
    tools: [
      testTool("slow", async ({ update }) => {
        update("half");
        await second.promise;
        return "slow done";
      }),
      chattyTool("fast"),
    ],
    onEvent(event) {
      if (endOf(event, "fast")) second.resolve();
    },
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TS2 TU1 TU2 TE2 TE1 MS(T1) ME(T1) MS(T2) ME(T2) turn_end[2]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[6]`,
  );
  assertTranscript(
    messages,
    `
    system     +slow +fast
    user       Both.
    assistant  Go.
    call       slow {}
    call       fast {}
    result     slow done
    result     fast done
    assistant  So.
    `,
  );
});

Deno.test("runAgentLoop() finishes each sequential call before the next", async () => {
  const model = scriptedModel(say("", call("a"), call("b")), say("So."));
  const { events } = await recordRun("Both.", {
    model,
    tools: [chattyTool("a"), chattyTool("b")],
    toolExecution: "sequential",
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TU1 TE1 MS(T1) ME(T1) TS2 TU2 TE2 MS(T2) ME(T2) turn_end[2]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[6]`,
  );
});

Deno.test("runAgentLoop() answers unknown and invalid calls at once and runs the rest", async () => {
  const model = scriptedModel(
    say("", call("nothing"), call("read", { path: {} }), call("ok")),
    say("So."),
  );
  const { events, messages } = await recordRun("All.", {
    model,
    tools: [
      testTool("read", undefined, {
        parameters: {
          type: "object",
          required: ["path"],
          properties: { path: { type: "string" } },
        },
      }),
      chattyTool("ok"),
    ],
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TE1! TS2 TE2! TS3 TU3 TE3
     MS(T1!) ME(T1!) MS(T2!) ME(T2!) MS(T3) ME(T3) turn_end[3]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[7]`,
  );
  assertTranscript(
    messages.slice(-4, -1),
    `
    error      Tool nothing not found
    error      Validation failed for tool "read":⏎  - path: Expected string, got object⏎⏎Received arguments:⏎{⏎  "path": {}⏎}
    result     ok done
    `,
  );
});

Deno.test("runAgentLoop() answers a blocked call at once and runs the rest", async () => {
  const model = scriptedModel(say("", call("a"), call("b")), say("So."));
  const { events, messages } = await recordRun("Both.", {
    model,
    tools: [chattyTool("a"), chattyTool("b")],
    beforeToolCall: ({ toolCall }) =>
      toolCall.name === "a" ? { block: true, reason: "nope" } : undefined,
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TE1! TS2 TU2 TE2 MS(T1!) ME(T1!) MS(T2) ME(T2) turn_end[2]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[6]`,
  );
  assertTranscript(messages.slice(-3, -2), "error      nope");
});

Deno.test("runAgentLoop() runs no call of a message that was cut by the output limit, and goes on", async () => {
  const model = scriptedModel(
    endingAs("length", say("", call("a"), call("b"))),
    say("Sorry."),
  );
  const { events, messages } = await recordRun("Both.", {
    model,
    tools: [
      testTool("a", () => assert.fail("ran")),
      testTool("b", () => assert.fail("ran")),
    ],
  });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:length)
     TS1 TE1! MS(T1!) ME(T1!) TS2 TE2! MS(T2!) ME(T2!) turn_end[2]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[6]`,
  );
  assertTranscript(
    messages.slice(2),
    `
    call       a {}
    call       b {}
    length
    error      Tool call "a" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.
    error      Tool call "b" was not executed: the response hit the output token limit, so its arguments may be truncated. Re-issue the tool call with complete arguments.
    assistant  Sorry.
    `,
  );
});

Deno.test("runAgentLoop() runs the calls of a message that says it stopped", async () => {
  const model = scriptedModel(endingAs("stop", say("", call("a"))), say("So."));
  const { events } = await recordRun("Go.", { model, tools: [testTool("a")] });
  assertTrace(
    events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:stop)
     TS1 TE1 MS(T1) ME(T1) turn_end[1]
     turn_start MS(A:pending) ME(A:stop) turn_end[0] agent_end[5]`,
  );
});

Deno.test("runAgentLoop() declares swapped tools before the user's message", async () => {
  const first = await recordRun("One.", {
    model: scriptedModel(say("1")),
    tools: [testTool("a")],
  });
  const second = await recordRun("Two.", {
    model: scriptedModel(say("2")),
    history: first.messages,
    tools: [testTool("b")],
  });
  assertTrace(
    second.events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:stop)
     turn_end[0] agent_end[3]`,
  );
  assertTranscript(
    second.messages,
    `
    system     +b -a
    user       Two.
    assistant  2
    `,
  );
});

Deno.test("runAgentLoop() lets the model mend a call whose arguments did not parse", async () => {
  const model = scriptedModel(
    say("", rawCall("a", '{"path":"x",,}')),
    say("", call("a", { path: "x" })),
    say("So."),
  );
  const { messages } = await recordRun("Go.", {
    model,
    tools: [testTool("a")],
  });
  const results = messages.filter(({ role }) => role === "toolResult");
  assert.equal(results.length, 2);
  assert.match(
    JSON.stringify(results[0]),
    /Invalid arguments for tool \\"a\\": .*Received arguments:\\n\{\\"path\\":\\"x\\",,\}/,
  );
  assertTranscript(results.slice(1), "result     a done");
});

function endOf(event: AgentEvent, toolName: string): boolean {
  return event.type === "tool_execution_end" && event.toolName === toolName;
}
