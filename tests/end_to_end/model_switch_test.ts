import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { lastRecord, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const APIS = [
  "anthropic-messages",
  "google-generative-ai",
  "openai-responses",
  "openai-completions",
] as const satisfies Api[];

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** Thinks, reads a text and an image at a time, and ends. */
const TURN: Reply[] = [
  {
    say: {
      thinking: "Both.",
      text: "Reading.",
      calls: [
        call("read", { path: "note.txt" }),
        call("read", { path: "pixel.png" }),
      ],
    },
  },
  say("Read."),
];

Deno.test("tau goes on with a session by a model of each other format, and by the first one again", async () => {
  await using doubles = new AsyncDisposableStack();
  const started: [Api, ProviderDouble][] = APIS.map((api) => [
    api,
    doubles.use(startProviderDouble({ api, script: [...TURN, ...TURN] })),
  ]);
  await inTempFolder(async (root) => {
    const providers = started.map(([api, { url: baseUrl }]) => {
      const models = [{ id: "m", reasoning: true }];
      return [api, { baseUrl, api, apiKeyEnv: "LAB_KEY", models }] as const;
    });
    await putFiles(root, {
      "work/note.txt": "alpha\n",
      "work/pixel.png": PIXEL,
      "home/settings.json": JSON.stringify({
        providers: Object.fromEntries(providers),
      }),
    });
    const options = {
      cwd: `${root}/work`,
      env: { TAU_HOME: `${root}/home`, LAB_KEY: "k" },
    };
    const sessions = new Set<string>();
    for (const api of [...APIS, APIS[0]]) {
      const run = await runTau([
        ...["-p", "--output-format", "json", "--max-retries", "0"],
        ...(sessions.size > 0 ? ["--continue"] : []),
        ...["--model", `${api}/m:high`, "What is in my files?", "@pixel.png"],
      ], options);
      const { status, failedToolCalls, sessionId } = lastRecord(run);
      assert.deepEqual([status, failedToolCalls], ["completed", 0], run.stderr);
      sessions.add(sessionId);
    }
    assert.equal(sessions.size, 1);
  });
  for (const [api, { requests }] of started) {
    assert.deepEqual(requests.flatMap(({ fault }) => fault ?? []), [], api);
    assert.equal(requests.length, api === APIS[0] ? 4 : 2);
  }
});
