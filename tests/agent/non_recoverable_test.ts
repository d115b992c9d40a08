import assert from "node:assert/strict";
import {
  isNonRecoverableToolError,
  NonRecoverableToolError,
} from "../../src/agent/non_recoverable_tool_error.ts";
import {
  type AgentToolCallOutcome,
  runToolCall,
} from "../../src/agent/tool_call.ts";
import type { ToolCall } from "../../src/model/content.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import { recordRun } from "../support/record_run.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import { call, say, scriptedModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

/** The module as a plugin that was loaded anew would have it. */
async function secondCopy(): Promise<typeof NonRecoverableToolError> {
  const url = new URL(
    "../../src/agent/non_recoverable_tool_error.ts?second",
    import.meta.url,
  );
  const copy = await import(url.href);
  assert.notEqual(copy.NonRecoverableToolError, NonRecoverableToolError);
  return copy.NonRecoverableToolError;
}

function fatalTool(error: unknown = new NonRecoverableToolError("gone")) {
  return testTool("fatal", () => {
    throw error;
  });
}

Deno.test("isNonRecoverableToolError() knows subclasses and those of a second copy of the module", async () => {
  class Special extends NonRecoverableToolError {}
  const Copy = await secondCopy();
  for (const Class of [NonRecoverableToolError, Special, Copy]) {
    const error = new Class("gone", { cause: 1 });
    assert(isNonRecoverableToolError(error));
    assert.equal(error.message, "gone");
    assert.equal(error.cause, 1);
  }
});

const genuine = new NonRecoverableToolError("gone");
for (
  const [title, lookAlike] of [
    ["copied fields", { ...genuine, name: genuine.name, message: "gone" }],
    ["a copied prototype", Object.create(NonRecoverableToolError.prototype)],
    [
      "an error with a copied prototype",
      Object.setPrototypeOf(
        new Error("gone"),
        NonRecoverableToolError.prototype,
      ),
    ],
    ["an heir of a genuine one", Object.create(genuine)],
    ["a proxy of a genuine one", new Proxy(genuine, {})],
    ["a clone", structuredClone(genuine)],
    ["a text", "NonRecoverableToolError"],
    ["undefined", undefined],
  ] as [string, unknown][]
) {
  Deno.test(`isNonRecoverableToolError() does not take ${title}`, () => {
    assert(!isNonRecoverableToolError(lookAlike));
  });
}

Deno.test("AgentRun ends as failed when a tool throws a NonRecoverableToolError, once the call has its result", async () => {
  const run = await recordRun("Go.", {
    model: scriptedModel(say("On it.", call("fatal")), say("Never said.")),
    tools: [fatalTool()],
    endedEarly: true,
  });
  assertWholeRun(run);
  assertTrace(
    run.events,
    `agent_start turn_start MS(S) ME(S) MS(U) ME(U) MS(A:pending) ME(A:toolUse)
     TS1 TE1! MS(T1!) ME(T1!) MS(A:error) ME(A:error) turn_end[1] agent_end[5]`,
  );
  const last = run.messages.at(-1) as AssistantMessage;
  assert.equal(last.errorMessage, "gone");
});

Deno.test("AgentRun starts no further call of a sequential batch after a NonRecoverableToolError", async () => {
  const ran: string[] = [];
  const run = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("fatal"), call("a"))),
    tools: [
      testTool("a", ({ id }) => (ran.push(id), "a done")),
      fatalTool(),
    ],
    toolExecution: "sequential",
  });
  assertWholeRun(run);
  assert.equal(ran.length, 1);
  assertTranscript(
    run.messages.slice(2),
    `
    call       a {}
    call       fatal {}
    call       a {}
    result     a done
    error      gone
    error      Operation aborted
    assistant
    error      gone
  `,
  );
});

Deno.test("AgentRun hears out the other calls of a parallel batch after a NonRecoverableToolError", async () => {
  const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
  const run = await recordRun("Go.", {
    model: scriptedModel(say("", call("slow"), call("fatal"), call("slow"))),
    tools: [
      testTool("slow", async ({ signal }) => {
        await failed;
        return `slow done, ${signal.aborted ? "aborted" : "not aborted"}`;
      }),
      fatalTool(),
    ],
    onEvent(event) {
      if (event.type === "tool_execution_end" && event.isError) fail();
    },
  });
  assertWholeRun(run);
  assertTranscript(
    run.messages.slice(2),
    `
    call       slow {}
    call       fatal {}
    call       slow {}
    result     slow done, not aborted
    error      gone
    result     slow done, not aborted
    assistant
    error      gone
  `,
  );
});

Deno.test("AgentRun goes on after an error that only looks like a NonRecoverableToolError", async () => {
  const lookAlike = Object.assign(
    Object.create(NonRecoverableToolError.prototype),
    { message: "gone" },
  );
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("fatal")), say("Went on.")),
    tools: [fatalTool(lookAlike)],
  });
  assertTranscript(
    messages.slice(2),
    `
    call       fatal {}
    error      gone
    assistant  Went on.
  `,
  );
});

Deno.test("AgentRun ends for a NonRecoverableToolError of a second copy of the module, whatever afterToolCall says", async () => {
  const Copy = await secondCopy();
  const run = await recordRun("Go.", {
    model: scriptedModel(say("", call("fatal"))),
    tools: [fatalTool(new Copy("gone"))],
    afterToolCall: () => ({
      content: [{ type: "text", text: "All is well." }],
      isError: false,
    }),
  });
  assertWholeRun(run);
  assertTranscript(
    run.messages.slice(2),
    `
    call       fatal {}
    result     All is well.
    assistant
    error      gone
  `,
  );
});

Deno.test("AgentRun ends as aborted when the abort came before a NonRecoverableToolError", async () => {
  const controller = new AbortController();
  const run = await recordRun("Go.", {
    model: scriptedModel(say("", call("fatal"))),
    tools: [
      testTool("fatal", () => {
        controller.abort();
        throw new NonRecoverableToolError("gone");
      }),
    ],
    signal: controller.signal,
  });
  assertWholeRun(run);
  const last = run.messages.at(-1) as AssistantMessage;
  assert.equal(last.stopReason, "aborted");
});

Deno.test("runToolCall() returns a NonRecoverableToolError as an error outcome that carries it", async () => {
  const error = new NonRecoverableToolError("gone");
  const toolCall: ToolCall = {
    type: "toolCall",
    id: "1",
    name: "fatal",
    arguments: {},
  };
  const assistantMessage: AssistantMessage = {
    role: "assistant",
    content: [toolCall],
    api: "openai-completions",
    provider: "test",
    model: "test",
    usage: emptyUsage(),
    stopReason: "toolUse",
    timestamp: 0,
  };
  const { durationMs: _, ...outcome } = await runToolCall(toolCall, {
    tools: [fatalTool(error)],
    assistantMessage,
    context: { messages: [] },
  });
  assert.deepEqual<Omit<AgentToolCallOutcome, "durationMs">>(outcome, {
    toolCall,
    result: { content: [{ type: "text", text: "gone" }], details: {} },
    isError: true,
    nonRecoverable: error,
  });
});
