import assert from "node:assert/strict";
import { UsageError } from "../../src/host/mod.ts";
import { chooseModel } from "../../src/host/choose_model.ts";
import { ModelError } from "../../src/model/mod.ts";

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
