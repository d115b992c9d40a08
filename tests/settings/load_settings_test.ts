import assert from "node:assert/strict";
import { loadSettings } from "../../src/settings/load_settings.ts";
import type { LoadedSettings } from "../../src/settings/merge_settings.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Loads files that hold these texts, in this order. */
async function load(
  ...texts: (string | Uint8Array)[]
): Promise<LoadedSettings> {
  let loaded: LoadedSettings | undefined;
  await inTempFolder(async (folder) => {
    const names = texts.map((_, i) => `${i}.json`);
    await putFiles(
      folder,
      Object.fromEntries(names.map((name, i) => [name, texts[i] ?? ""])),
    );
    loaded = await loadSettings(names.map((name) => `${folder}/${name}`));
  });
  return loaded as LoadedSettings;
}

async function refusal(text: string | Uint8Array): Promise<string> {
  const error = await load(text).then(() => undefined, (error) => error);
  assert(error instanceof UsageError, String(error));
  assert.doesNotMatch(error.message, /\n/);
  return error.message.replace(/"\/[^"]*\/0\.json"/, "FILE");
}

Deno.test("loadSettings() merges objects and replaces all else, the later file over the earlier", async () => {
  const { settings, warnings } = await load(
    JSON.stringify({
      defaultModel: "lab/a",
      tools: ["read", "bash"],
      providers: {
        lab: { baseUrl: "http://a/v1", headers: { one: "1" } },
        other: { apiKeyEnv: "OTHER" },
      },
    }),
    JSON.stringify({
      tools: ["read"],
      providers: { lab: { api: "openai-completions", headers: { two: "2" } } },
    }),
  );
  assert.deepEqual(settings, {
    defaultModel: "lab/a",
    tools: ["read"],
    providers: {
      lab: {
        baseUrl: "http://a/v1",
        headers: { one: "1", two: "2" },
        api: "openai-completions",
      },
      other: { apiKeyEnv: "OTHER" },
    },
  });
  assert.deepEqual(warnings, []);
});

Deno.test("loadSettings() takes files that do not exist for empty ones", async () => {
  const paths = ["/no/such/file.json", "/etc/passwd/settings.json"];
  assert.deepEqual(await loadSettings(paths), {
    settings: {},
    rules: [],
    warnings: [],
  });
});

Deno.test("loadSettings() takes a byte order mark and Windows line ends", async () => {
  const { settings } = await load('\ufeff{\r\n  "tools": ["read"]\r\n}\r\n');
  assert.deepEqual(settings, { tools: ["read"] });
});

Deno.test("loadSettings() warns of unknown keys, with the nearest known one", async () => {
  const { warnings } = await load(JSON.stringify({
    defaultModle: "x",
    TOOLS: [],
    zzz: 1,
    bash: { timeout: 1 },
    providers: { lab: { models: [{ id: "a", contextwindow: 1 }] } },
  }));
  assert.deepEqual(warnings.map((line) => line.replace(/ in "[^"]*"/, "")), [
    'Unknown setting "defaultModle"; did you mean "defaultModel"',
    'Unknown setting "TOOLS"; did you mean "tools"',
    'Unknown setting "zzz"',
    'Unknown setting "bash.timeout"; did you mean "timeoutS"',
    'Unknown setting "providers.lab.models.0.contextwindow"; did you mean "contextWindow"',
  ]);
});

