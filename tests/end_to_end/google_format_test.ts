import assert from "node:assert/strict";
import {
  call,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { recordedStream } from "../support/recorded_stream.ts";
import { lastRecord, runTau } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("tau gives Google its signatures back, also in a resumed session", async () => {
  const read = call("read", { path: "note.txt" });
  const script: Reply[] = [
    {
      say: { thinking: "The note.", text: "Reading.", calls: [read, read] },
    },
    say("It says alpha."),
    say("Still alpha."),
  ];
  await using double = startProviderDouble({
    api: "google-generative-ai",
    script,
    signedCalls: true,
  });
  await inTempFolder(async (root) => {
    await Deno.mkdir(`${root}/work`);
    await Deno.writeTextFile(`${root}/work/note.txt`, "alpha\n");
    const env = {
      TAU_HOME: `${root}/home`,
      GEMINI_API_KEY: "k",
      GOOGLE_BASE_URL: double.url,
    };
    const args = ["-p", "--output-format", "json", "--max-retries", "0"];
    const model = ["--model", "google/gemini-3-x:low"];
    for (const more of [["What is in it?"], ["--continue", "And now?"]]) {
      const run = await runTau([...args, ...model, ...more], {
        cwd: `${root}/work`,
        env,
      });
      assert.equal(run.code, 0, run.stderr);
    }
  });
  assert.deepEqual(double.requests.map(({ fault }) => fault), [
    undefined,
    undefined,
    undefined,
  ]);
  const [, second, third] = double.requests.map(({ text }) => JSON.parse(text));
  const answer = {
    role: "model",
    parts: [
      { text: "Reading." },
      {
        functionCall: { id: "call", name: "read", args: { path: "note.txt" } },
        thoughtSignature: "sig-1",
      },
      {
        functionCall: { id: "call2", name: "read", args: { path: "note.txt" } },
      },
    ],
  };
  assert.deepEqual(second.contents[1], answer);
  assert.deepEqual(third.contents[1], answer);
  assert.equal(third.contents.at(-1).parts[0].text, "And now?");
});

Deno.test("tau ends with the code of a filter when Google blocks the prompt", async () => {
  const body = recordedStream("odd_google_prompt_blocked");
  await using double = startProviderDouble({
    api: "google-generative-ai",
    script: [{ body }],
  });
  const run = await runTau(
    ["-p", "--output-format", "json", "--model", "google/gemini-3-x", "Hi"],
    { env: { GOOGLE_API_KEY: "k", GOOGLE_BASE_URL: double.url } },
  );
  assert.equal(double.requests.length, 1);
  assert.match(
    lastRecord(run).error?.message ?? "",
    /blocked the prompt \(PROHIBITED_CONTENT\)/,
  );
  assert.notEqual(run.code, 0);
});
