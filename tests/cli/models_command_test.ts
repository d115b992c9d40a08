import assert from "node:assert/strict";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { type Printed, runHere } from "./fake_streams.ts";

/** Runs `tau models` with a provider of the settings. */
async function models(
  args: string[],
  { terminal = false, env = {} }: {
    terminal?: boolean;
    env?: Record<string, string>;
  } = {},
): Promise<Printed> {
  let printed: Printed | undefined;
  await inTempFolder(async (home) => {
    const lab = {
      baseUrl: "http://127.0.0.1:1/v1",
      api: "openai-completions",
      apiKeyEnv: "LAB_KEY",
      models: [
        { id: "big\u202e", name: "The big one" },
        { id: "small", contextWindow: 1000, input: ["text"], reasoning: false },
      ],
    };
    await putFiles(home, {
      "settings.json": JSON.stringify({ providers: { lab } }),
    });
    printed = await runHere(["models", ...args], {
      terminal,
      env: { ...env, TAU_HOME: home },
    });
  });
  return printed ?? assert.fail("nothing was printed");
}

Deno.test("tau models prints a line of eight columns for each model, empty where nothing is known", async () => {
  const { code, stdout, stderr } = await models(["LAB/", "small"]);
  assert.equal(code, 0);
  assert.equal(stdout, "lab/small\t1000\t\ttext\tno\t\t\tno\n");
  assert.equal(stderr, "");
});

Deno.test("tau models finds words in a model's name for people, too", async () => {
  const { stdout } = await models(["big one"]);
  assert.equal(stdout, "lab/big\u202e\t\t\t\t\t\t\tno\n");
});

Deno.test("tau models says that a key is set, and not which", async () => {
  const env = { LAB_KEY: "CANARY-KEY" };
  const { stdout } = await models(["lab/small"], { env });
  assert.equal(stdout, "lab/small\t1000\t\ttext\tno\t\t\tyes\n");
});

Deno.test("tau models aligns on a terminal, and shows what would act on it", async () => {
  const { stdout } = await models(["lab/"], { terminal: true });
  assert.equal(
    stdout,
    [
      "MODEL            CONTEXT  MAX OUTPUT  INPUT  REASONING  $ IN  $ OUT  KEY\n",
      "lab/big\\u{202e}        -           -  -      -             -      -  no\n",
      "lab/small           1000           -  text   no            -      -  no\n",
    ].join(""),
  );
});

Deno.test("tau models --json prints one array, with null for what is unknown", async () => {
  const { code, stdout } = await models(["--json", "lab", "small"]);
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), [{
    provider: "lab",
    id: "small",
    name: null,
    contextWindow: 1000,
    maxTokens: null,
    input: ["text"],
    reasoning: false,
    cost: null,
    key: "no",
  }]);
});

Deno.test("tau models lists built-in providers, and stands for local servers with a star", async () => {
  const { stdout } = await models([]);
  const lines = stdout.trimEnd().split("\n").map((line) => line.split("\t"));
  const known = new Map(lines.map(([model, ...rest]) => [model, rest]));
  assert.deepEqual(known.get("ollama/*"), [
    "",
    "",
    "",
    "",
    "",
    "",
    "not needed",
  ]);
  assert.deepEqual(known.get("anthropic/claude-sonnet-4-5"), [
    ...["200000", "64000", "text+image", "yes", "3", "15", "no"],
  ]);
  assert(lines.every((line) => line.length === 8));
});

Deno.test("tau models says when nothing was found, with exit code 2", async () => {
  assert.deepEqual(await models(["claude", "no-such"]), {
    code: 2,
    stdout: "",
    stderr:
      'tau: No model has "claude" and "no-such" in its name; --model takes one that is not listed, too\n',
  });
  assert.equal((await models(["--json", "no-such"])).stdout, "[]\n");
});