const WRONG: Record<string, [value: unknown, message: RegExp]> = {
  "a list": [[], /"root" in FILE: expected object, got array/],
  "a number for a model": [
    { defaultModel: 3 },
    /"defaultModel" in FILE: expected string, got integer/,
  ],
  "a word for seconds": [
    { bash: { timeoutS: "600" } },
    /"bash.timeoutS" in FILE: expected number, got string/,
  ],
  "no seconds": [{ bash: { timeoutS: 0 } }, /"bash.timeoutS" in FILE/],
  "a wire format that there is not": [
    { providers: { lab: { api: "openai" } } },
    /"providers.lab.api" in FILE: expected one of "openai-completions", "openai-responses", "anthropic-messages", "google-generative-ai"/,
  ],
  "an address that is none": [
    { providers: { lab: { baseUrl: "file:///etc" } } },
    /"providers.lab.baseUrl" in FILE/,
  ],
  "a model without an id": [
    { providers: { lab: { models: [{}] } } },
    /"providers.lab.models.0.id" in FILE: expected required property/,
  ],
  "a model whose id no environment can hold": [
    { providers: { lab: { models: [{ id: "a\0b" }] } } },
    /"providers.lab.models.0.id" in FILE: expected to match/,
  ],
  "a default model that no environment can hold": [
    { defaultModel: "lab/a\0b" },
    /"defaultModel" in FILE: expected to match/,
  ],
  "a reserve of nothing": [
    { compaction: { reserveTokens: 0 } },
    /"compaction.reserveTokens" in FILE: expected >= 1/,
  ],
  "more retries than there may be": [
    { retry: { maxRetries: 101 } },
    /"retry.maxRetries" in FILE: expected <= 100/,
  ],
  "a compaction that is not an object": [
    { compaction: false },
    /"compaction" in FILE: expected object/,
  ],
  "a provider with a slash": [
    { providers: { "a/b": {} } },
    /"providers.a\/b" in FILE: expected a name of letters/,
  ],
  "several faults": [
    { defaultModel: 1, tools: 2, bash: 3 },
    /\(and 2 more\)$/,
  ],
};

for (const [what, [value, message]] of Object.entries(WRONG)) {
  Deno.test(`loadSettings() names file, key and what it expected, given ${what}`, async () => {
    assert.match(await refusal(JSON.stringify(value)), message);
  });
}

Deno.test("loadSettings() refuses a provider that is called __proto__", async () => {
  const text = '{"providers": {"__proto__": {"baseUrl": "http://a"}}}';
  assert.match(await refusal(text), /"providers.__proto__" in FILE/);
  assert.equal(({} as { baseUrl?: string }).baseUrl, undefined);
});

const NOT_JSON: Record<string, [text: string, line: number, column: number]> = {
  "nothing": ["", 1, 1],
  "a comma too many": ['{\n  "tools": [],\n}', 3, 1],
  "a comma too many in a list": ["[1,]", 1, 4],
  "a missing comma": ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  "a comment": ['{\n  // why\n  "a": 1}', 2, 3],
  "a missing end": ['{ "a": [1, 2', 1, 13],
  "a word": ['{ "a": yes }', 1, 8],
  "a line break in a string": ['{ "a": "x\ny" }', 1, 8],
  "single quotes": ["{ 'a': 1 }", 1, 3],
  "a key without a value": ['{ "a" }', 1, 7],
  "a number with a zero in front": ['{ "a": 01 }', 1, 9],
  "words behind the end": ["{} x", 1, 4],
  "a wrong bracket": ['{ "a": [1} }', 1, 10],
};

for (const [what, [text, line, column]] of Object.entries(NOT_JSON)) {
  Deno.test(`loadSettings() names the place in what is no JSON: ${what}`, async () => {
    assert.equal(
      await refusal(text),
      `Cannot read FILE: not JSON at line ${line}, column ${column}`,
    );
  });
}

Deno.test("loadSettings() refuses what is no small text file", async () => {
  assert.match(await refusal(Uint8Array.of(255, 254)), /it is not UTF-8/);
  const big = `{"defaultModel": "${"x".repeat(1024 * 1024)}"}`;
  assert.match(await refusal(big), /larger than 1 MiB/);
  assert.match(await refusal("[".repeat(200_000)), /not JSON at line 1/);
  const deep = `${'{"tools":'.repeat(5000)}1${"}".repeat(5000)}`;
  assert.match(await refusal(deep), /in FILE/);
  await assert.rejects(loadSettings(["/etc"]), /"\/etc": it is a folder/);
});
