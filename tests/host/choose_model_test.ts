import assert from "node:assert/strict";
import { UsageError } from "../../src/settings/usage_error.ts";
import { chooseModel } from "../../src/host/choose_model.ts";
import { ModelError } from "../../src/model/model_error.ts";
import type { ProviderSettings } from "../../src/settings/settings.ts";

const ANTHROPIC = { ANTHROPIC_API_KEY: "a-key" };
const OPENAI = { OPENAI_API_KEY: "o-key" };
const GROQ = { GROQ_API_KEY: "g-key" };

/** What a name and an environment choose, in one line. */
function chosen(
  name: string | undefined,
  env: Record<string, string>,
): string {
  const { model, apiKey = "-", thinkingLevel = "-" } = chooseModel(name, env);
  return [
    `${model.provider}/${model.id}`,
    model.baseUrl,
    apiKey,
    thinkingLevel,
  ].join(" ");
}

const OPENAI_URL = "https://api.openai.com/v1";
const GOOGLE_URL = "https://generativelanguage.googleapis.com/v1beta";
const ANTHROPIC_URL = "https://api.anthropic.com";

const CHOICES: [string | undefined, Record<string, string>, string][] = [
  [
    undefined,
    { ...OPENAI, ...ANTHROPIC },
    `anthropic/claude-sonnet-4-5 ${ANTHROPIC_URL} a-key -`,
  ],
  [undefined, OPENAI, `openai/gpt-5.1 ${OPENAI_URL} o-key -`],
  ["openai/gpt-x", OPENAI, `openai/gpt-x ${OPENAI_URL} o-key -`],
  ["openai/gpt-x:high", OPENAI, `openai/gpt-x ${OPENAI_URL} o-key high`],
  ["openai/gpt-x:off", OPENAI, `openai/gpt-x ${OPENAI_URL} o-key -`],
  ["openai/gpt-x:High", OPENAI, `openai/gpt-x:High ${OPENAI_URL} o-key -`],
  ["ollama/qwen3:8b", {}, "ollama/qwen3:8b http://127.0.0.1:11434/v1 - -"],
  [
    "ollama/qwen3:8b:low",
    {},
    "ollama/qwen3:8b http://127.0.0.1:11434/v1 - low",
  ],
  [
    "openrouter/meta/llama:free",
    { OPENROUTER_API_KEY: "r" },
    "openrouter/meta/llama:free https://openrouter.ai/api/v1 r -",
  ],
  [
    "claude-x",
    { ...OPENAI, ...ANTHROPIC },
    `anthropic/claude-x ${ANTHROPIC_URL} a-key -`,
  ],
  [
    undefined,
    { ...GROQ, GEMINI_API_KEY: "e" },
    `google/gemini-3.8-flash ${GOOGLE_URL} e -`,
  ],
  [
    "gemini-x",
    { ...OPENAI, GEMINI_API_KEY: "e", GOOGLE_API_KEY: "o" },
    `google/gemini-x ${GOOGLE_URL} o -`,
  ],
  ["o3-mini", OPENAI, `openai/o3-mini ${OPENAI_URL} o-key -`],
  [
    "some-model",
    GROQ,
    "groq/some-model https://api.groq.com/openai/v1 g-key -",
  ],
  [
    "openai/x",
    { OPENAI_API_KEY: " o-key\n", OPENAI_BASE_URL: "http://127.0.0.1:9/v1//" },
    "openai/x http://127.0.0.1:9/v1 o-key -",
  ],
  [
    "openai/x",
    { ...OPENAI, OPENAI_BASE_URL: "" },
    `openai/x ${OPENAI_URL} o-key -`,
  ],
];

for (const [name, env, expected] of CHOICES) {
  const given = [name ?? "no name", ...Object.keys(env)].join(", ");
  Deno.test(`chooseModel() knows the model of ${given}`, () => {
    assert.equal(chosen(name, env), expected);
  });
}

const USAGE_ERRORS: [string, Record<string, string>, RegExp][] = [
  [
    "nobody/x",
    OPENAI,
    /^Unknown provider "nobody" in model "nobody\/x"; known are anthropic, openai/,
  ],
  [
    "opneai/x",
    OPENAI,
    /^Unknown provider "opneai" in model "opneai\/x"; did you mean openai\/x$/,
  ],
  ["__proto__/x", OPENAI, /^Unknown provider "__proto__"/],
  ["openai/", OPENAI, /^No model id after "openai\/"/],
  ["openai/:high", OPENAI, /^No model id after "openai\/"/],
  ["mystery", {}, /^Cannot tell the provider of model "mystery"/],
];

