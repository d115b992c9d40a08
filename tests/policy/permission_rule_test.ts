import assert from "node:assert/strict";
import { parseRule, RuleError } from "../../src/policy/permission_rule.ts";

const FROM = { effect: "deny", source: "/s.json" } as const;

/** What is wrong with a rule. */
function problemOf(text: string): string {
  try {
    parseRule(text, FROM);
  } catch (error) {
    if (error instanceof RuleError) return error.message;
    throw error;
  }
  assert.fail(`${text} is taken`);
}

Deno.test("parseRule() takes tools, commands and paths, and remembers where a rule is from", () => {
  assert.deepEqual(parseRule("deploy", FROM), {
    ...FROM,
    text: "deploy",
    tool: "deploy",
  });
  assert.deepEqual(parseRule(" bash(git status*) ", FROM), {
    ...FROM,
    text: "bash(git status*)",
    tool: "bash",
    pattern: "git status*",
  });
  assert.equal(parseRule("bash(*)", FROM).pattern, undefined);
  assert.equal(parseRule("write(a (1)/{b,c}.txt)", FROM).tool, "write");
});

Deno.test("parseRule() refuses what could never hold, and shows what would", () => {
  const cases: Record<string, RegExp> = {
    "": /such as "bash\(git status\*\)"/,
    "bash git": /expected tool or tool\(pattern\)/,
    "bash(git": /expected tool or tool\(pattern\)/,
    "bash(git) x": /expected tool or tool\(pattern\)/,
    "Bash(git *)": /such as "bash\(git \*\)"/,
    "deploy(prod)": /only read, .* have patterns; .* such as "deploy"/,
    "bash()": /pattern is empty.*such as "bash\(git status\*\)"/,
    "bash(git status:*)": /no colon/,
    "bash(a && b)": /each command of a line/,
    "bash(echo $(id))": /each command of a line/,
    "bash(a\nb)": /each command of a line/,
    "read()": /pattern is empty.*such as "read\(src\/\*\*\)"/,
    "write(../x)": /real paths hold no \.\./,
    "read(!src)": /cannot begin with !/,
    "read(~bob/x)": /only ~\//,
    "read(a[b)": /a \[ must be closed/,
    "read(a{b)": /braces must be closed/,
    [`read(${"{a,b}".repeat(9)})`]: /64 patterns at most/,
    [`read(${"a".repeat(2000)})`]: /expected tool/,
    "read(a\0b)": /no path holds a NUL/,
  };
  for (const [text, problem] of Object.entries(cases)) {
    assert.match(problemOf(text), problem, text);
  }
});
