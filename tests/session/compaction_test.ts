import assert from "node:assert/strict";
import {
  assembleMessage,
  type AssistantDelta,
  type Context,
  emptyUsage,
  type Message,
  type Model,
  type StreamFn,
  textOf,
} from "../../src/model/mod.ts";
import {
  AgentSession,
  type RunOutcome,
  type SessionEvent,
} from "../../src/session/mod.ts";
import { assertSendable, testModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

/** Bytes of a request as the double counts them: four make a token. */
function tokensOf({ systemPrompt = "", messages, tools }: Context): number {
  const texts = messages.map(({ role, content }) => ({ role, content }));
  return Math.ceil(
    (systemPrompt.length + JSON.stringify([texts, tools]).length) / 4,
  );
}

function isSummaryRequest(context: Context): boolean {
  return context.tools === undefined &&
    /coding agent, so that/.test(context.systemPrompt ?? "");
}

interface LongModel {
  streamFn: StreamFn;
  contexts: Context[];
  faults: unknown[];
}

/**
 * A model that calls a tool for a number of turns and then answers. It refuses
 * contexts that a provider would refuse, those beyond its window included.
 */
function longModel(
  { turns, window, tellsUsage = true, summary = "So far: much." }: {
    turns: number;
    window: number;
    tellsUsage?: boolean;
    summary?: string | Error;
  },
): LongModel {
  const contexts: Context[] = [];
  const faults: unknown[] = [];
  let turn = 0;
  const answer = (context: Context): AssistantDelta[] => {
    const tokens = tokensOf(context);
    if (tokens > window) {
      return [{
        type: "error",
        reason: "error",
        errorKind: "context_overflow",
        errorMessage: `prompt is too long: ${tokens} > ${window}`,
      }];
    }
    const usage = tellsUsage
      ? {
        ...emptyUsage(),
        input: tokens,
        output: 50,
        totalTokens: tokens + 50,
      }
      : emptyUsage();
    if (isSummaryRequest(context)) {
      return summary instanceof Error
        ? [{
          type: "error",
          reason: "error",
          errorKind: "refused",
          errorMessage: summary.message,
        }]
        : say(summary, usage);
    }
    if (++turn > turns) return say("All done.", usage);
    return [
      { type: "start" },
      {
        type: "toolcall_start",
        contentIndex: 0,
        id: `c${turn}`,
        toolName: "look",
      },
      { type: "toolcall_delta", contentIndex: 0, delta: `{"at":${turn}}` },
      { type: "toolcall_end", contentIndex: 0 },
      { type: "done", reason: "toolUse", usage },
    ];
  };
  const streamFn: StreamFn = (model, context) => {
    contexts.push(context);
    try {
      assertSendable(context);
    } catch (fault) {
      faults.push(fault);
    }
    return assembleMessage(
      model,
      (async function* () {
        yield await Promise.resolve(answer(context));
      })(),
    );
  };
  return { streamFn, contexts, faults };
}

function say(
  text: string,
  usage: ReturnType<typeof emptyUsage>,
): AssistantDelta[] {
  return [
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { type: "text_delta", contentIndex: 0, delta: text },
    { type: "text_end", contentIndex: 0 },
    { type: "done", reason: "stop", usage },
  ];
}

interface Ran {
  outcome: RunOutcome;
  events: SessionEvent[];
  session: AgentSession;
}

async function run(
  { streamFn }: LongModel,
  { contextWindow, result, messages }: {
    contextWindow: number;
    result: string;
    messages?: Message[];
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
