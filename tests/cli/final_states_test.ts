import assert from "node:assert/strict";
import fc from "fast-check";
import { Console } from "../../src/cli/console.ts";
import type { OutputFormat } from "../../src/cli/options/option_table.ts";
import { createMode } from "../../src/cli/output_mode.ts";
import { runHeadless } from "../../src/cli/run_headless.ts";
import { StopSignals } from "../../src/cli/stop_signals.ts";
import { RunRecord } from "../../src/host/run_record.ts";
import type { RunResult } from "../../src/protocol/result_schema.ts";
import {
  EXIT_CODES,
  type RunFacts,
  type RunStatus,
} from "../../src/protocol/exit_codes.ts";
import { assertKnown } from "../support/output_lines.ts";
import { FakeSink, FakeSource } from "./fake_streams.ts";

/** One thing that can be true of a run that is over. */
interface Fact {
  name: keyof RunFacts;
  value: unknown;
  status: RunStatus;
}

/** All of them, strongest first. Of those with the same name one is true at a time. */
const FACTS: Fact[] = [
  fact("stoppedBy", "interrupted", "interrupted"),
  fact("stoppedBy", "terminated", "terminated"),
  fact("stoppedBy", "hung_up", "hung_up"),
  fact("stdoutClosed", true, "stdout_closed"),
  fact("kernelFailure", "It died", "kernel_failed"),
  fact("timedOut", true, "timeout"),
  fact("limit", "turn_limit", "turn_limit"),
  fact("limit", "tool_call_limit", "tool_call_limit"),
  fact("limit", "repeat_limit", "repeat_limit"),
  fact("limit", "budget_limit", "budget_limit"),
  fact("limit", "output_limit", "output_limit"),
  modelError("auth", "auth_failed"),
  modelError("rate_limit", "provider_unavailable"),
  modelError("stream_cut", "provider_unavailable"),
  modelError("refused", "provider_refused"),
  modelError("context_overflow", "provider_refused"),
  modelError("replay_miss", "replay_miss"),
  fact("sandboxFailure", "No sandbox", "sandbox_unavailable"),
  fact("denial", "bash is denied", "denied"),
  fact("schemaFailure", "No JSON", "schema_failed"),
  fact("checkFailure", "The check fails", "check_failed"),
  fact("usageError", "No such tool", "usage_error"),
  modelError(undefined, "internal_error"),
  fact("internalError", "A bug", "internal_error"),
];

function fact(
  name: keyof RunFacts,
  value: unknown,
  status: RunStatus,
): Fact {
  return { name, value, status };
}

function modelError(kind: string | undefined, status: RunStatus): Fact {
  const message = `The model failed: ${status}`;
  return fact("modelError", { ...(kind ? { kind } : {}), message }, status);
}

const NAMES = [...new Set(FACTS.map(({ name }) => name))];

/** Any facts that can be true together. */
const anyFacts = fc.tuple(
  ...NAMES.map((name) =>
    fc.option(
      fc.constantFrom(...FACTS.filter((known) => known.name === name)),
      { nil: undefined },
    )
  ),
).map((chosen) => chosen.filter((one) => one !== undefined));

function endOf(
  facts: readonly Fact[],
  { text, says }: { text: string; says: boolean },
): RunResult {
  const record = new RunRecord({ sessionId: "s", cwd: "/w" });
  for (const { name, value } of facts) {
    Object.assign(record.facts, { [name]: value });
  }
  record.note({
    type: "message_end",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      stopReason: "stop",
    } as never,
  });
  if (says) record.noteOutcome({ kind: "completed" });
  return record.finish();
}

/** What stdout got of a run that ended with a record, and the exit code. */
async function told(
  result: RunResult,
  format: OutputFormat,
): Promise<{ stdout: string; code: number }> {
  const stdout = new FakeSink();
  const console = new Console({
    stdin: new FakeSource([]),
    stdout,
    stderr: new FakeSink(),
  }, {});
  const code = await runHeadless({
    startRun: async (_options, { emit }) => {
      await emit({ type: "turn_start" });
      return result;
    },
    options: {
      prompt: "x",
      cwd: "/w",
      updates: false,
      kernel: { entry: new URL("file:///kernel.ts") },
      env: {},
    },
    mode: createMode(format, console),
    console,
    signals: new StopSignals({
      source: { addSignalListener: () => {}, removeSignalListener: () => {} },
    }),
  });
  return { stdout: stdout.text, code };
}

Deno.test("the facts of these tests make every status that is not completed", () => {
  const made = new Set<string>(FACTS.map(({ status }) => status));
  assert.deepEqual(
    Object.keys(EXIT_CODES).filter((status) => !made.has(status)),
    ["completed"],
  );
});

Deno.test("a run that is over has one status, that of its strongest fact, and says why", () => {
  fc.assert(fc.property(anyFacts, fc.boolean(), (facts, says) => {
    const { status, exitCode, error } = endOf(facts, { text: "x", says });
    const strongest = FACTS.find((known) => facts.includes(known));
    const silent = says ? "completed" : "internal_error";
    assert.equal(status, strongest?.status ?? silent);
    assert.equal(exitCode, EXIT_CODES[status]);
    assert.equal(exitCode === 0, status === "completed");
    assert.equal(error === undefined, status === "completed");
    if (!error) return;
    assert.equal(error.kind, status);
    assert.notEqual(error.message, "");
    // The reason belongs to the status, not to a weaker fact.
    if (strongest?.name === "modelError") {
      assert.equal(error.message, `The model failed: ${status}`);
    } else if (
      typeof strongest?.value === "string" && /^[A-Z]/.test(strongest.value)
    ) {
      assert.equal(error.message, strongest.value);
    }
  }));
});

Deno.test("a run that is over has one record and one exit code in all output formats", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyFacts,
      fc.string({ unit: "binary" }),
      async (facts, text) => {
        const result = endOf(facts, { text, says: true });
        const json = await told(result, "json");
        const stream = await told(result, "stream-json");
        const plain = await told(result, "text");
        const code = result.exitCode;
        assert.deepEqual([json.code, stream.code, plain.code], [
          code,
          code,
          code,
        ]);
        assert.equal(stream.stdout, `{"type":"turn_start"}\n${json.stdout}`);
        assert.equal(json.stdout.split("\n").length, 2);
        const record = JSON.parse(json.stdout);
        assert.deepEqual(record, JSON.parse(JSON.stringify(result)));
        assertKnown(record);
        const answer = new TextDecoder().decode(
          new TextEncoder().encode(text),
        );
        assert.equal(
          plain.stdout,
          answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`,
        );
      },
    ),
    { numRuns: 60 },
  );
});
