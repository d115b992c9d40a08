import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import {
  sessionChoice,
  sessionConflict,
  type SessionFlags,
} from "../../src/cli/session_flags.ts";
import type { SessionChoice } from "../../src/host/run_session.ts";

const NONE: SessionFlags = {
  continue: false,
  fork: false,
  "no-session": false,
};

Deno.test("parseCommandLine() understands the options of sessions", async () => {
  const id = "0f0e0d0c-0000-4000-8000-000000000000";
  const table: [string[], SessionChoice | undefined][] = [
    [[], {}],
    [["-c"], { resume: { latest: true }, fork: false }],
    [["--continue", "--fork"], { resume: { latest: true }, fork: true }],
    [["-r", "0F0e"], { resume: { id: "0F0e" }, fork: false }],
    [["--resume", id], { resume: { id }, fork: false }],
    [["--session", "a b"], { resume: { file: "a b" }, fork: false }],
    [["--no-session"], undefined],
  ];
  for (const [args, choice] of table) {
    const invocation = await parseCommandLine([...args, "x"]);
    assert(invocation.kind === "run", args.join(" "));
    assert.deepEqual(sessionChoice(invocation.flags), choice, args.join(" "));
    assert.equal(invocation.prompt.length, 1);
  }
});

Deno.test("parseCommandLine() understands tau sessions", async () => {
  const table: [string[], unknown][] = [
    [[], { action: "list", json: false }],
    [["list", "--json"], { action: "list", json: true }],
    [["--json"], { action: "list", json: true }],
    [["show", "abcd"], { action: "show", id: "abcd" }],
    [["export", "abcd"], { action: "export", id: "abcd" }],
    [["rm", "abcd", "ef01"], { action: "rm", ids: ["abcd", "ef01"] }],
  ];
  for (const [args, action] of table) {
    assert.deepEqual(await parseCommandLine(["sessions", ...args]), {
      kind: "sessions",
      action,
    });
  }
  for (
    const args of [
      ["list", "abcd"],
      ["show"],
      ["show", "abcd", "ef01"],
      ["rm"],
      ["rm", "--json", "abcd"],
      ["of", "mine"],
    ]
  ) {
    const { kind } = await parseCommandLine(["sessions", ...args]);
    assert.equal(kind, "invalid", args.join(" "));
  }
});

Deno.test("sessionConflict() finds options that contradict each other", () => {
  const table: [
    Partial<SessionFlags> & { record?: string; replay?: string },
    RegExp?,
  ][] = [
    [{}],
    [{ continue: true, fork: true }],
    [{ "no-session": true, replay: "r" }],
    [{ continue: true, resume: "abcd" }, /--continue and --resume/],
    [{ resume: "abcd", session: "f" }, /--resume and --session/],
    [{ session: "f", "no-session": true }, /--session and --no-session/],
    [{ continue: true, replay: "r" }, /--continue and --replay/],
    [{ session: "f", record: "r" }, /--session and --record/],
    [{ "no-session": true, record: "r" }],
    [{ fork: true }, /--fork copies a session/],
    [{ fork: true, "no-session": true }, /--fork copies a session/],
  ];
  for (const [flags, message] of table) {
    const conflict = sessionConflict({ ...NONE, ...flags });
    if (message) assert.match(conflict ?? "", message);
    else assert.equal(conflict, undefined);
  }
});
