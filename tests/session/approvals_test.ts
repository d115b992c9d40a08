import assert from "node:assert/strict";
import { locatePath } from "../../src/host/locate_path.ts";
import { parseRule } from "../../src/policy/permission_rule.ts";
import type { ToolDeniedEvent } from "../../src/protocol/documented_events.ts";
import type { DialogAnswer } from "../../src/protocol/kernel_messages.ts";
import type { PluginDialog } from "../../src/sdk/plugin_ui.ts";
import {
  askForApproval,
  refuseMisspelt,
  UnknownToolError,
} from "../../src/session/approvals.ts";
import { createRuleGate } from "../../src/session/rule_gate.ts";

/** A gate that asks before commands, what it asked, and what it denied. */
function composed(
  rule: string,
  { hasUI, answer }: { hasUI: boolean; answer?: DialogAnswer },
): {
  run(command: string): Promise<boolean>;
  dialogs: PluginDialog[];
  sent: ToolDeniedEvent[];
} {
  const dialogs: PluginDialog[] = [];
  const sent: ToolDeniedEvent[] = [];
  const rules = [parseRule(rule, { effect: "ask", source: "/s.json" })];
  refuseMisspelt(rules, [{ name: "bash" }, { name: "deploy" }]);
  const ask = (dialog: PluginDialog) => {
    dialogs.push(dialog);
    return Promise.resolve(answer);
  };
  const gate = createRuleGate({
    rules,
    asksForCommands: () => true,
    cwd: "/w",
    locate: (path) => locatePath(path, { cwd: "/w", homeDir: undefined }),
    ask: (question, signal) =>
      hasUI
        ? askForApproval(ask, question, signal)
        : Promise.resolve("unavailable"),
    onDenied: (event) => void sent.push(event),
  });
  const run = async (command: string) => {
    const call = {
      toolCall: { type: "toolCall", id: "c", name: "bash", arguments: {} },
      args: { command },
    } as unknown as Parameters<typeof gate>[0];
    return (await gate(call))?.block !== true;
  };
  return { run, dialogs, sent };
}

Deno.test("askForApproval() puts a question to the user and runs only what is approved", async () => {
  const rule = "bash(make*)";
  const yes = composed(rule, { hasUI: true, answer: "Yes, this once" });
  assert.equal(await yes.run("make all"), true);
  assert.deepEqual(yes.dialogs, [{
    kind: "select",
    title:
      'Allow bash?\nmake all\n(a rule asks for it: "bash(make*)" of "/s.json")',
    options: ["Yes, this once", "Yes, for this session", "No"],
  }]);
  for (const answer of ["No", false, undefined, "yes", true, "constructor"]) {
    const no = composed(rule, { hasUI: true, answer });
    // The second one is asked about without a rule.
    assert.equal(await no.run("make"), false);
    assert.equal(await no.run("ls"), false);
    assert.equal(no.sent.length, 2);
  }
});

Deno.test("askForApproval() asks nobody where nobody is, and cuts a long command short", async () => {
  const nobody = composed("bash(make*)", { hasUI: false });
  assert.equal(await nobody.run("make"), false);
  assert.equal(await nobody.run("ls"), true);
  assert.deepEqual(nobody.dialogs, []);
  const long = composed("bash", { hasUI: true, answer: "Yes, this once" });
  await long.run(`${"a".repeat(100_000)}; rm -rf last`);
  const title = long.dialogs[0]?.title ?? "";
  assert(title.length < 9000);
  assert.match(title, /a\n… 92013 characters more …\na+; rm -rf last\n/);
});

Deno.test("askForApproval() asks once for a command line that is approved for the session", async () => {
  const answer = "Yes, for this session";
  const { run, dialogs } = composed("bash(make*)", { hasUI: true, answer });
  for (const command of ["make", "make", "make all", "ls", "make", "ls"]) {
    assert.equal(await run(command), true);
  }
  assert.deepEqual(
    dialogs.map(({ title }) => title.split("\n")[1]),
    ["make", "make all", "ls"],
  );
});

Deno.test("refuseMisspelt() takes a rule for any tool but one that misspells a built-in one", () => {
  for (const rule of ["deploy", "bash", "read", "fetch", "some-tool"]) {
    composed(rule, { hasUI: false });
  }
  for (const rule of ["bahs", "bas", "bashh", "bqsh", "reads", "wrte"]) {
    assert.throws(
      () => composed(rule, { hasUI: false }),
      (error) =>
        error instanceof UnknownToolError && /a rule for/.test(error.message),
      rule,
    );
  }
});
