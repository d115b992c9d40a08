import assert from "node:assert/strict";
import {
  parseCommandLine as parse,
  requestedFormat,
} from "../../src/cli/command_line.ts";
import type { Invocation } from "../../src/cli/invocation.ts";

/** A run with these options and no others. */
function run(
  prompt: string[],
  flags: Partial<Extract<Invocation, { kind: "run" }>["flags"]> = {},
): unknown {
  return { kind: "run", flags, prompt: prompt.map((text) => ({ text })) };
}

/** What a line asks for, without the options that it does not have. */
async function parseCommandLine(args: string[]): Promise<unknown> {
  const invocation = await parse(args);
  if (invocation.kind !== "run") return invocation;
  const given = Object.entries(invocation.flags)
    .filter(([, value]) => value !== undefined && value !== false);
  return { ...invocation, flags: Object.fromEntries(given) };
}

const PRINT = { print: true };

Deno.test("parseCommandLine() understands prompts, options and commands", async () => {
  const table: [string[], unknown][] = [
    [[], run([])],
    [["fix", "the", "bug"], run(["fix", "the", "bug"])],
    [["-p", "x"], run(["x"], PRINT)],
    [["x", "--print"], run(["x"], PRINT)],
    [[""], run([""])],
    [["--output-format", "json"], run([], { "output-format": "json" })],
    [
      ["--output-format=stream-json"],
      run([], { "output-format": "stream-json" }),
    ],
    [
      ["--model", "anthropic/claude-sonnet-4-5:high"],
      run([], { model: "anthropic/claude-sonnet-4-5:high" }),
    ],
    [["-t", "read, grep,read"], run([], { tools: ["read", "grep"] })],
    [["--tools=bash"], run([], { tools: ["bash"] })],
    [["--max-turns", "3"], run([], { "max-turns": 3 })],
    [["--timeout", "90"], run([], { timeout: 90_000 })],
    [["--timeout", "5m"], run([], { timeout: 300_000 })],
    [["-C", "..", "x"], run(["x"], { cd: ".." })],
    [["--cd=a b"], run([], { cd: "a b" })],
    [["--replay", "r.jsonl"], run([], { replay: "r.jsonl" })],
    [["-h"], { kind: "help" }],
    [["-p", "x", "--help"], { kind: "help" }],
    [["demo", "-h"], { kind: "help" }],
    [["-v"], { kind: "version" }],
    [["demo", "--version"], { kind: "version" }],
    [["demo"], { kind: "demo", keep: false }],
    [["demo", "--keep"], { kind: "demo", keep: true }],
    [["trust"], { kind: "trust", remove: false }],
    [["trust", "--remove"], { kind: "trust", remove: true }],
    [["--trust", "x"], run(["x"], { trust: true })],
    [["--no-trust"], run([], { "no-trust": true })],
    [["--no-context-files"], run([], { "no-context-files": true })],
    [["--system-prompt", ""], run([], { "system-prompt": "" })],
    [
      ["--append-system-prompt=Be brief."],
      run([], { "append-system-prompt": "Be brief." }),
    ],
    [["@a b.txt", "x", "@"], {
      kind: "run",
      flags: {},
      prompt: [{ file: "a b.txt" }, { text: "x" }, { text: "@" }],
    }],
    [["--", "@a"], run(["@a"])],
  ];
  for (const [args, expected] of table) {
    assert.deepEqual(await parseCommandLine(args), expected, args.join(" "));
  }
});

Deno.test("parseCommandLine() takes for a command only the first word, before --", async () => {
  assert.deepEqual(
    await parseCommandLine(["-p", "demo"]),
    run(["demo"], PRINT),
  );
  assert.deepEqual(await parseCommandLine(["--", "demo"]), run(["demo"]));
  assert.deepEqual(
    await parseCommandLine(["explain", "demo"]),
    run(["explain", "demo"]),
  );
});

Deno.test("parseCommandLine() takes all behind -- as words of the prompt", async () => {
  assert.deepEqual(
    await parseCommandLine(["-p", "a", "--", "--model", "-", "--", "-h"]),
    run(["a", "--model", "-", "--", "-h"], PRINT),
  );
});

Deno.test("parseCommandLine() takes a dash among the words for stdin", async () => {
  assert.deepEqual(await parseCommandLine(["review", "-", "now"]), {
    kind: "run",
    flags: {},
    prompt: [{ text: "review" }, { stdin: true }, { text: "now" }],
  });
});

