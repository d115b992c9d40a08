import assert from "node:assert/strict";
import {
  createBriefProgress,
  createFullProgress,
} from "../../src/cli/progress.ts";

const EVENT = {
  type: "control_file_changed",
  path: "/w/.envrc\x1b[2J",
  change: "created",
  diff: "--- /w/.envrc\n+++ /w/.envrc\n@@ -0,0 +1,1 @@\n+PATH=.\x1b[2J\n",
} as const;

Deno.test("progress tells of a changed control file with the difference, safe for a terminal", () => {
  const full: string[] = [];
  createFullProgress((line) => full.push(line), { color: false }).show(EVENT);
  assert.match(
    full[1] ?? "",
    /^tau: created by this run, and it can start programs .*: \/w\/\.envrc/,
  );
  assert(full.some((line) => line.startsWith("+PATH=.")));
  const brief: string[] = [];
  const progress = createBriefProgress((line) => brief.push(line));
  progress.show({ ...EVENT, diff: EVENT.diff + "+line\n".repeat(100) });
  assert.match(brief[0] ?? "", /^tau: created by this run/);
  assert(brief.includes("tau: +line"));
  assert(brief.length < 30);
  assert(![...full, ...brief].some((line) => line.includes("\x1b")));
});
