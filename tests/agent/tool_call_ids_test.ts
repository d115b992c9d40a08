import assert from "node:assert/strict";
import { recordRun, user } from "../support/record_run.ts";
import {
  call,
  callsOf,
  failing,
  say,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

const echo = () => testTool("echo", ({ args }) => String(args.text));
const echoCall = (text: string) => call("echo", { text }, { id: "same" });

// The scripted model refuses a context in which an id stands for two calls.
Deno.test("ToolCallIds renames ids that repeat within a message and across turns, so that each call runs once", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      say("", echoCall("A"), echoCall("B")),
      say("", echoCall("C")),
      say("Done."),
    ),
    tools: [echo()],
  });
  assertTranscript(
    messages.slice(2),
    `
    call       echo {"text":"A"}
    call       echo {"text":"B"}
    result     A
    result     B
    call       echo {"text":"C"}
    result     C
    assistant  Done.
    `,
  );
  assert.deepEqual(idsOf(messages), ["same", "same_2", "same_3"]);
});

Deno.test("ToolCallIds knows the ids of the transcript before the run", async () => {
  const first = await recordRun("Go.", {
    model: scriptedModel(say("", echoCall("A")), say("Done.")),
    tools: [echo()],
  });
  const second = await recordRun("Again.", {
    model: scriptedModel(say("", echoCall("B")), say("Done.")),
    tools: [echo()],
    history: first.messages,
  });
  assert.deepEqual(idsOf(second.messages), ["same_2"]);
});

Deno.test("ToolCallIds knows the ids of a context that was swapped in", async () => {
  const first = await recordRun("Go.", {
    model: scriptedModel(say("", echoCall("A")), say("Done.")),
    tools: [echo()],
  });
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("Hm."), say("", echoCall("B")), say("Done.")),
    tools: [echo()],
    getFollowUpMessages: (() => {
      const queue = [user("More.")];
      return () => queue.splice(0);
    })(),
    prepareNextTurn: ({ message }) =>
      message.stopReason === "stop"
        ? { context: { messages: first.messages, tools: [echo()] } }
        : undefined,
  });
  assert.deepEqual(idsOf(messages), ["same_2"]);
});

Deno.test("ToolCallIds renames in every event that tells of the call", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(
      say("Hm.", echoCall("A"), echoCall("B")),
      say("Done."),
    ),
    tools: [echo()],
  });
  const ids = new Set<string>();
  for (const event of events) {
    if (event.type === "message_update") {
      for (const { id } of callsOf(event.message)) ids.add(id);
      const inner = event.assistantMessageEvent;
      if (inner.type === "toolcall_end") ids.add(`end ${inner.toolCall.id}`);
      if ("partial" in inner) {
        assert.deepEqual(inner.partial, event.message);
      }
    } else if ("toolCallId" in event) {
      ids.add(`${event.type} ${event.toolCallId}`);
    }
  }
  assert.deepEqual([...ids], [
    "same",
    "end same",
    "same_2",
    "end same_2",
    "tool_execution_start same",
    "tool_execution_start same_2",
    "tool_execution_end same",
    "tool_execution_end same_2",
  ]);
});

Deno.test("ToolCallIds renames in a message that failed", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      failing("gone", say("", echoCall("A"), echoCall("B"))),
    ),
    tools: [echo()],
  });
  assert.deepEqual(idsOf(messages), ["same", "same_2"]);
});

Deno.test("ToolCallIds does not give an id that a model wrote itself", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      say(
        "",
        call("echo", { text: "A" }, { id: "x_2" }),
        call("echo", { text: "B" }, { id: "x" }),
        call("echo", { text: "C" }, { id: "x" }),
      ),
      say("Done."),
    ),
    tools: [echo()],
  });
  assert.deepEqual(idsOf(messages), ["x_2", "x", "x_3"]);
});

function idsOf(messages: Parameters<typeof assertTranscript>[0]): string[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? callsOf(message).map(({ id }) => id) : []
  );
}
