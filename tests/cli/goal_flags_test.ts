import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import { checkChoice } from "../../src/cli/goal_flags.ts";

async function problem(...args: string[]): Promise<string> {
  const invocation = await parseCommandLine(args);
  assert(invocation.kind === "invalid", JSON.stringify(invocation));
  return invocation.message;
}

Deno.test("parseCommandLine() understands what a run has to reach", async () => {
  const invocation = await parseCommandLine([
    ...["-o", "out.txt", "--output-schema", "s.json"],
    ...["--check", "npm test -- -x", "--check-retries", "0", "go"],
  ]);
  assert(invocation.kind === "run");
  const { flags } = invocation;
  assert.equal(flags["output-last-message"], "out.txt");
  assert.equal(flags["output-schema"], "s.json");
  assert.deepEqual(checkChoice(flags), {
    command: "npm test -- -x",
    retries: 0,
  });
  assert.deepEqual(checkChoice({ check: "x" }), { command: "x", retries: 2 });
  assert.equal(checkChoice({}), undefined);
});

Deno.test("parseCommandLine() says what is wrong about what a run has to reach", async () => {
  for (
    const [args, message] of [
      [
        ["--check", " "],
        'Wrong value " " for --check: expected a command, such as "npm test"',
      ],
      [
        ["--check", "x", "--check-retries", "101"],
        'Wrong value "101" for --check-retries: expected a whole number from 0 to 100',
      ],
      [
        ["--check-retries", "1"],
        'Option --check-retries needs a check, such as --check "npm test"',
      ],
      [
        ["--check"],
        'Option --check needs a value, such as --check "npm test"',
      ],
      [
        ["-o"],
        "Option --output-last-message needs a value, such as --output-last-message FILE",
      ],
      [
        ["--output-schem", "x"],
        'Unknown option "--output-schem"; did you mean --output-schema',
      ],
    ] as const
  ) assert.equal(await problem(...args), message);
});

Deno.test("parseCommandLine() understands tau schema", async () => {
  for (const name of ["line", "header", "event", "result"] as const) {
    assert.deepEqual(await parseCommandLine(["schema", name]), {
      kind: "schema",
      name,
    });
  }
  assert.deepEqual(await parseCommandLine(["schema"]), {
    kind: "schema",
    name: "line",
  });
  assert.match(
    await problem("schema", "events"),
    /^Unknown schema; known are line, rpc, header, event, result/,
  );
  assert.match(await problem("schema", "line", "more"), /one word too many/);
  assert.match(await problem("schema", "--", "line"), /one word too many/);
});