for (const [name, env, message] of USAGE_ERRORS) {
  Deno.test(`chooseModel() refuses ${name}`, () => {
    assert.throws(() => chooseModel(name, env), (error: Error) => {
      assert(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });
}

const WITHOUT_KEY: [string | undefined, Record<string, string>, RegExp][] = [
  [undefined, {}, /tau demo/],
  [undefined, { OPENAI_API_KEY: "  " }, /^No model and no API key/],
  [undefined, GROQ, /^No model/],
  ["openai/x", ANTHROPIC, /^No API key for openai: set OPENAI_API_KEY$/],
  ["claude-x", OPENAI, /^No API key for anthropic/],
];

for (const [name, env, message] of WITHOUT_KEY) {
  const given = [name ?? "no name", ...Object.keys(env)].join(", ");
  Deno.test(`chooseModel() says which key is missing for ${given}`, () => {
    assert.throws(() => chooseModel(name, env), (error: Error) => {
      assert(error instanceof ModelError);
      assert.equal(error.kind, "auth");
      assert.match(error.message, message);
      return true;
    });
  });
}

const LAB: ProviderSettings = {
  baseUrl: "http://lab/v1/",
  api: "openai-completions",
  models: [
    { id: "small", contextWindow: 1000, maxTokens: 100, reasoning: true },
    { id: "org/tuned:high", cost: { input: 1, output: 2 } },
  ],
};

Deno.test("chooseModel() takes what the settings say of a model, and guesses the rest", () => {
  const { model, apiKey, warning } = chooseModel("lab/small", {}, {
    providers: { lab: { ...LAB, headers: { "x-a": "1" } } },
  });
  assert.deepEqual({ model, apiKey, warning }, {
    model: {
      id: "small",
      name: "small",
      api: "openai-completions",
      provider: "lab",
      baseUrl: "http://lab/v1",
      input: ["text", "image"],
      reasoning: true,
      contextWindow: 1000,
      maxTokens: 100,
      headers: { "x-a": "1" },
    },
    apiKey: undefined,
    warning: undefined,
  });
});

const FROM_SETTINGS: [string | undefined, Record<string, string>, string][] = [
  // An id of the settings, with a slash and the end of a thinking level in it.
  ["org/tuned:high", {}, "lab/org/tuned:high http://lab/v1 - -"],
  ["lab/org/tuned:high", {}, "lab/org/tuned:high http://lab/v1 - -"],
  ["small", OPENAI, "lab/small http://lab/v1 - -"],
  ["small:low", {}, "lab/small http://lab/v1 - low"],
  ["lab/small:off", {}, "lab/small http://lab/v1 - -"],
  ["lab/new", {}, "lab/new http://lab/v1 - -"],
  [
    "lab/small",
    { LAB_BASE_URL: "http://b/" },
    "lab/small http://b - -",
  ],
  // Without a key it is never the default.
  [undefined, OPENAI, `openai/gpt-5.1 ${OPENAI_URL} o-key -`],
];

for (const [name, env, expected] of FROM_SETTINGS) {
  Deno.test(`chooseModel() makes ${name} of the settings and ${JSON.stringify(env)} to ${expected}`, () => {
    const { model, apiKey = "-", thinkingLevel = "-" } = chooseModel(
      name,
      env,
      {
        providers: { lab: LAB },
      },
    );
    assert.equal(
      `${model.provider}/${model.id} ${model.baseUrl} ${apiKey} ${thinkingLevel}`,
      expected,
    );
  });
}

Deno.test("chooseModel() refuses a base URL that no path can be put behind, without quoting it", () => {
  for (const end of ["?key=CANARY", "#CANARY"]) {
    const baseUrl = `http://lab/v1${end}`;
    const choices: [Record<string, string>, ProviderSettings][] = [
      [{}, { ...LAB, baseUrl }],
      [{ LAB_BASE_URL: baseUrl }, LAB],
    ];
    for (const [env, lab] of choices) {
      assert.throws(
        () => chooseModel("lab/small", env, { providers: { lab } }),
        (error: Error) => {
          assert(error instanceof UsageError);
          assert.match(error.message, /^The base URL of lab must not have/);
          assert.doesNotMatch(error.message, /CANARY/);
          return true;
        },
      );
    }
  }
});

Deno.test("chooseModel() sends no other key than the one that the settings name", () => {
  assert.throws(
    () =>
      chooseModel("google/x", { GEMINI_API_KEY: "e", GOOGLE_API_KEY: "o" }, {
        providers: { google: { baseUrl: "http://lab", apiKeyEnv: "LAB" } },
      }),
    /No API key for google: set LAB/,
  );
});

Deno.test("chooseModel() lets the settings change a built-in provider", () => {
  const { model, apiKey } = chooseModel("openai/gpt-x", { GATEWAY: "g-key" }, {
    providers: {
      openai: { baseUrl: "https://gateway/v1/", apiKeyEnv: "GATEWAY" },
    },
  });
  assert.equal(model.baseUrl, "https://gateway/v1");
  assert.equal(apiKey, "g-key");
});

Deno.test("chooseModel() gives a cache without a price that of input", () => {
  const { model } = chooseModel("org/tuned:high", {}, {
    providers: { lab: LAB },
  });
  assert.deepEqual(model.cost, {
    input: 1,
    output: 2,
    cacheRead: 1,
    cacheWrite: 1,
  });
});

Deno.test("chooseModel() warns of a model that the settings do not list", () => {
  const { warning } = chooseModel("lab/new", {}, { providers: { lab: LAB } });
  assert.match(warning ?? "", /list no model "new" for lab/);
});

Deno.test("chooseModel() takes from the catalog what the settings do not say", () => {
  const { model, warning } = chooseModel(
    "anthropic/claude-opus-4-6",
    ANTHROPIC,
    {
      providers: { anthropic: { models: [{ id: "x" }] } },
    },
  );
  const { contextWindow, maxTokens, reasoning } = model;
  assert.deepEqual({ contextWindow, maxTokens, reasoning, warning }, {
    contextWindow: 1_000_000,
    maxTokens: 128_000,
    reasoning: true,
    warning: undefined,
  });
});

Deno.test("chooseModel() leaves the conversation five sixths of the window", () => {
  const { model } = chooseModel("claude-sonnet-4-5", ANTHROPIC);
  assert.deepEqual([model.contextWindow, model.maxTokens], [200_000, 32_000]);
});

Deno.test("chooseModel() speaks OpenAI's newer format with OpenAI, the one that all know with others", () => {
  const openai = { api: "openai-completions" as const };
  const lab = { OPENAI_BASE_URL: "http://lab/v1" };
  assert.deepEqual(
    [
      chooseModel("gpt-5.1", OPENAI),
      chooseModel("gpt-5.1", { ...OPENAI, ...lab }),
      chooseModel("gpt-5.1", OPENAI, { providers: { openai } }),
    ].map(({ model }) => model.api),
    ["openai-responses", "openai-completions", "openai-completions"],
  );
});

const WARNINGS: [string, Record<string, string>, RegExp | undefined][] = [
  ["claude-sonnet-4-5:high", ANTHROPIC, undefined],
  ["claude-sonet-4-5", ANTHROPIC, /^tau knows no model "claude-sonet-4-5" of/],
  ["openai/gpt-x", { ...OPENAI, OPENAI_BASE_URL: "http://lab/v1" }, undefined],
  ["gpt-4o:high", OPENAI, /^openai\/gpt-4o has no thinking levels, so ":high"/],
  ["groq/new", GROQ, undefined],
  ["ollama/qwen3", {}, undefined],
];

for (const [name, env, expected] of WARNINGS) {
  Deno.test(`chooseModel() warns of ${name}: ${expected ?? "not at all"}`, () => {
    assert.match(chooseModel(name, env).warning ?? "", expected ?? /^$/);
  });
}

Deno.test("chooseModel() refuses a new provider that nobody can reach", () => {
  assert.throws(
    () => chooseModel("lab/x", {}, { providers: { lab: { models: [] } } }),
    (error) =>
      error instanceof UsageError &&
      /"lab" of the settings needs "baseUrl" and "api"/.test(error.message),
  );
});
