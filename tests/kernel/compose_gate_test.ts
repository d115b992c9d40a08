import assert from "node:assert/strict";
import { composeGate } from "../../src/kernel/compose_gate.ts";
import { UnknownToolError } from "../../src/kernel/compose_tools.ts";
import { parseRule } from "../../src/policy/permission_rule.ts";
import type { DialogAnswer } from "../../src/protocol/kernel_messages.ts";
import type {
  Dialog,
  KernelMessage,
} from "../../src/protocol/kernel_schemas.ts";

/** A gate that asks before commands, and what it said to the host. */
function composed(
  rule: string,
  { hasUI, answer }: { hasUI: boolean; answer?: DialogAnswer },
): {
  run(command: string): Promise<boolean>;
  dialogs: Dialog[];
  sent: KernelMessage[];
} {
  const dialogs: Dialog[] = [];
  const sent: KernelMessage[] = [];
  const gate = composeGate(
    {
      rules: [parseRule(rule, { effect: "ask", source: "/s.json" })],
      asksForCommands: true,
      cwd: "/w",
      homeDir: undefined,
      hasUI,
    },
    {
      ask: (dialog) => {
        dialogs.push(dialog);
        return Promise.resolve(answer);
      },
      send: (message) => {
        sent.push(message);
        return Promise.resolve();
      },
    },
    [{ name: "bash" }, { name: "deploy" }],
  );
  const run = async (command: string) => {
    const call = {
      toolCall: { type: "toolCall", id: "c", name: "bash", arguments: {} },
      args: { command },
    } as unknown as Parameters<typeof gate>[0];
    return (await gate(call))?.block !== true;
  };
  return { run, dialogs, sent };
}

Deno.test("composeGate() puts a question to the user and runs only what is approved", async () => {
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

Deno.test("composeGate() asks nobody where nobody is, and cuts a long command short", async () => {
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

Deno.test("composeGate() asks once for a command line that is approved for the session", async () => {
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

Deno.test("composeGate() takes a rule for any tool but one that misspells a built-in one", () => {
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
