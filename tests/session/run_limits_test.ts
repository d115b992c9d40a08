import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { emptyUsage, textOf } from "../../src/model/message.ts";
import {
  AgentSession,
  type AgentSessionOptions,
} from "../../src/session/agent_session.ts";
import type { LimitOptions } from "../../src/session/run_limits.ts";
import type { RunOutcome } from "../../src/session/run_outcome.ts";
import {
  type Answer,
  call,
  failing,
  say,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

interface Ran {
  outcome: RunOutcome;
  /** Calls that ran. */
  executed: number;
  /** Texts of the results, in order. */
  results: string[];
  /** What the user said, in order. */
  users: string[];
}

async function run(
  model: ScriptedModel,
  options: LimitOptions & Pick<Partial<AgentSessionOptions>, "model" | "check">,
  tool?: (run: number) => string,
): Promise<Ran> {
  const ran = { executed: 0, results: [] as string[], users: [] as string[] };
  const look: AgentTool = testTool("look", () => {
    ran.executed++;
    return tool?.(ran.executed) ?? `seen ${ran.executed}`;
  });
  const outcome = await new AgentSession({
    model: testModel,
    systemPrompt: { role: "system", content: "rules", timestamp: 1 },
    tools: [look],
    streamFn: model,
    retry: { wait: () => Promise.resolve() },
    emit(event) {
      if (event.type !== "message_end") return;
      const { message } = event;
      if (message.role === "toolResult") {
        ran.results.push(textOf(message.content));
      } else if (message.role === "user") {
        ran.users.push(textOf(message.content));
      }
    },
    ...options,
  }).run("go");
  return { outcome, ...ran };
}

/** Answers that call one tool each. */
function calling(count: number): Answer[] {
  return Array.from({ length: count }, () => say("", call("look")));
}

function costing(answer: Answer, output: number): Answer {
  const usage = { ...emptyUsage(), output, totalTokens: output };
  return { ...answer, end: { ...answer.end, usage } as Answer["end"] };
}

const PRICED = {
  ...testModel,
  cost: { input: 1, output: 10, cacheRead: 0, cacheWrite: 0 },
};

Deno.test("maxToolCalls runs nothing of a response that would go beyond it", async () => {
  const model = scriptedModel(
    ...calling(2),
    say("", call("look"), call("look")),
  );
  const { outcome, executed, results } = await run(model, { maxToolCalls: 3 });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "tool_call_limit" });
  assert.equal(executed, 2);
  assert.deepEqual(results.slice(2), [
    "Not run: this run is limited to 3 tool calls",
    "Not run: this run is limited to 3 tool calls",
  ]);
});

Deno.test("maxToolCalls lets a run complete that makes just so many", async () => {
  const model = scriptedModel(...calling(3), say("Done."));
  const { outcome } = await run(model, { maxToolCalls: 3 });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "completed" });
});

Deno.test("maxToolCalls 0 runs no call at all", async () => {
  const model = scriptedModel(...calling(1));
  const { outcome, executed } = await run(model, { maxToolCalls: 0 });
  assert.deepEqual(outcome, { kind: "limit", limit: "tool_call_limit" });
  assert.equal(executed, 0);
});

Deno.test("maxRepeats ends a run after the same call with the same result, 8 times without being told", async () => {
  for (const [maxRepeats, expected] of [[undefined, 8], [3, 3]] as const) {
    const model = scriptedModel(...calling(20));
    const { outcome, executed } = await run(
      model,
      { maxRepeats },
      () => "always the same",
    );
    assert.deepEqual(outcome, { kind: "limit", limit: "repeat_limit" });
    assert.equal(executed, expected);
    assert.equal(model.contexts.length, expected);
  }
});

Deno.test("maxRepeats 0 never ends a run", async () => {
  const model = scriptedModel(...calling(20), say("Done."));
  const { outcome } = await run(model, { maxRepeats: 0 }, () => "same");
  assert.deepEqual(outcome, { kind: "completed" });
});

