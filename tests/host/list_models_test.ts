import assert from "node:assert/strict";
import { listModels } from "../../src/host/list_models.ts";
import { catalogEntry } from "../../src/model/catalog.ts";
import { presets } from "../../src/providers/presets.ts";

const LAB = {
  lab: {
    baseUrl: "http://127.0.0.1:1/v1",
    api: "openai-completions" as const,
    models: [{
      id: "small",
      contextWindow: 1000,
      cost: { input: 1, output: 2 },
    }],
  },
};

Deno.test("listModels() tells of a model of the settings what they say of it", async () => {
  const models = await listModels({ env: {}, providers: LAB });
  assert.deepEqual(models.filter(({ provider }) => provider === "lab"), [{
    provider: "lab",
    id: "small",
    name: null,
    contextWindow: 1000,
    maxTokens: null,
    input: null,
    reasoning: null,
    cost: { input: 1, output: 2 },
    key: "not needed",
  }]);
});

Deno.test("listModels() has the default model of each provider, with all that is known", async () => {
  const models = await listModels({ env: {} });
  for (const { name, defaultModel } of presets) {
    if (defaultModel === undefined) continue;
    const found = models.find(({ provider, id }) =>
      provider === name && id === defaultModel
    );
    assert(found, name);
    const unknown = Object.entries(found).filter(([, value]) => value === null)
      .map(([field]) => field);
    assert.deepEqual(unknown, ["name"]);
  }
});

Deno.test("listModels() has some of each provider, and lists no model twice", async () => {
  const models = await listModels({ env: {} });
  const labels = models.map(({ provider, id }) => `${provider}/${id}`);
  assert.equal(new Set(labels).size, labels.length);
  const providers = new Set(models.map(({ provider }) => provider));
  assert.deepEqual(
    presets.map(({ name }) => name).filter((name) => !providers.has(name)),
    [],
  );
  assert.deepEqual(
    models.filter(({ id }) => /embed|whisper|moderation|tts/.test(id ?? "")),
    [],
  );
});

Deno.test("listModels() stands for a local server, which it does not ask, with one line", async () => {
  const models = await listModels({ env: {} });
  const local = models.filter(({ provider }) =>
    ["ollama", "lmstudio", "llamacpp"].includes(provider)
  );
  assert.deepEqual(local.map(({ provider, id, key }) => [provider, id, key]), [
    ["llamacpp", null, "not needed"],
    ["lmstudio", null, "not needed"],
    ["ollama", null, "not needed"],
  ]);
});

Deno.test("listModels() puts first what can be used, and never tells a key", async () => {
  const env = { XAI_API_KEY: "CANARY-KEY" };
  const models = await listModels({ env });
  const order = models.map(({ key }) => key === "no");
  assert.equal(order.lastIndexOf(false) + 1, order.indexOf(true));
  const xai = models.filter(({ provider }) => provider === "xai");
  assert.deepEqual([...new Set(xai.map(({ key }) => key))], ["yes"]);
  assert.doesNotMatch(JSON.stringify(models), /CANARY/);
});

Deno.test("listModels() gives a cheap model's price as its provider asks for a short request", async () => {
  const models = await listModels({ env: {} });
  const found = models.find(({ provider, id }) =>
    provider === "anthropic" && id === "claude-sonnet-4-5"
  );
  assert.deepEqual(found?.cost, { input: 3, output: 15 });
});

Deno.test("listModels() knows of the models of makers what their prices' list does not say", async () => {
  // The list is renewed with its package: the catalog must follow.
  const makers = ["anthropic", "openai", "google", "xai", "deepseek"];
  const models = await listModels({ env: {} });
  for (const maker of makers) {
    const found = models.filter(({ provider }) => provider === maker);
    assert(found.length >= 5, maker);
    for (const { id, contextWindow } of found) {
      const entry = catalogEntry(maker, id as string);
      assert(entry && contextWindow, `${maker}/${id}`);
      const ratio = contextWindow / entry.contextWindow;
      assert(ratio > 0.4 && ratio < 1.2, `${maker}/${id}: ${ratio}`);
    }
  }
});
