import assert from "node:assert/strict";
import { chooseModel } from "../../src/host/choose_model.ts";
import { keyedProviders, proxiedModel } from "../../src/host/proxied_model.ts";
import { ModelError } from "../../src/model/model_error.ts";
import { UsageError } from "../../src/settings/usage_error.ts";

const ENV = {
  OPENAI_API_KEY: "o-key",
  OPENAI_BASE_URL: "http://127.0.0.1:9/v1/",
  GROQ_API_KEY: " ",
};

Deno.test("proxiedModel() finds a model with the owner's key and address", async () => {
  const asked = { provider: "openai", id: "gpt:high" };
  const plain = await proxiedModel(asked, ENV);
  assert.equal(plain?.apiKey, "o-key");
  assert.equal(plain.model.baseUrl, "http://127.0.0.1:9/v1");
  // A level at the end of an id is the client's own, and no wish.
  assert.equal(plain.model.id, "gpt:high");
  assert.equal(plain.model.reasoning, false);
  const thinking = await proxiedModel({ ...asked, reasoning: "low" }, ENV);
  assert.equal(thinking?.model.id, "gpt:high");
  assert.equal(thinking.model.reasoning, true);
  const local = await proxiedModel({ provider: "ollama", id: "x" }, ENV);
  assert.equal(local?.apiKey, undefined);
});

Deno.test("proxiedModel() knows no other provider, and says which key is missing", async () => {
  for (const provider of ["mine", "__proto__", "/openai", "openai/x"]) {
    assert.equal(await proxiedModel({ provider, id: "x" }, ENV), undefined);
  }
  await assert.rejects(
    proxiedModel({ provider: "groq", id: "x" }, ENV),
    new ModelError("auth", "No API key for groq: set GROQ_API_KEY"),
  );
});

Deno.test("keyedProviders() names those that have a key", () => {
  assert.deepEqual(keyedProviders(ENV), ["openai"]);
  assert.deepEqual(keyedProviders({}), []);
});

Deno.test("chooseModel() needs a name and no key where somebody else has the keys", () => {
  const needsKey = false;
  const { model, apiKey } = chooseModel("openai/x", {}, { needsKey });
  assert.equal(`${model.provider}/${model.id}`, "openai/x");
  assert.equal(apiKey, undefined);
  assert.throws(() => chooseModel(undefined, {}, { needsKey }), UsageError);
});
