import assert from "node:assert/strict";
import { emptyUsage } from "../../src/model/message.ts";
import type { RunOptions } from "../../src/host/run_options.ts";
import type { AnswerSchema } from "../../src/host/run_record.ts";
import { readStructuredAnswer } from "../../src/model/structured_answer.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** A run whose model answers that, each time it is asked. */
async function run(
  text: string,
  options: Partial<Omit<RunOptions, "kernel">> = {},
): Promise<HostRun["result"]> {
  let ended: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    ended = await runInHost({
      cwd,
      model: "openai/gpt-4o",
      env: { OPENAI_API_KEY: "k" },
      async *source() {
        await undefined;
        yield [
          { type: "start" },
          { type: "text_start", contentIndex: 0 },
          { type: "text_delta", contentIndex: 0, delta: text },
          { type: "text_end", contentIndex: 0 },
          { type: "done", reason: "stop", usage: emptyUsage() },
        ];
      },
      ...options,
    });
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
  const fits = await run('```\n{"a":1}\n```', {
    goals: { answerSchema },
  });
  assert.equal(fits.status, "completed");
  assert.deepEqual(fits.structured, { a: 1 });
  const lie = await run("It fits, believe me.", {
    goals: { answerSchema },
  });
  assert.equal(lie.status, "schema_failed");
  assert.equal(lie.exitCode, 40);
  assert(!("structured" in lie));
  assert.match(lie.error?.message ?? "", /Expected JSON, alone or in one/);
  const unasked = await run('{"a":1}');
  assert(!("structured" in unasked));
});

Deno.test("startRun() tells of a check that failed, and why", async () => {
  const check = { command: "echo no; exit 3", retries: 0 };
  const result = await run("{}", { goals: { answerSchema, check } });
  assert.equal(result.status, "check_failed");
  assert.match(
    result.error?.message ?? "",
    /echo no.*: Command exited with code 3/,
  );
  assert(!("structured" in result));
});

Deno.test("startRun() hands an answer out only when the run completed, and fails when it cannot", async () => {
  const written: string[] = [];
  const answerFile = {
    write: (answer: string) => Promise.resolve(void written.push(answer)),
  };
  await run("Yes.", { answerFile });
  await run('{ "a": 1 }', { answerFile, goals: { answerSchema } });
  await run("No.", { answerFile, goals: { answerSchema } });
  assert.deepEqual(written, ["Yes.\n", '{"a":1}\n']);
  const failed = await run("Yes.", {
    answerFile: { write: () => Promise.reject(new Error("disk full")) },
  });
  assert.equal(failed.status, "internal_error");
  assert.equal(failed.error?.message, "disk full");
  assert.equal(failed.text, "Yes.");
});
