import assert from "node:assert/strict";
import { RunSession } from "../../src/host/run_session.ts";
import type { Message } from "../../src/model/message.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";
import { SessionProjection } from "../../src/session/session_projection.ts";
import { testModel } from "../support/scripted_model.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { assertTranscript } from "../support/transcript.ts";
import {
  assistant,
  toolCall,
  toolResult,
  user,
} from "../support/transcript_builder.ts";

function open(folder: string): RunSession {
  const session = RunSession.open({ resume: { file: `${folder}/s` } }, {
    cwd: folder,
    env: { TAU_HOME: folder },
    warn: (problem) => assert.fail(problem),
  });
  return session ?? assert.fail("there is a place for it");
}

function ended(message: Message): RunEvent {
  return { type: "message_end", message };
}

function callEnded(id: string, text: string): RunEvent {
  return {
    type: "tool_execution_end",
    toolCallId: id,
    toolName: "tool",
    result: { content: [{ type: "text", text }], details: { n: 1 } },
    isError: false,
    durationMs: 5,
  };
}

/** What is stored after these events, as the next run sees it. */
async function stored(events: RunEvent[]): Promise<Message[]> {
  let messages: Message[] = [];
  await inTempFolder((folder) => {
    const first = open(folder);
    for (const event of events) first.note(event);
    first.close();
    const second = open(folder);
    messages = new SessionProjection(second.entries).messages as Message[];
    assert.deepEqual(
      second.messages.length,
      second.entries.filter(({ type }) => type === "message").length,
    );
    second.close();
    return Promise.resolve();
  });
  return messages;
}

const CALLS = assistant(testModel, [
  toolCall("k1", "tool"),
  toolCall("k2", "tool"),
]);

Deno.test("RunSession stores the result of a call beside which another still runs", async () => {
  const messages = await stored([
    ended(user("go")),
    ended(CALLS),
    callEnded("k2", "two"),
  ]);
  const { timestamp: _, ...result } = messages[2] as Message & {
    role: "toolResult";
  };
  assert.deepEqual(result, {
    role: "toolResult",
    toolCallId: "k2",
    toolName: "tool",
    content: [{ type: "text", text: "two" }],
    details: { n: 1 },
    isError: false,
    durationMs: 5,
  });
});

Deno.test("RunSession stores each result once", async () => {
  const messages = await stored([
    ended(user("go")),
    ended(CALLS),
    callEnded("k2", "two"),
    callEnded("k2", "again"),
    callEnded("k9", "unknown"),
    callEnded("k1", "one"),
    ended(toolResult("k1", "one")),
    ended(toolResult("k2", "two")),
    ended(assistant(testModel, ["done"])),
  ]);
  assertTranscript(
    messages,
    `
    user       go
    call       tool {}
    call       tool {}
    result     two
    result     one
    assistant  done
  `,
  );
});

Deno.test("RunSession stores a compaction, by the number of the first message that is kept", async () => {
  const compactionEnd = (firstKept: number, summary: string): RunEvent => ({
    type: "compaction_end",
    reason: "threshold",
    aborted: false,
    result: { summary, firstKept, tokensBefore: 5 },
  });
  const messages = await stored([
    ended(user("go")),
    ended(CALLS),
    callEnded("k2", "two"),
    ended(toolResult("k1", "one")),
    ended(toolResult("k2", "two")),
    ended(user("then")),
    compactionEnd(99, "of nothing"),
    compactionEnd(4, "what was done"),
    ended(assistant(testModel, ["done"])),
  ]);
  assert.equal(messages.length, 3);
  assert.match(JSON.stringify(messages[0]), /what was done/);
  assertTranscript(
    messages.slice(1),
    `
    user       then
    assistant  done
  `,
  );
});

Deno.test("RunSession knows the model that it was with last", async () => {
  await inTempFolder((folder) => {
    const first = open(folder);
    assert.equal(first.model, undefined);
    first.useModel({ ...testModel, provider: "p", id: "a/b:c" });
    first.note(ended(user("go")));
    first.close();
    const second = open(folder);
    assert.equal(second.model, "p/a/b:c:off");
    second.useModel({ ...testModel, provider: "p", id: "d" }, "high");
    second.note(ended(user("on")));
    second.close();
    const third = open(folder);
    assert.equal(third.model, "p/d:high");
    third.useModel({ ...testModel, provider: "p", id: "d" }, "high");
    third.note(ended(user("on")));
    third.close();
    const fourth = open(folder);
    assert.deepEqual(fourth.entries.map(({ type }) => type), [
      "model_change",
      "thinking_level_change",
      "message",
      "model_change",
      "thinking_level_change",
      "message",
      "message",
    ]);
    fourth.close();
    return Promise.resolve();
  });
});
