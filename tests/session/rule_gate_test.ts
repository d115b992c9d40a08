import assert from "node:assert/strict";
import {
  type Approval,
  type ApprovalQuestion,
  createRuleGate,
  gated,
  type RuleGate,
} from "../../src/session/rule_gate.ts";
import { locatePath } from "../../src/host/locate_path.ts";
import { placeRules } from "../../src/host/place_rules.ts";
import type { JsonObject } from "../../src/model/content.ts";
import {
  parseRule,
  type RuleEffect,
} from "../../src/policy/permission_rule.ts";
import type { ToolDeniedEvent } from "../../src/protocol/documented_events.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

type Call = Parameters<RuleGate>[0];

/** A gate with rules, what it asked, and what it told. */
function gateOf(
  rules: Partial<Record<RuleEffect, string[]>>,
  { cwd = "/w", answer = "unavailable", asksForCommands = false }: {
    cwd?: string;
    answer?: Approval;
    asksForCommands?: boolean;
  } = {},
): { gate: RuleGate; asked: ApprovalQuestion[]; denied: ToolDeniedEvent[] } {
  const asked: ApprovalQuestion[] = [];
  const denied: ToolDeniedEvent[] = [];
  const gate = createRuleGate({
    rules: placeRules(
      Object.entries(rules).flatMap(([effect, texts]) =>
        texts.map((text) =>
          parseRule(text, { effect: effect as RuleEffect, source: "/s.json" })
        )
      ),
      { cwd },
    ),
    cwd,
    asksForCommands: () => asksForCommands,
    locate: (path) => locatePath(path, { cwd, homeDir: undefined }),
    ask: (question) => {
      asked.push(question);
      return Promise.resolve(answer);
    },
    onDenied: (event) => void denied.push(event),
  });
  return { gate, asked, denied };
}

function callOf(name: string, args: JsonObject, id = "c1"): Call {
  return {
    toolCall: { type: "toolCall", id, name, arguments: args },
    args,
  } as unknown as Call;
}

const bash = (command: string, id?: string) => callOf("bash", { command }, id);

Deno.test("createRuleGate() lets a call be made that the user approves, and asks once for the same arguments", async () => {
  const { gate, asked, denied } = gateOf({ ask: ["bash(make*)"] }, {
    answer: "yes",
  });
  assert.equal(await gate(bash("make all")), undefined);
  assert.equal(await gate(bash("make all")), undefined);
  assert.deepEqual(asked, [{
    toolName: "bash",
    args: { command: "make all" },
    why: 'a rule asks for it: "bash(make*)" of "/s.json"',
  }]);
  await gate(bash("make other"));
  await gate(bash("make other", "c2"));
  assert.equal(asked.length, 3);
  assert.deepEqual(denied, []);
});

Deno.test("createRuleGate() refuses what the user does not approve, and tells of it", async () => {
  const { gate, denied } = gateOf({ ask: ["bash"] }, { answer: "no" });
  const decision = await gate(bash("make"));
  assert.equal(decision?.block, true);
  assert.match(decision?.reason ?? "", /^Not run: the user did not approve/);
  assert.deepEqual(denied, [{
    type: "tool_denied",
    toolCallId: "c1",
    toolName: "bash",
    reason: "not_approved",
    rule: "bash",
    source: "/s.json",
  }]);
});

Deno.test("createRuleGate() asks about commands without a rule only where it is told to, and runs them where nobody is there", async () => {
  const told = { asksForCommands: true };
  const here = gateOf({ allow: ["bash(ls*)"] }, { ...told, answer: "no" });
  assert.equal((await here.gate(bash("make")))?.block, true);
  assert.equal(await here.gate(bash("ls")), undefined);
  assert.equal(await here.gate(callOf("read", { path: "x" })), undefined);
  const gone = gateOf({}, told);
  assert.equal(await gone.gate(bash("make")), undefined);
  assert.equal(gone.asked.length, 1);
  const quiet = gateOf({});
  assert.equal(await quiet.gate(bash("make")), undefined);
  assert.deepEqual(quiet.asked, []);
});

Deno.test("createRuleGate() sees paths as they are written and where links lead", () =>
  inTempFolder(async (root) => {
    await putFiles(root, { "w/private/key": "", "w/open/a": "", "out/x": "" });
    await Deno.symlink("private/key", `${root}/w/link`);
    await Deno.symlink("../out", `${root}/w/open/out`);
    const { gate } = gateOf({
      deny: ["edit(private)", "write(alias/**)"],
      allow: ["read(open/**)"],
      ask: ["read"],
    }, { cwd: `${root}/w` });
    const isBlocked = async (tool: string, path?: string) =>
      (await gate(callOf(tool, path === undefined ? {} : { path })))?.block ===
        true;
    assert.equal(await isBlocked("edit", "private/key"), true);
    assert.equal(await isBlocked("edit", "./private/../private/key"), true);
    assert.equal(await isBlocked("edit", `${root}/w/link`), true);
    assert.equal(await isBlocked("edit", "@link"), true);
    assert.equal(await isBlocked("edit", "open/a"), false);
    assert.equal(await isBlocked("read", "open/a"), false);
    assert.equal(await isBlocked("read", "open/new"), false);
    // Allowed as it is written, but it leads elsewhere.
    assert.equal(await isBlocked("read", "open/out/x"), true);
    assert.equal(await isBlocked("read", "open/../private/key"), true);
  }));

Deno.test("placeRules() has a pattern behind a link count for where it leads", () =>
  inTempFolder(async (root) => {
    await putFiles(root, { "w/a": "", "real/x/f": "" });
    await Deno.symlink("../real", `${root}/w/alias`);
    const { gate } = gateOf({ deny: ["read(alias/x/**)"] }, {
      cwd: `${root}/w`,
    });
    for (const path of ["alias/x/f", "../real/x/f"]) {
      assert.equal((await gate(callOf("read", { path })))?.block, true, path);
    }
  }));

Deno.test("gated() looks at arguments again that a hook has changed", async () => {
  const { gate, denied } = gateOf({ deny: ["bash(rm *)"] });
  const seen: string[] = [];
  const changing = gated(gate, () => ({ args }) => {
    seen.push(String(args.command));
    return args.command === "ls" ? { args: { command: "rm x" } } : undefined;
  });
  assert.equal((await changing(bash("ls")))?.block, true);
  assert.equal(await changing(bash("pwd")), undefined);
  assert.equal((await changing(bash("rm x")))?.block, true);
  assert.deepEqual(seen, ["ls", "pwd"]);
  assert.equal(denied.length, 2);
  assert.equal((await gated(gate, () => undefined)(bash("rm x")))?.block, true);
});

Deno.test("createRuleGate() stops waiting for an answer when the run is aborted", async () => {
  const { gate } = gateOf({ ask: ["bash"] }, { answer: "yes" });
  await assert.rejects(
    async () => await gate(bash("ls"), AbortSignal.abort(new Error("stopped"))),
    /stopped/,
  );
});
