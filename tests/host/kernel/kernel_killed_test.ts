import assert from "node:assert/strict";
import { emptyUsage } from "../../../src/model/message.ts";
import type { AssistantDelta, DeltaSource } from "../../../src/model/stream.ts";
import { atOnce } from "../../support/at_once.ts";
import { type HostRun, runInHost, TRACE } from "../../support/host_run.ts";
import { processesWith } from "../../support/processes.ts";
import { inTempFolder } from "../../support/temp_folder.ts";

const TURNS = 4;
const CALLS = 5;
/** Runs at a time; more would only wait for each other. */
const LANES = 3;

/** Asks for calls that each leave one line, turn by turn. */
const source: DeltaSource = async function* (_model, { messages }) {
  await undefined;
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const done: AssistantDelta[] = [{
    type: "done",
    reason: turn < TURNS ? "toolUse" : "stop",
    usage: emptyUsage(),
  }];
  if (turn >= TURNS) {
    yield [
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      { type: "text_delta", contentIndex: 0, delta: "all done" },
      { type: "text_end", contentIndex: 0 },
      ...done,
    ];
    return;
  }
  yield [
    { type: "start" },
    ...Array.from({ length: CALLS }, (_, contentIndex): AssistantDelta[] => {
      const id = `${turn}-${contentIndex}`;
      const delta = JSON.stringify({ command: `echo ${id} >> lines` });
      return [
        { type: "toolcall_start", contentIndex, id, toolName: "bash" },
        { type: "toolcall_delta", contentIndex, delta },
        { type: "toolcall_end", contentIndex },
      ];
    }).flat(),
    ...done,
  ];
};

/** A run whose kernel is killed at its n-th event; the lines that its calls left. */
async function runUntil(
  n: number,
): Promise<{ run: HostRun; lines: string[]; wasReached: boolean }> {
  let ended: { run: HostRun; lines: string[] } | undefined;
  let seen = 0;
  await inTempFolder(async (cwd) => {
    const trace = crypto.randomUUID();
    const run = await runInHost({
      cwd,
      source,
      model: "openai/gpt-4o",
      env: { OPENAI_API_KEY: "k", [TRACE]: trace },
      async onEvent() {
        if (seen++ !== n) return;
        for (const pid of await processesWith(TRACE, trace)) {
          try {
            Deno.kill(pid, "SIGKILL");
          } catch {
            // It has ended by itself.
          }
        }
      },
    });
    const text = await Deno.readTextFile(`${cwd}/lines`).catch(() => "");
    ended = { run, lines: text.split("\n").filter((line) => line !== "") };
  });
  return { ...ended ?? assert.fail(), wasReached: seen > n };
}

Deno.test("startRun() completes with each call made at most once and answered once, at whatever event its kernel is killed", async () => {
  const whole = await runUntil(-1);
  assert.equal(whole.run.result.text, "all done");
  assert.equal(whole.lines.length, TURNS * CALLS);
  const numbers = Array.from({ length: whole.run.events.length }).keys();
  let deaths = 0;
  await atOnce(Array(LANES).fill(undefined), async () => {
    for (const n of numbers) {
      const { run: { result, left, events }, lines } = await runUntil(n);
      const where = `killed at event ${n}, ${whole.run.events[n]?.type}`;
      assert.equal(result.status, "completed", `${where}: ${result.error}`);
      assert.equal(result.text, "all done", where);
      assert.equal(new Set(lines).size, lines.length, where);
      const results = events.flatMap((event) =>
        event.type === "message_end" && event.message.role === "toolResult"
          ? [event.message]
          : []
      );
      assert.equal(
        new Set(results.map(({ toolCallId }) => toolCallId)).size,
        TURNS * CALLS,
        where,
      );
      assert.equal(results.length, TURNS * CALLS, where);
      // What was answered without an error has left its line.
      for (const { toolCallId, isError } of results) {
        if (!isError) assert(lines.includes(toolCallId), where);
      }
      deaths += result.kernels?.length ?? 0;
      assert.deepEqual(left, [], where);
    }
  });
  assert(deaths > 20, `${deaths} deaths`);
});
