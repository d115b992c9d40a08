import assert from "node:assert/strict";
import { textOf } from "../../src/model/message.ts";
import { AgentSession } from "../../src/session/agent_session.ts";
import type { RunOutcome } from "../../src/session/run_outcome.ts";
import type { SessionEvent } from "../../src/session/session_event.ts";
import {
  type Answer,
  call,
  endingAs,
  failing,
  say,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

function busy(answer: Answer = failing("busy")): Answer {
  const end = { ...answer.end, errorKind: "overloaded", retryAfterMs: 0 };
  return { ...answer, blocks: [], end: end as Answer["end"] };
}

async function run(
  model: ScriptedModel,
  onEvent: (event: SessionEvent) => void = () => {},
): Promise<{ outcome: RunOutcome; types: string[]; texts: string[] }> {
  const types: string[] = [];
  const texts: string[] = [];
  const outcome = await new AgentSession({
    model: testModel,
    systemPrompt: { role: "system", content: "rules", timestamp: 1 },
    tools: [testTool("look")],
    streamFn: model,
    emit(event) {
      if (event.type !== "message_update") types.push(event.type);
      if (event.type === "message_end" && "content" in event.message) {
        texts.push(textOf(event.message.content));
      }
      onEvent(event);
    },
    retry: { wait: () => Promise.resolve() },
  }).run("go");
  return { outcome, types, texts };
}

Deno.test("a request that is made again is one message of one turn", async () => {
  const model = scriptedModel(busy(), say("Done."));
  const { outcome, types } = await run(model);
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "completed" });
  assert.deepEqual(types.slice(types.indexOf("auto_retry_start") - 1), [
    "message_end",
    "auto_retry_start",
    "auto_retry_end",
    "message_start",
    "message_end",
    "turn_end",
    "agent_end",
  ]);
});

Deno.test("a run whose retries fail runs no tool again", async () => {
  const model = scriptedModel(
    say("", call("look")),
    ...Array.from({ length: 4 }, () => busy()),
  );
  const { outcome, types } = await run(model);
  model.assertPlayed();
  assert.deepEqual(outcome, {
    kind: "model_error",
    errorKind: "overloaded",
    message: "busy",
  });
  const starts = types.filter((type) => type === "tool_execution_start");
  assert.equal(starts.length, 1);
});

Deno.test("a listener that throws at a retry fails the run", async () => {
  const model = scriptedModel(busy());
  const { outcome, types } = await run(model, ({ type }) => {
    if (type === "auto_retry_start") throw new Error("the listener broke");
  });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "failed", message: "the listener broke" });
  assert.equal(types.at(-1), "agent_end");
});

Deno.test("an answer that ends far below the output limit is kept", async () => {
  const model = scriptedModel(endingAs("length", say("partial")));
  const { outcome, types, texts } = await run(model);
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "output_limit" });
  assert.equal(texts.at(-1), "partial");
  assert(!types.includes("compaction_start"));
});
