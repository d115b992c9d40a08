import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import { ruleChoice } from "../../src/cli/rule_flags.ts";
import { parseRule } from "../../src/policy/permission_rule.ts";

Deno.test("parseCommandLine() understands rules, each as often as it is given", async () => {
  const invocation = await parseCommandLine([
    ...["-p", "--allow-tool", "bash(npm test*)", "--deny-tool=write(*.lock)"],
    ...["--allow-tool", "read", "--fail-on-denied", "go"],
  ]);
  assert(invocation.kind === "run");
  const file = parseRule("bash", { effect: "ask", source: "/s.json" });
  const { rules = [], failOnDenied } = ruleChoice(invocation.flags, [file]);
  assert.equal(failOnDenied, true);
  assert.deepEqual(
    rules.map(({ effect, text, source }) => [effect, text, source]),
    [
      ["deny", "write(*.lock)", "the command line"],
      ["allow", "bash(npm test*)", "the command line"],
      ["allow", "read", "the command line"],
      ["ask", "bash", "/s.json"],
    ],
  );
});

Deno.test("parseCommandLine() says what is wrong with a rule and what would be right", async () => {
  const messageOf = async (...args: string[]) => {
    const invocation = await parseCommandLine(["-p", ...args, "go"]);
    return invocation.kind === "invalid" ? invocation.message : "";
  };
  assert.match(
    await messageOf("--deny-tool", "Write(src)"),
    /^Wrong value "Write\(src\)" for --deny-tool: .* such as "write\(src\)"$/,
  );
  assert.match(
    await messageOf("--allow-tool", "a b"),
    /for --allow-tool: expected tool or/,
  );
});
