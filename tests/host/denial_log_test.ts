import assert from "node:assert/strict";
import { DenialLog } from "../../src/host/denial_log.ts";

Deno.test("DenialLog counts the same refusal once more, and lists no more than a hundred", () => {
  const log = new DenialLog();
  assert.equal(log.first, undefined);
  const denied = {
    type: "tool_denied",
    toolCallId: "c",
    toolName: "bash",
    reason: "denied",
    rule: "bash(rm *)",
    source: "/s.json",
  } as const;
  log.note(denied);
  log.note({ ...denied, toolCallId: "d" });
  for (let i = 0; i < 200; i++) {
    log.note({ ...denied, toolName: `${i}`.padEnd(5000, "x") });
  }
  log.noteRefused("read", 2);
  log.noteRefused("read", 3);
  const { denied: listed, attempted } = log.report();
  assert.equal(listed.length, 100);
  assert.equal(listed[0]?.count, 2);
  assert(JSON.stringify(listed).length < 200_000);
  assert.deepEqual(attempted, { read: 5, write: 0, protected: 0 });
  assert.equal(
    log.first,
    "Denied: bash, since a rule denies it: bash(rm *) of /s.json",
  );
});

Deno.test("DenialLog takes a path that was refused for a denial, and none for none", () => {
  const log = new DenialLog();
  log.noteRefused("write", 0);
  assert.equal(log.first, undefined);
  log.noteRefused("protected", 1);
  assert.match(log.first ?? "", /refused a path to write/);
});
