import assert from "node:assert/strict";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { asked, recordingOf, resulted, said } from "../support/recording.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const LIST = said("Listing.");
const CALL = {
  type: "toolCall",
  id: "c1",
  name: "bash",
  arguments: { command: "cat note.txt" },
} as const;

/** Replays a recording of `cat note.txt` over a note. */
async function replay(text: string, note: string): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/note.txt`, note);
    run = await runInHost({
      cwd,
      prompt: "What is in my note?",
      replay: { text, name: "my recording.jsonl" },
      env: {},
      updates: true,
    });
  });
  return run as HostRun;
}

const RECORDING = recordingOf({
  request: [asked("What is in my note?")],
  content: [LIST, CALL],
}, {
  request: [resulted("bash", "alpha\nbeta\n")],
  content: [{ type: "thinking", thinking: "Two lines." }, said("alpha, beta")],
});

Deno.test("startRun() replays a recording with real tools", async () => {
  const { result, events } = await replay(RECORDING, "alpha\nbeta\n");
  assert.equal(result.status, "completed", result.error?.message);
  assert.equal(result.text, "alpha, beta");
  assert.equal(result.model, "test/recorded");
  assert.equal(result.usage.totalTokens, 30);
  assert.equal(result.toolCalls, 1);
  assert(events.some(({ type }) => type === "message_update"));
});

Deno.test("startRun() ends with the difference where a result is not the recorded one", async () => {
  const { result } = await replay(RECORDING, "alpha\ngamma\n");
  assert.equal(result.status, "replay_miss");
  assert.equal(result.exitCode, 50);
  const message = result.error?.message ?? "";
  assert.match(
    message,
    /^Replay miss: "my recording.jsonl" has no answer to request 2; the nearest that it answers, in line 3, is different:$/m,
  );
  assert.match(message, /^- {2}beta$/m);
  assert.match(message, /^\+ {2}gamma$/m);
});

Deno.test("startRun() ends where a recording has no further answer", async () => {
  const text = RECORDING.split("\n").slice(0, 2).join("\n");
  const { result } = await replay(text, "alpha\nbeta\n");
  assert.equal(result.status, "replay_miss");
  assert.match(
    result.error?.message ?? "",
    /has no answer to request 2; .* line 2, is different:/,
  );
});

Deno.test("startRun() takes another prompt for a miss", async () => {
  const text = recordingOf({ request: [asked("else")], content: [LIST] });
  const { result } = await replay(text, "");
  assert.equal(result.status, "replay_miss");
  assert.match(result.error?.message ?? "", /^-text: else$/m);
});

Deno.test("startRun() takes a request that is made more often than it was recorded for a miss", async () => {
  const text = recordingOf({ request: [asked("hello")], content: [] })
    .replace(/"answer":\[.*\]/, () =>
      `"answer":${
        JSON.stringify([{
          type: "error",
          reason: "error",
          errorKind: "overloaded",
          errorMessage: "busy",
        }])
      }`);
  await inTempFolder(async (cwd) => {
    const replay = { text, name: "r" };
    const { result } = await runInHost({ cwd, replay, env: {} });
    assert.equal(result.status, "replay_miss");
    assert.match(result.error?.message ?? "", /no further answer to request 2/);
  });
});
