import assert from "node:assert/strict";
import {
  call,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { recordedStream } from "../support/recorded_stream.ts";
import { lastRecord, runTau, type TauRun } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

interface Outcome {
  run: TauRun;
  /** The input items of each request. */
  inputs: Record<string, unknown>[][];
  files: string[];
}

/** Runs tau with a provider of the settings that speaks the responses format. */
async function ask(script: Reply[]): Promise<Outcome> {
  await using double = startProviderDouble({ api: "openai-responses", script });
  let outcome: Outcome | undefined;
  await inTempFolder(async (root) => {
    const lab = {
      baseUrl: double.url,
      api: "openai-responses",
      models: [{ id: "thinker", reasoning: true }],
    };
    await putFiles(root, {
      "work/note.txt": "alpha\n",
      "home/settings.json": JSON.stringify({
        defaultModel: "lab/thinker",
        providers: { lab },
      }),
    });
    const args = ["-p", "--output-format", "json", "--max-retries", "0"];
    const run = await runTau([...args, "What is in my note?"], {
      cwd: `${root}/work`,
      env: { TAU_HOME: `${root}/home` },
    });
    const files = [...Deno.readDirSync(`${root}/work`)].map(({ name }) => name);
    outcome = { run, files, inputs: [] };
  });
  assert(outcome);
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  for (const { text } of double.requests) {
    outcome.inputs.push(JSON.parse(text).input);
  }
  return outcome;
}

Deno.test("tau talks to a responses provider of the settings, and gives it back its reasoning", async () => {
  const { run, inputs } = await ask([
    {
      say: {
        thinking: "The note.",
        text: "Reading.",
        calls: [call("read", { path: "note.txt" })],
      },
    },
    say("It says alpha."),
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(lastRecord(run).status, "completed");
  const [first = [], second = []] = inputs;
  assert.deepEqual(second.slice(0, first.length), first);
  assert.deepEqual(
    second.slice(first.length).map(({ type, role, call_id }) =>
      [type ?? role, call_id].join(" ").trim()
    ),
    [
      "reasoning",
      "assistant",
      "function_call call_1_0",
      "function_call_output call_1_0",
    ],
  );
});

Deno.test("tau does not run a call of a responses provider that is complete without its end", async () => {
  const body = recordedStream("odd_responses_call_not_done");
  const { run, inputs, files } = await ask([{ body }]);
  assert.equal(run.code, 11, run.stderr);
  assert.equal(inputs.length, 1);
  assert.deepEqual(files, ["note.txt"]);
  assert.match(run.stderr, /ended the answer inside a tool call/);
});