Deno.test("parseCommandLine() takes a sentence that begins with a dash for a prompt", async () => {
  for (const prompt of ["-x is what?", "--help me, please", "- item\n- item"]) {
    assert.deepEqual(await parseCommandLine([prompt]), run([prompt]));
  }
});

Deno.test("parseCommandLine() is not misled by names that every object has", async () => {
  for (const word of ["constructor", "__proto__", "toString"]) {
    assert.deepEqual(await parseCommandLine([word]), run([word]));
    assert.match(await problem(`--${word}`), /^Unknown option "--/);
    assert.match(await problem(`--${word}=x`), /^Unknown option "--/);
  }
});

Deno.test("parseCommandLine() says in one line what is wrong and what would work", async () => {
  const table: [string[], string][] = [
    [["--modle", "x"], 'Unknown option "--modle"; did you mean --model'],
    [
      ["--output", "json"],
      'Unknown option "--output"; did you mean --output-format',
    ],
    [
      ["sessions", "--output-format", "json"],
      "Option --output-format does not go with this command",
    ],
    [["--hlep"], 'Unknown option "--hlep"; did you mean --help'],
    [
      ["--bogus"],
      'Unknown option "--bogus"; tau --help lists them, and a prompt that begins with a dash goes behind --',
    ],
    [
      ["-x"],
      'Unknown option "-x"; tau --help lists them, and a prompt that begins with a dash goes behind --',
    ],
    [
      ["-p5"],
      'Unknown option "-p5"; tau --help lists them, and a prompt that begins with a dash goes behind --',
    ],
    [
      ["--output-format", "xml"],
      'Wrong value "xml" for --output-format: expected one of text, json, stream-json',
    ],
    [
      ["--max-turns", "0"],
      'Wrong value "0" for --max-turns: expected a whole number from 1 to 1000000',
    ],
    [
      ["--timeout", "soon"],
      'Wrong value "soon" for --timeout: expected seconds, or a number and a unit, such as 300, 90s, 5m, 1h',
    ],
    [
      ["-t", "read,,bash"],
      'Wrong value "read,,bash" for --tools: expected names between commas, such as read,grep,find,ls',
    ],
    [
      ["--model", "a b"],
      'Wrong value "a b" for --model: expected provider/id, such as anthropic/claude-sonnet-4-5',
    ],
    [["--print=maybe"], 'Wrong value "maybe" for --print: it takes no value'],
    [["--model"], "Option --model needs a value, such as --model PROVIDER/ID"],
    [["--model="], "Option --model needs a value, such as --model PROVIDER/ID"],
    [
      ["--model", "--tools", "read"],
      "Option --model needs a value, such as --model PROVIDER/ID",
    ],
    [["--cd", "--", "x"], "Option --cd needs a value, such as --cd DIR"],
    [["-p", "-p"], "Option --print is given more than once"],
    [
      ["demo", "me"],
      '"me" is one word too many for this command; a prompt that begins with its name goes behind --',
    ],
    [
      ["demo", "--", "me"],
      '"me" is one word too many for this command; a prompt that begins with its name goes behind --',
    ],
  ];
  for (const [args, message] of table) {
    assert.deepEqual(
      await parseCommandLine(args),
      { kind: "invalid", message },
      args.join(" "),
    );
  }
});

Deno.test("parseCommandLine() keeps a message short and on one line", async () => {
  for (const arg of [`--${"x".repeat(10_000)}`, "--bogus=a\nb", "--cd=a\nb"]) {
    const message = await problem(arg);
    assert.ok(!message.includes("\n") && message.length < 300, message);
  }
});

Deno.test("requestedFormat() finds the format of a line that is wrong elsewhere", () => {
  assert.equal(requestedFormat(["--bogus", "--output-format", "json"]), "json");
  assert.equal(requestedFormat(["--output-format=stream-json"]), "stream-json");
  assert.equal(requestedFormat(["--output-format", "xml"]), "text");
  assert.equal(requestedFormat(["--output-format"]), "text");
  assert.equal(requestedFormat(["--", "--output-format", "json"]), "text");
  assert.equal(requestedFormat([]), "text");
});

async function problem(...args: string[]): Promise<string> {
  const invocation = await parse(args);
  assert.equal(invocation.kind, "invalid", args.join(" "));
  return invocation.kind === "invalid" ? invocation.message : "";
}
