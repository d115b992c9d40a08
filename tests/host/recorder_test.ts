import assert from "node:assert/strict";
import { Recorder } from "../../src/host/recorder.ts";
import { parseRecording } from "../../src/host/recording.ts";
import { NeutralText } from "../../src/host/recording/neutral_text.ts";
import { emptyUsage, type Message } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type { AssistantDelta, DeltaSource } from "../../src/model/stream.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const MODEL: Model = {
  id: "m",
  name: "M",
  api: "openai-completions",
  provider: "lab",
  baseUrl: "https://user:pass@lab.invalid",
  headers: { "x-api-key": "header-key" },
  input: ["text"],
  reasoning: false,
  contextWindow: 1000,
  maxTokens: 100,
};

const ANSWER: AssistantDelta[] = [
  { type: "text_start", contentIndex: 0 },
  { type: "text_delta", contentIndex: 0, delta: "ho" },
  { type: "text_end", contentIndex: 0 },
  { type: "done", reason: "stop", usage: emptyUsage() },
];

function user(content: string): Message {
  return { role: "user", content, timestamp: 1 };
}

/** Has a source recorded that answers each of the requests. */
async function recordAll(
  path: string,
  { requests, answer = ANSWER, maxBytes }: {
    requests: Message[][];
    answer?: AssistantDelta[];
    maxBytes?: number;
  },
): Promise<string | undefined> {
  const recorder = Recorder.open(path);
  recorder.begin({
    model: MODEL,
    neutral: () => new NeutralText({ cwd: "/w", outputDir: "/o", secrets: [] }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const source: DeltaSource = async function* () {
    yield* answer.map((delta) => [delta]);
  };
  const recorded = recorder.recorded(source);
  const heard: AssistantDelta[] = [];
  for (const messages of requests) {
    for await (const batch of recorded(MODEL, { messages }, {})) {
      heard.push(...batch);
    }
  }
  recorder.close();
  assert.deepEqual(heard, requests.flatMap(() => answer));
  return recorder.problem;
}

Deno.test("Recorder writes what each request adds, and nothing of where the model is", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/r.jsonl`;
    const problem = await recordAll(path, {
      requests: [[user("a")], [user("a"), user("b")], [user("c")]],
    });
    assert.equal(problem, undefined);
    const text = await Deno.readTextFile(path);
    assert.doesNotMatch(text, /pass|header-key|lab\.invalid/);
    const lines = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.slice(1).map(({ keeps, settings, messages }) => ({
        keeps,
        settings,
        texts: messages.map(({ text }: { text: string }) => text),
      })),
      [
        { keeps: 0, settings: {}, texts: ["a"] },
        { keeps: 1, settings: undefined, texts: ["b"] },
        { keeps: 0, settings: undefined, texts: ["c"] },
      ],
    );
    const { exchanges, model } = await parseRecording(text, path);
    assert.deepEqual(exchanges.map(({ answer }) => answer), [
      ANSWER,
      ANSWER,
      ANSWER,
    ]);
    const { headers: _, ...known } = MODEL;
    assert.deepEqual(model, { ...known, baseUrl: "" });
  });
});

Deno.test("Recorder stops at its limit, leaves whole lines and says so", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/r.jsonl`;
    const problem = await recordAll(path, {
      requests: [[user("a")], [user("x".repeat(5000))], [user("b")]],
      maxBytes: 2000,
    });
    assert.match(problem ?? "", /it would have more than 2000 bytes$/);
    const text = await Deno.readTextFile(path);
    assert.equal((await parseRecording(text, path)).exchanges.length, 1);
    assert(text.endsWith("\n"));
  });
});

Deno.test("Recorder leaves no file behind when nothing was recorded", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/r.jsonl`;
    const aborted: AssistantDelta = {
      type: "error",
      reason: "aborted",
      errorMessage: "Request aborted",
    };
    for (const answer of [[aborted], []]) {
      await recordAll(path, { requests: [[user("a")]], answer });
      assert.deepEqual([...Deno.readDirSync(folder)], []);
    }
  });
});

Deno.test("Recorder.open() refuses what it could not write, or would destroy", async () => {
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/main.c`, "int main() {}\n");
    const table: [string, string][] = [
      [`${folder}/main.c`, "it exists and is not a recording"],
      [folder, "it is not a regular file"],
      ["/dev/null", "it is not a regular file"],
      [`${folder}/no/such`, "there is no such folder"],
    ];
    for (const [path, reason] of table) {
      assert.throws(
        () => Recorder.open(path),
        new UsageError(`Cannot record to ${JSON.stringify(path)}: ${reason}`),
      );
    }
    assert.equal(
      await Deno.readTextFile(`${folder}/main.c`),
      "int main() {}\n",
    );
    const path = `${folder}/r.jsonl`;
    const first = Recorder.open(path);
    assert.throws(() => Recorder.open(path), /: another run records to it$/);
    first.close();
    Recorder.open(path).close();
  });
});
