import assert from "node:assert/strict";
import { UsageError } from "../../src/settings/usage_error.ts";
import { pricedModel } from "../../src/host/priced_model.ts";
import type { Model } from "../../src/model/model.ts";
import { presets } from "../../src/providers/presets.ts";
import { testModel } from "../support/scripted_model.ts";

function model(provider: string, id: string, more: Partial<Model> = {}): Model {
  return { ...testModel, provider, id, ...more };
}

Deno.test("pricedModel() knows the price of each default model", async () => {
  for (const { name, defaultModel } of presets) {
    if (defaultModel === undefined) continue;
    const { cost } = await pricedModel(model(name, defaultModel));
    assert(cost && cost.input > 0 && cost.output > cost.input, name);
    assert(cost.cacheRead < cost.input, name);
    assert(cost.cacheWrite >= cost.input, name);
  }
});

Deno.test("pricedModel() knows providers that its list calls by another name", async () => {
  const { cost } = await pricedModel(model("xai", "grok-4"));
  assert(cost && cost.output > 0);
});

Deno.test("pricedModel() takes the dearest price that a request of the window can have", async () => {
  const short = await pricedModel(
    model("anthropic", "claude-sonnet-4-5", { contextWindow: 200_000 }),
  );
  const long = await pricedModel(
    model("anthropic", "claude-sonnet-4-5", { contextWindow: 1_000_000 }),
  );
  assert((long.cost?.input ?? 0) > (short.cost?.input ?? 0));
});

Deno.test("pricedModel() keeps a price that is known already", async () => {
  const cost = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 };
  assert.deepEqual(
    (await pricedModel(model("lab", "small", { cost }))).cost,
    cost,
  );
});

Deno.test("pricedModel() refuses a model of unknown price", async () => {
  for (
    const [provider, id] of [
      ["openai", "my-own-model"],
      ["ollama", "qwen3"],
      ["constructor", "__proto__"],
    ] as const
  ) {
    await assert.rejects(
      pricedModel(model(provider, id)),
      (error) =>
        error instanceof UsageError &&
        error.message.startsWith(`The price of ${provider}/${id} is not known`),
    );
  }
});
