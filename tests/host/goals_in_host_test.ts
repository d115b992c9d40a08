import assert from "node:assert/strict";
import { emptyUsage } from "../../src/model/message.ts";
import type { RunOptions } from "../../src/host/run.ts";
import type { AnswerSchema } from "../../src/host/run_record.ts";
import { readStructuredAnswer } from "../../src/model/structured_answer.ts";
import type { RunOutcome } from "../../src/session/run_outcome.ts";
import { type HostRun, runPuppet } from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** A run of a kernel that gives an answer and claims an outcome. */
async function run(
  text: string,
  outcome: RunOutcome,
  options: Partial<RunOptions> = {},
): Promise<HostRun["result"]> {
  const message = {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "openai-completions",
    provider: "test",
    model: "test",
    stopReason: "stop",
    timestamp: 1,
    usage: emptyUsage(),
  };
  let ended: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    ended = await runPuppet([
      {
        send: {
          type: "event",
          event: { type: "message_end", message },
          stored: 0,
        },
      },
      { send: { type: "end", outcome } },
    ], { cwd, ...options });
  });
  assert(ended);
  return ended.result;
}

const schema = { type: "object" };
const answerSchema: AnswerSchema = {
  schema,
  read: (answer) => readStructuredAnswer(answer, schema),
};

Deno.test("startRun() reads the structured answer itself", async () => {
  const completed = { kind: "completed" } as const;
  const fits = await run('```\n{"a":1}\n```', completed, {
    goals: { answerSchema },
  });
  assert.equal(fits.status, "completed");
  assert.deepEqual(fits.structured, { a: 1 });
  const lie = await run("It fits, believe me.", completed, {
    goals: { answerSchema },
  });
  assert.equal(lie.status, "schema_failed");
  assert.equal(lie.exitCode, 40);
  assert(!("structured" in lie));
  assert.match(lie.error?.message ?? "", /Expected JSON, alone or in one/);
  const unasked = await run('{"a":1}', completed);
  assert(!("structured" in unasked));
});

Deno.test("startRun() tells which goal was missed, and why", async () => {
  for (
    const [goal, status] of [
      ["check", "check_failed"],
      ["schema", "schema_failed"],
    ] as const
  ) {
    const outcome = { kind: "goal_missed", goal, message: "why" } as const;
    const result = await run("{}", outcome, { goals: { answerSchema } });
    assert.equal(result.status, status);
    assert.deepEqual(result.error, { kind: status, message: "why" });
    assert(!("structured" in result));
  }
});

Deno.test("startRun() hands an answer out only when the run completed, and fails when it cannot", async () => {
  const written: string[] = [];
  const answerFile = {
    write: (answer: string) => Promise.resolve(void written.push(answer)),
  };
  const completed = { kind: "completed" } as const;
  await run("Yes.", completed, { answerFile });
  await run('{ "a": 1 }', completed, { answerFile, goals: { answerSchema } });
  await run("No.", { kind: "limit", limit: "turn_limit" }, { answerFile });
  assert.deepEqual(written, ["Yes.\n", '{"a":1}\n']);
  const failed = await run("Yes.", completed, {
    answerFile: { write: () => Promise.reject(new Error("disk full")) },
  });
  assert.equal(failed.status, "internal_error");
  assert.equal(failed.error?.message, "disk full");
  assert.equal(failed.text, "Yes.");
});
