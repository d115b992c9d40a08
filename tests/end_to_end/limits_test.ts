import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import {
  call,
  type RecordedRequest,
  type Reply,
  say,
} from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { lastRecord, type TauRun } from "../support/tau_process.ts";

/** Runs tau against a model that never stops by itself. */
async function runForever(
  args: string[],
  { answer = (n: number) => endless(n), model = "openai/gpt-5.1" } = {},
): Promise<{ run: TauRun; requests: RecordedRequest[] }> {
  const script = Array.from({ length: 30 }, (_, n) => answer(n));
  return await inPlace({ script }, async ({ ask, requests }) => ({
    run: await ask([
      "--output-format",
      "json",
      "--model",
      model,
      ...args,
      "go",
    ]),
    requests,
  }));
}

/** 50,000 tokens of output cost half a dollar at the price of the model. */
function endless(n: number): Reply {
  return {
    say: {
      text: `Step ${n}.`,
      calls: [call("bash", { command: `echo ${n}` })],
      usage: { input: 10, output: 50_000 },
    },
  };
}

const LIMITS: Record<string, {
  args: string[];
  status: RunStatus;
  code: number;
  requests: number;
  failed: number;
  answer?: (n: number) => Reply;
}> = {
  turns: {
    args: ["--max-turns", "3"],
    status: "turn_limit",
    code: 20,
    requests: 3,
    failed: 1,
  },
  "tool calls": {
    args: ["--max-tool-calls", "2"],
    status: "tool_call_limit",
    code: 20,
    requests: 3,
    failed: 1,
  },
  "the same call": {
    args: ["--max-repeats", "4"],
    status: "repeat_limit",
    code: 20,
    requests: 4,
    failed: 0,
    answer: () => say("Again.", call("bash", { command: "echo same" })),
  },
  budget: {
    args: ["--max-budget-usd", "1"],
    status: "budget_limit",
    code: 21,
    requests: 2,
    failed: 1,
  },
};

for (const [what, expected] of Object.entries(LIMITS)) {
  Deno.test(`tau ends a run without end by its limit on ${what}`, async () => {
    const { answer } = expected;
    const { run, requests } = await runForever(
      expected.args,
      answer ? { answer } : {},
    );
    assert.equal(run.code, expected.code, run.stderr);
    assert.equal(requests.length, expected.requests);
    const { status, text, failedToolCalls, error } = lastRecord(run);
    assert.equal(status, expected.status);
    assert.equal(failedToolCalls, expected.failed);
    assert.match(text, /^(Step|Again)/);
    assert.match(error?.message ?? "", new RegExp(expected.args[0] as string));
    assert.match(run.stderr, new RegExp(expected.args[0] as string));
  });
}

Deno.test("tau --on-limit summarize asks once more without tools and keeps the code", async () => {
  const { run, requests } = await runForever([
    "--max-turns",
    "2",
    "--on-limit",
    "summarize",
  ], { answer: (n) => n < 2 ? endless(n) : say("Two steps were made.") });
  assert.equal(run.code, 20);
  assert.equal(requests.length, 3);
  assert.equal(lastRecord(run).text, "Two steps were made.");
  const body = requests[2]?.body as { tool_choice?: string };
  assert.equal(body.tool_choice, "none");
});

Deno.test("tau --max-budget-usd refuses a model of unknown price before any request", async () => {
  const { run, requests } = await runForever(["--max-budget-usd", "1"], {
    model: "openai/my-own-model",
  });
  assert.equal(run.code, 2);
  assert.equal(requests.length, 0);
  assert.equal(lastRecord(run).status, "usage_error");
  assert.match(run.stderr, /price of openai\/my-own-model is not known/);
});
