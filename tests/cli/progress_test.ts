import assert from "node:assert/strict";
import {
  createBriefProgress,
  createFullProgress,
  type Progress,
} from "../../src/cli/progress.ts";
import { emptyUsage } from "../../src/model/message.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";

function say(text: string, stopReason: "toolUse" | "stop"): RunEvent {
  return {
    type: "message_end",
    message: {
      role: "assistant",
      content: [{ type: "text", text }],
      api: "openai-completions",
      provider: "test",
      model: "test",
      usage: emptyUsage(),
      stopReason,
      timestamp: 0,
    },
  };
}

function start(id: string, rendered?: string[]): RunEvent {
  return {
    type: "tool_execution_start",
    toolCallId: id,
    toolName: "bash",
    args: { command: id },
    ...(rendered ? { rendered } : {}),
  };
}

function end(id: string, text: string, isError = false): RunEvent {
  return {
    type: "tool_execution_end",
    toolCallId: id,
    toolName: "bash",
    result: { content: [{ type: "text", text }] },
    isError,
  };
}

function told(
  create: (writeLine: (line: string) => void) => Progress,
  events: RunEvent[],
): string[] {
  const lines: string[] = [];
  const progress = create((line) => lines.push(line));
  for (const event of events) progress.show(event);
  progress.end();
  return lines;
}

const full = (events: RunEvent[], color = false) =>
  told((write) => createFullProgress(write, { color }), events);
const brief = (events: RunEvent[]) => told(createBriefProgress, events);

Deno.test("createFullProgress() shows what the model says before calls, calls and results", () => {
  const lines = full([
    say("I look.", "toolUse"),
    start("a", ["$ ls"]),
    { ...end("a", "raw"), rendered: ["file.txt"] } as RunEvent,
    say("The answer.", "stop"),
  ]);
  assert.deepEqual(lines, ["", "I look.", "", "$ ls", "file.txt", ""]);
});

Deno.test("createFullProgress() repeats the title of a call whose result comes after another call", () => {
  const lines = full([
    start("a", ["$ slow"]),
    start("b", ["$ fast"]),
    end("b", "fast done"),
    end("a", "slow done"),
  ]);
  assert.deepEqual(lines, [
    "",
    "$ slow",
    "",
    "$ fast",
    "fast done",
    "",
    "$ slow",
    "slow done",
    "",
  ]);
});

Deno.test("createFullProgress() shows calls that have no renderer", () => {
  assert.deepEqual(full([start("a"), end("a", "one\ntwo")]), [
    "",
    'bash {"command":"a"}',
    "one",
    "two",
    "",
  ]);
});

Deno.test("createFullProgress() lets no control sequence through, colour only where it is on", () => {
  const events = [start("a", ["\x1b[31mred\x1b[39m\x1b[2J\nforged"])];
  assert.deepEqual(full(events), ["", "␛[31mred␛[39m␛[2J", "forged", ""]);
  assert.deepEqual(full(events, true), [
    "",
    "\x1b[31mred\x1b[39m␛[2J\x1b[0m",
    "forged",
    "",
  ]);
});

Deno.test("createFullProgress() bounds what one event shows", () => {
  const lines = full([
    start("a", ["x".repeat(1_000_000), ...Array(10_000).fill("line")]),
  ]);
  assert.ok(lines.length < 300);
  assert.ok(lines.every((line) => line.length < 3000));
});

Deno.test("createBriefProgress() writes one plain line a call and the failures", () => {
  const lines = brief([
    say("I look.", "toolUse"),
    start("a", ["$ ls", "more"]),
    end("a", "file.txt"),
    start("b"),
    end("b", "\nNo such \x1bfile\nsecond line", true),
    start("c", ["y".repeat(1000)]),
  ]);
  assert.deepEqual(lines, [
    "tau: $ ls",
    'tau: bash {"command":"b"}',
    "tau: bash failed: No such ␛file",
    `tau: ${"y".repeat(200)}…`,
  ]);
});

Deno.test("both progresses show how a run goes on after a failed request", () => {
  const retry = {
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 2400,
    errorMessage: "openai is \x1bbusy\nmore",
  } as const;
  const end = { type: "auto_retry_end", attempt: 1, success: true } as const;
  const compaction = { reason: "overflow", tokens: 9 } as const;
  const events: RunEvent[] = [
    retry,
    end,
    { type: "compaction_start", ...compaction },
    {
      type: "compaction_end",
      reason: "overflow",
      aborted: false,
      errorMessage: "refused",
    },
  ];
  assert.deepEqual(brief(events), [
    "tau: retry 1 of 3 in 2.4 s: openai is ␛busy",
    "tau: the request was too long: summarising the conversation",
    "tau: no summary: refused",
  ]);
  assert.equal(
    full(events)[1],
    "tau: retry 1 of 3 in 2.4 s: openai is ␛busy",
  );
});

Deno.test("both progresses show a check, with the end of the output of a failed one", () => {
  const check = (passed: boolean, output: string): RunEvent => ({
    type: "check_end",
    command: "make",
    passed,
    output,
  });
  const numbers = Array.from({ length: 50 }, (_, i) => `${i}\n`).join("");
  const events: RunEvent[] = [
    { type: "check_start", command: "make\ntest\x1b[2J" },
    check(false, `${numbers}bad\x07\n\nCommand exited with code 1\n`),
    check(true, numbers),
  ];
  const end = [
    ...["42", "43", "44", "45", "46", "47", "48", "49"],
    "bad␇",
    "Command exited with code 1",
  ];
  assert.deepEqual(brief(events), [
    "tau: check: make",
    "tau: check failed",
    ...end.map((line) => `tau: ${line}`),
    "tau: check passed",
  ]);
  assert.deepEqual(full(events), [
    ...["", "tau: check: make", "test␛[2J"],
    ...["", "tau: check failed", ...end],
    ...["", "tau: check passed"],
    "",
  ]);
});

Deno.test("both progresses show a changed control file with the difference, safe for a terminal", () => {
  const diff =
    "--- /w/.envrc\n+++ /w/.envrc\n@@ -0,0 +1,1 @@\n+PATH=.\x1b[2J\n";
  const event: RunEvent = {
    type: "control_file_changed",
    path: "/w/.envrc\x1b[2J",
    change: "created",
    diff: diff + "+line\n".repeat(100),
  };
  const first =
    "tau: this run created /w/.envrc␛[2J, which can start programs or change permissions";
  const lines = [
    ...["--- /w/.envrc", "+++ /w/.envrc", "@@ -0,0 +1,1 @@", "+PATH=.␛[2J"],
    ...Array<string>(100).fill("+line"),
  ];
  assert.deepEqual(full([event]), ["", first, ...lines, ""]);
  assert.deepEqual(brief([event]), [
    first,
    ...lines.slice(0, 20).map((line) => `tau: ${line}`),
  ]);
});
