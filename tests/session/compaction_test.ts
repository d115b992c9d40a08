import assert from "node:assert/strict";
import { emptyUsage, type Message, textOf } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type { Context } from "../../src/model/stream.ts";
import { AgentSession } from "../../src/session/agent_session.ts";
import type { CompactionOptions } from "../../src/session/compaction.ts";
import type { RunOutcome } from "../../src/session/run_outcome.ts";
import type { SessionEvent } from "../../src/session/session_event.ts";
import {
  isSummaryRequest,
  type LongModel,
  longModel,
  tokensOf,
} from "../support/long_model.ts";
import { testModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

interface Ran {
  outcome: RunOutcome;
  events: SessionEvent[];
  session: AgentSession;
}

async function run(
  { streamFn }: LongModel,
  { contextWindow, result, messages, compaction }: {
    contextWindow: number;
    result: string;
    messages?: Message[];
    compaction?: CompactionOptions;
  },
): Promise<Ran> {
  const events: SessionEvent[] = [];
  const model: Model = { ...testModel, contextWindow };
  const session = new AgentSession({
    model,
    systemPrompt: { role: "system", content: "rules", timestamp: 1 },
    tools: [testTool("look", () => result)],
    streamFn,
    emit: (event) => void events.push(event),
    maxRepeats: 0,
    ...(messages ? { messages } : {}),
    compaction,
  });
  const outcome = await session.run("The task.");
  return { outcome, events, session };
}

function compactions(events: SessionEvent[]) {
  return events.filter((event) => event.type === "compaction_end");
}

for (const tellsUsage of [true, false]) {
  Deno.test(`AgentSession keeps 500 turns below the window, calls with their results, usage ${tellsUsage ? "told" : "not told"}`, async () => {
    const window = 40_000;
    const model = longModel({ turns: 500, window, tellsUsage });
    const { outcome, events } = await run(model, {
      contextWindow: window,
      result: "x".repeat(2000),
    });
    assert.deepEqual(outcome, { kind: "completed" });
    assert.deepEqual(model.faults, []);
    for (const context of model.contexts) {
      assert(tokensOf(context) <= window - 16_384 + 1000);
    }
    const done = compactions(events);
    assert(done.length > 10 && done.length < 60, `${done.length} compactions`);
    for (const event of done) {
      assert(event.type === "compaction_end" && event.result);
      assert.equal(event.reason, "threshold");
      assert.notEqual(event.result.firstKept.role, "toolResult");
    }
    const last = model.contexts.at(-1)?.messages ?? [];
    assert.match(textOf(last[0]?.content ?? ""), /<summary>\nSo far: much\./);
    assert.equal(last[1]?.role, "assistant");
  });
}

Deno.test("AgentSession keeps as much free, and as much as it is, as its options say", async () => {
  const window = 40_000;
  const model = longModel({ turns: 100, window });
  const { events } = await run(model, {
    contextWindow: window,
    result: "x".repeat(2000),
    compaction: { reserveTokens: 4000, keepRecentTokens: 3000 },
  });
  const [first] = compactions(events);
  assert(first?.type === "compaction_end" && first.result);
  const { tokensBefore } = first.result;
  assert(tokensBefore > 36_000 && tokensBefore < 37_500, `${tokensBefore}`);
  const at = model.contexts.findIndex(isSummaryRequest);
  const tokens = tokensOf(model.contexts[at + 1] as Context);
  assert(tokens > 2500 && tokens < 3500, `${tokens}`);
});

Deno.test("AgentSession summarises nothing where compaction is off, and says so when that ends the run", async () => {
  const model = longModel({ turns: 100, window: 40_000 });
  const { outcome, events } = await run(model, {
    contextWindow: 40_000,
    result: "x".repeat(2000),
    compaction: { enabled: false },
  });
  assert(outcome.kind === "model_error");
  assert.equal(outcome.errorKind, "context_overflow");
  assert.match(outcome.message, /too long: .*; compaction is off/);
  assert.deepEqual(compactions(events), []);
  assert(model.contexts.every((context) => !isSummaryRequest(context)));
});

Deno.test("AgentSession tells the next summary of the one before", async () => {
  const window = 40_000;
  const model = longModel({ turns: 120, window });
  await run(model, { contextWindow: window, result: "x".repeat(2000) });
  const asked = model.contexts.filter(isSummaryRequest)
    .map(({ messages }) => textOf(messages[0]?.content ?? ""));
  assert(asked.length >= 2);
  assert.match(asked[0] ?? "", /\[User\]: The task\./);
  assert.doesNotMatch(asked[0] ?? "", /So far: much/);
  assert.match(asked[1] ?? "", /So far: much/);
  assert.doesNotMatch(asked[1] ?? "", /The task/);
});

Deno.test("AgentSession shortens a conversation that the provider refuses as too long, and goes on", async () => {
  // The provider's window is far smaller than what is known of it.
  const model = longModel({ turns: 20, window: 4096 });
  const { outcome, events } = await run(model, {
    contextWindow: 128_000,
    result: "x".repeat(2000),
  });
  assert.deepEqual(outcome, { kind: "completed" });
  assert.deepEqual(model.faults, []);
  const bodies = model.contexts.map((context) => JSON.stringify(context));
  assert.equal(new Set(bodies).size, bodies.length, "the same body twice");
  assert(compactions(events).length >= 2);
  for (const event of compactions(events)) {
    assert(event.type === "compaction_end");
    assert.equal(event.reason, "overflow");
  }
});

Deno.test("AgentSession ends as refused when there is nothing to shorten", async () => {
  const model = longModel({ turns: 1, window: 4 });
  const { outcome, events } = await run(model, {
    contextWindow: 128_000,
    result: "",
  });
  assert.equal(model.contexts.length, 1);
  assert.deepEqual(compactions(events), []);
  assert(outcome.kind === "model_error");
  assert.equal(outcome.errorKind, "context_overflow");
  assert.match(outcome.message, /too long: .*; there is nothing to shorten/);
});

Deno.test("AgentSession ends as refused when the last result alone is too long", async () => {
  const model = longModel({ turns: 3, window: 4096 });
  const { outcome } = await run(model, {
    contextWindow: 128_000,
    result: "x".repeat(30_000),
  });
  assert(outcome.kind === "model_error");
  assert.equal(outcome.errorKind, "context_overflow");
  const bodies = model.contexts.map((context) => JSON.stringify(context));
  assert.equal(new Set(bodies).size, bodies.length, "the same body twice");
});

Deno.test("AgentSession says why no summary could be made", async () => {
  const model = longModel({
    turns: 20,
    window: 4096,
    summary: new Error("not today"),
  });
  const { outcome, events } = await run(model, {
    contextWindow: 128_000,
    result: "x".repeat(2000),
  });
  assert(outcome.kind === "model_error");
  assert.match(outcome.message, /no summary could be made: not today/);
  assert.deepEqual(compactions(events), [{
    type: "compaction_end",
    reason: "overflow",
    aborted: false,
    errorMessage: "not today",
  }]);
});

Deno.test("AgentSession goes on without a summary while the window is not full", async () => {
  const model = longModel({
    turns: 60,
    window: 1_000_000,
    summary: new Error("not today"),
  });
  const { outcome } = await run(model, {
    contextWindow: 40_000,
    result: "x".repeat(2000),
  });
  assert.deepEqual(outcome, { kind: "completed" });
  const asked = model.contexts.filter(isSummaryRequest).length;
  assert(asked > 0 && asked < 5, `${asked} requests for a summary`);
});

Deno.test("AgentSession does not count a resumed message as what it was before the compaction", async () => {
  const window = 40_000;
  const model = longModel({ turns: 1, window });
  const usage = { ...emptyUsage(), totalTokens: 39_000 };
  const { events } = await run(model, {
    contextWindow: window,
    result: "x",
    messages: [
      { role: "system", content: "rules", timestamp: 1 },
      { role: "user", content: "<summary>\nMuch.\n</summary>", timestamp: 9 },
      {
        role: "assistant",
        content: [{ type: "text", text: "y".repeat(8000) }],
        api: "openai-completions",
        provider: "test",
        model: "scripted",
        usage,
        stopReason: "stop",
        timestamp: 5,
      },
    ],
  });
  assert.deepEqual(compactions(events), []);
});

Deno.test("AgentSession stays short from run to run", async () => {
  const window = 40_000;
  const model = longModel({ turns: 80, window });
  const { session } = await run(model, {
    contextWindow: window,
    result: "x".repeat(2000),
  });
  await session.run("And now?");
  const last = model.contexts.at(-1) as Context;
  assert(tokensOf(last) < window - 16_384 + 1000);
  assert.match(textOf(last.messages[0]?.content ?? ""), /<summary>/);
  assert.equal(textOf(last.messages.at(-1)?.content ?? ""), "And now?");
});
