import assert from "node:assert/strict";
import { checkLines } from "../../src/cli/check_progress.ts";
import {
  createBriefProgress,
  createFullProgress,
} from "../../src/cli/progress.ts";

const START = { type: "check_start", command: "make\ntest\x1b[2J" } as const;

function end(passed: boolean, output: string) {
  return { type: "check_end", command: "make", passed, output } as const;
}

Deno.test("checkLines() shows the end of what a failed check printed", () => {
  const output = Array.from({ length: 50 }, (_, i) => `${i}\n`).join("") +
    "\nCommand exited with code 1\n";
  assert.deepEqual(checkLines(end(false, output)), [
    "check failed",
    ...["41", "42", "43", "44", "45", "46", "47", "48", "49"],
    "Command exited with code 1",
  ]);
  assert.deepEqual(checkLines(end(true, output)), ["check passed"]);
});

Deno.test("progress tells of a check, safe for a terminal", () => {
  const brief: string[] = [];
  const full: string[] = [];
  for (
    const progress of [
      createBriefProgress((line) => brief.push(line)),
      createFullProgress((line) => full.push(line), { color: false }),
    ]
  ) {
    progress.show(START);
    progress.show(end(false, "bad\x07\n\nexit 1"));
  }
  assert.deepEqual(brief, [
    "tau: check: make",
    "tau: check failed",
    "tau: bad␇",
    "tau: exit 1",
  ]);
  assert.deepEqual(full, [
    "",
    "check: make",
    "test␛[2J",
    "",
    "check failed",
    "bad␇",
    "exit 1",
  ]);
});
