import assert from "node:assert/strict";
import { emptyUsage } from "../../src/model/message.ts";
import { priceUsage } from "../../src/providers/usage.ts";
import { testModel } from "../support/recorded_stream.ts";

const none = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
};

Deno.test("priceUsage() adds up tokens and dollars", () => {
  const model = testModel("openai-completions", {
    cost: { input: 3, output: 15, cacheRead: 0.5, cacheWrite: 4 },
  });
  const counts = {
    input: 1_000_000,
    output: 2_000_000,
    cacheRead: 4_000_000,
    cacheWrite: 500_000,
    reasoning: 7,
  };
  assert.deepEqual(priceUsage(model, counts), {
    ...counts,
    totalTokens: 7_500_000,
    cost: { input: 3, output: 30, cacheRead: 2, cacheWrite: 2, total: 37 },
  });
});

Deno.test("priceUsage() counts as 0 what is no count", () => {
  const model = testModel("openai-completions");
  for (
    const value of [null, undefined, NaN, -1, Infinity, 1e308, "5", [5], {}]
  ) {
    const counts = { ...none, input: value, output: value, reasoning: value };
    assert.deepEqual(priceUsage(model, counts), emptyUsage());
  }
});