Deno.test("maxRepeats sees the same arguments in another order", async () => {
  const model = scriptedModel(
    say("", call("look", { a: 1, b: { c: 1, d: 2 } })),
    say("", call("look", { b: { d: 2, c: 1 }, a: 1 })),
  );
  const { outcome } = await run(model, { maxRepeats: 2 }, () => "same");
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "repeat_limit" });
});

Deno.test("maxRepeats counts anew after another call, another argument or another result", async () => {
  const model = scriptedModel(
    say("", call("look", { a: 1 })),
    say("", call("look", { a: 2 })),
    say("", call("look", { a: 2 })),
    say("", call("unknown", { a: 2 })),
    say("", call("look", { a: 2 })),
    say("Done."),
  );
  const { outcome } = await run(
    model,
    { maxRepeats: 2 },
    (time) => time === 3 ? "another" : "same",
  );
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "completed" });
});

Deno.test("maxBudgetUsd runs no call of the response that went over it", async () => {
  const model = scriptedModel(
    ...calling(9).map((answer) => costing(answer, 50_000)),
  );
  const { outcome, executed, results } = await run(model, {
    model: PRICED,
    maxBudgetUsd: 1,
  });
  assert.deepEqual(outcome, { kind: "limit", limit: "budget_limit" });
  assert.equal(model.contexts.length, 2);
  assert.equal(executed, 1);
  assert.equal(results[1], "Not run: this run has spent its budget of 1 USD");
});

Deno.test("maxBudgetUsd counts requests that failed and were made again", async () => {
  const busy = failing("busy");
  const model = scriptedModel(
    {
      blocks: [],
      end: {
        ...busy.end,
        errorKind: "overloaded",
        retryAfterMs: 0,
        usage: { ...emptyUsage(), output: 90_000 },
      } as Answer["end"],
    },
    costing(say("", call("look")), 20_000),
  );
  const { outcome } = await run(model, { model: PRICED, maxBudgetUsd: 1 });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "budget_limit" });
});

Deno.test("maxBudgetUsd lets an answer that calls nothing complete the run", async () => {
  const model = scriptedModel(costing(say("Dear."), 900_000));
  const { outcome } = await run(model, { model: PRICED, maxBudgetUsd: 1 });
  assert.deepEqual(outcome, { kind: "completed" });
});

const REACHED: Record<string, LimitOptions> = {
  turn_limit: { maxTurns: 2 },
  tool_call_limit: { maxToolCalls: 1 },
  repeat_limit: { maxRepeats: 2 },
  budget_limit: { maxBudgetUsd: 1 },
};

for (const [limit, options] of Object.entries(REACHED)) {
  Deno.test(`onLimit summarize asks once more without tools at a ${limit}, and it stays one`, async () => {
    const model = scriptedModel(
      ...calling(2).map((answer) => costing(answer, 50_000)),
      say("Two looks."),
    );
    const { outcome, users } = await run(
      model,
      { ...options, model: PRICED, onLimit: "summarize" },
      () => "same",
    );
    model.assertPlayed();
    assert.deepEqual(outcome, { kind: "limit", limit });
    assert.deepEqual(
      model.requests.map(({ options }) => options.toolChoice),
      [undefined, undefined, "none"],
    );
    assert.match(users[1] ?? "", /without tools/);
  });
}

Deno.test("onLimit summarize runs no call of a model that calls all the same, and asks no more", async () => {
  const model = scriptedModel(...calling(3));
  const { outcome, executed, results } = await run(model, {
    maxTurns: 2,
    onLimit: "summarize",
  });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "turn_limit" });
  assert.equal(executed, 1);
  assert.equal(results.length, 3);
});

Deno.test("a limit that is used up lets no goal start a further turn", async () => {
  const model = scriptedModel(say("Done."));
  const { outcome } = await run(model, {
    maxTurns: 1,
    check: {
      command: "false",
      retries: 2,
      run: () => Promise.resolve({ passed: false, output: "no" }),
    },
  });
  model.assertPlayed();
  assert.deepEqual(outcome, { kind: "limit", limit: "turn_limit" });
});
