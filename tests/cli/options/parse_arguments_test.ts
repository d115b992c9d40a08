import assert from "node:assert/strict";
import {
  type Command,
  COMMANDS,
} from "../../../src/cli/options/command_table.ts";
import {
  COMMON_OPTIONS,
  type Option,
  RUN_OPTIONS,
} from "../../../src/cli/options/option_table.ts";
import {
  ArgumentError,
  parseArguments,
  requestedFormat,
} from "../../../src/cli/options/parse_arguments.ts";

/** A line that asks for a run: these words, options, and words behind `--`. */
function run(words: string[], given = {}, literal: string[] = []): unknown {
  return { command: "", given, words, literal };
}

function command(name: string, words: string[] = [], given = {}): unknown {
  return { command: name, given, words, literal: [] };
}

async function messageFor(args: string[]): Promise<string> {
  try {
    await parseArguments(args);
  } catch (error) {
    if (error instanceof ArgumentError) return error.message;
    throw error;
  }
  return "";
}

const PRINT = { print: true };
const ID = "0f0e0d0c-0000-4000-8000-000000000000";
const BASH_RULE = {
  effect: "allow",
  text: "bash(npm test*)",
  tool: "bash",
  pattern: "npm test*",
  source: "the command line",
};
const LOCK_RULE = {
  effect: "deny",
  text: "write(*.lock)",
  tool: "write",
  pattern: "*.lock",
  source: "the command line",
};

/** A line, as a shell would split it, and what it asks for. */
type Row<Outcome> = [line: string | string[], outcome: Outcome];

const UNDERSTOOD: Row<unknown>[] = [
  ["", run([])],
  ["fix the bug", run(["fix", "the", "bug"])],
  ["-p x", run(["x"], PRINT)],
  ["x --print", run(["x"], PRINT)],
  [[""], run([""])],
  ["review - now", run(["review", "-", "now"])],
  ["'@a b.txt' x @", run(["@a b.txt", "x", "@"])],
  // A command is the first word, before --.
  ["-p demo", run(["demo"], PRINT)],
  ["explain demo", run(["explain", "demo"])],
  ["-- demo", run([], {}, ["demo"])],
  ["-p a -- --cd - -- -h", run(["a"], PRINT, ["--cd", "-", "--", "-h"])],
  // A sentence that begins with a dash is a prompt.
  ["'-x is what?'", run(["-x is what?"])],
  ["'--help me, please'", run(["--help me, please"])],
  [["- item\n- item"], run(["- item\n- item"])],
  // Names that every object has are words.
  ["constructor", run(["constructor"])],
  ["__proto__", run(["__proto__"])],
  ["toString", run(["toString"])],

  ["--output-format json", run([], { "output-format": "json" })],
  ["--output-format=stream-json", run([], { "output-format": "stream-json" })],
  ["-o out.txt", run([], { "output-last-message": "out.txt" })],
  ["-C .. x", run(["x"], { cd: ".." })],
  [["--cd=a b"], run([], { cd: "a b" })],
  ["--check 'a -- -x'", run([], { check: "a -- -x" })],
  ["--check a --check-retries 0", run([], { check: "a", "check-retries": 0 })],
  ["--output-schema s.json", run([], { "output-schema": "s.json" })],
  ["--model a/b-4.5:high", run([], { model: "a/b-4.5:high" })],
  ["--max-retries 0", run([], { "max-retries": 0 })],
  ["-t 'read, grep,read'", run([], { tools: ["read", "grep"] })],
  ["--tools=bash", run([], { tools: ["bash"] })],
  ["--exclude-tools bash", run([], { "exclude-tools": ["bash"] })],
  ["--plugin a.ts --plugin=b", run([], { plugin: ["a.ts", "b"] })],
  ["--no-plugins", run([], { "no-plugins": true })],
  ["--plugin-flag a", run([], { "plugin-flag": [{ name: "a", value: true }] })],
  [
    "--plugin-flag=b:c=d=e",
    run([], { "plugin-flag": [{ name: "b:c", value: "d=e" }] }),
  ],
  ["--system-prompt ''", run([], { "system-prompt": "" })],
  ["--append-system-prompt=x", run([], { "append-system-prompt": "x" })],
  ["--no-context-files", run([], { "no-context-files": true })],
  ["--trust x", run(["x"], { trust: true })],
  ["--no-trust", run([], { "no-trust": true })],
  ["--profile strict", run([], { profile: "strict" })],
  ["--add-dir a --add-dir b", run([], { "add-dir": ["a", "b"] })],
  ["--allow-read=c", run([], { "allow-read": ["c"] })],
  ["--allow-write d", run([], { "allow-write": ["d"] })],
  // A bare one takes no word of the prompt for its value.
  ["--allow-net go", run(["go"], { "allow-net": "all" })],
  ["--allow-net=*", run([], { "allow-net": "all" })],
  [
    "'--allow-net=A.com, *.b.org:8080'",
    run([], { "allow-net": ["a.com", "*.b.org:8080"] }),
  ],
  [
    "--allow-net=[::1]:80,db_1:5432,a.com.",
    run([], { "allow-net": ["[::1]:80", "db_1:5432", "a.com."] }),
  ],
  ["--pass-env A,B --pass-env C", run([], { "pass-env": ["A", "B", "C"] })],
  ["--sandbox require", run([], { sandbox: "require" })],
  ["--allow-tool 'bash(npm test*)'", run([], { "allow-tool": [BASH_RULE] })],
  ["--deny-tool=write(*.lock)", run([], { "deny-tool": [LOCK_RULE] })],
  ["--fail-on-denied", run([], { "fail-on-denied": true })],
  ["--max-turns 3", run([], { "max-turns": 3 })],
  ["--max-tool-calls 0", run([], { "max-tool-calls": 0 })],
  ["--max-repeats 0", run([], { "max-repeats": 0 })],
  ["--max-budget-usd 2.50", run([], { "max-budget-usd": 2.5 })],
  ["--on-limit summarize", run([], { "on-limit": "summarize" })],
  ...Object.entries({
    "300": 300_000,
    "90s": 90_000,
    "1.5m": 90_000,
    "2h": 7_200_000,
    "250ms": 250,
    "0.5": 500,
    "500h": 1_800_000_000,
  }).map(([time, timeout]): Row<unknown> => [
    `--timeout ${time}`,
    run([], { timeout }),
  ]),
  ["-c --fork", run([], { continue: true, fork: true })],
  ["-r 0F0e", run([], { resume: "0F0e" })],
  [`--resume ${ID}`, run([], { resume: ID })],
  ["--session 'a b'", run([], { session: "a b" })],
  ["--no-session --record r", run([], { "no-session": true, record: "r" })],
  ["--replay r --replay-tools", run([], { replay: "r", "replay-tools": true })],
  ["--no-session --replay r", run([], { "no-session": true, replay: "r" })],

  ["-h", command("help")],
  ["-p x --help", command("help")],
  ["demo -h", command("help", ["demo"])],
  ["sessions of mine -h", command("help", ["sessions"])],
  ["help", command("help")],
  ["help rpc", command("help", ["rpc"])],
  ["-v", command("version")],
  ["demo --version", command("version")],
  ["version", command("version")],
  ["demo --keep", command("demo", [], { keep: true })],
  ["trust --remove", command("trust", [], { remove: true })],
  ["schema", command("schema", ["line"])],
  ["schema result", command("schema", ["result"])],
  ["schema -- result", command("schema", ["result"])],
  ["completions zsh", command("completions", ["zsh"])],
  ["sessions", command("sessions", ["list"])],
  ["sessions --json", command("sessions", ["list"], { json: true })],
  ["sessions show abcd", command("sessions", ["show", "abcd"])],
  ["sessions rm ab cd", command("sessions", ["rm", "ab", "cd"])],
  ["models gpt mini", command("models", ["gpt", "mini"])],
  ["plugins --timeout 5s", command("plugins", ["list"], { timeout: 5000 })],
  [
    "plugins check a --json",
    command("plugins", ["check", "a"], { json: true }),
  ],
  [
    "plugins new x --project --dir",
    command("plugins", ["new", "x"], { project: true, dir: true }),
  ],
  [
    "permissions --profile strict --json -C x",
    command("permissions", [], { profile: "strict", json: true, cd: "x" }),
  ],
  ["proxy --port 0 --host=::1", command("proxy", [], { port: 0, host: "::1" })],
  ["rpc -c", command("rpc", [], { continue: true })],
];

function split(line: string | string[]): string[] {
  if (typeof line !== "string") return line;
  return Array.from(
    line.matchAll(/'([^']*)'|\S+/g),
    ([word, quoted]) => quoted ?? word,
  );
}

Deno.test("parseArguments() understands prompts, options and commands", async () => {
  for (const [line, expected] of UNDERSTOOD) {
    assert.deepEqual(await parseArguments(split(line)), expected, `${line}`);
  }
});

const OUTSIDE =
  "tau --help lists them. To send a prompt that begins with a dash, write: tau -- -…";
const COUNT = "expected a whole number from";
const NAMES = "expected names between commas, such as";
const TIME =
  "expected seconds, or a number and a unit, such as 300, 90s, 5m, 1h";

/** Wrong values, by the option and by what is expected of it. */
const WRONG: [option: string, expected: string, ...values: string[]][] = [
  ["print", "it takes no value", "maybe"],
  ["output-format", "expected one of text, json, stream-json", "xml"],
  ["on-limit", "expected one of stop, summarize", "panic"],
  ["sandbox", "expected one of auto, require, off", "on"],
  ["profile", "expected one of read-only, strict, workspace, full", "all"],
  ["check", 'expected a command, such as "npm test"', " "],
  ["check-retries", `${COUNT} 0 to 100`, "101"],
  [
    "model",
    "expected provider/id, such as anthropic/claude-sonnet-4-5",
    "a b",
  ],
  ["tools", `${NAMES} read,grep,find,ls`, "read,,bash"],
  ["exclude-tools", `${NAMES} read,grep,find,ls`, ","],
  ["pass-env", `${NAMES} FOO,BAR`, "A-B"],
  ["plugin-flag", "expected NAME or NAME=VALUE", "=x"],
  ["max-turns", `${COUNT} 1 to 1000000`, "0", "1e3"],
  ["max-tool-calls", `${COUNT} 0 to 1000000`, "1.5"],
  ["max-retries", `${COUNT} 0 to 100`, "101"],
  ["max-budget-usd", "expected US dollars, such as 2.50", "0", "1e9"],
  ["timeout", TIME, "soon", "0", "0.0s", "5x", "5 m", "1e3", "NaN", "501h"],
  ["timeout", TIME, "1m30s", "٣", "-1", "9".repeat(99)],
  [
    "allow-net",
    "expected hosts between commas, such as example.com",
    ...["a b", "http://a.com", "a.com,", "::1", "a.com:0", "a.com:65536"],
  ],
  [
    "deny-tool",
    'names of tools are written small, such as "write(src)"',
    "Write(src)",
  ],
  [
    "allow-tool",
    'expected tool or tool(pattern), such as "bash(git status*)" or "write(**/*.lock)"',
    "(x)",
  ],
  [
    "resume",
    "expected the id of a session, or its first characters; tau sessions list shows them",
    "xyz",
  ],
  [
    "proxy --port",
    "expected a number from 0 to 65535; 0 takes a free one",
    ...["65536", "1e3"],
  ],
  ["proxy --host", "expected an address, such as 127.0.0.1", "a b"],
];

/** Actions of a command, and words behind it that are none of them. */
const NO_ACTION: [name: string, actions: string, ...words: string[]][] = [
  ["completions", "bash, zsh, fish", "", " constructor"],
  [
    "schema",
    "line, header, event, result, rpc, settings",
    ...[" events", " line more"],
  ],
  [
    "sessions",
    "list [--json], show ID, export ID, rm ID…",
    ...[" list abcd", " show", " show abcd ef01", " rm", " of mine"],
  ],
  [
    "plugins",
    "list [--json] [--timeout], check FILE [--json] [--timeout], new NAME [--project] [--dir], types",
    ...[" list a", " check", " check a b", " new", " new a b", " types a"],
    ...[" constructor", " write me one"],
  ],
];

const REFUSED: Row<string>[] = [
  ["--modle x", 'Unknown option "--modle"; did you mean --model'],
  ["--hlep", 'Unknown option "--hlep"; did you mean --help'],
  ["--output x", 'Unknown option "--output"; did you mean --output-format'],
  [
    "--output-schem x",
    'Unknown option "--output-schem"; did you mean --output-schema',
  ],
  ...["--bogus", "--constructor", "--__proto__=x", "-x", "-p5"].map(
    (line): Row<string> => [line, `Unknown option "${line}"; ${OUTSIDE}`],
  ),
  ...["sessions --output-format", "rpc --record", "demo --model"].map(
    (line): Row<string> => [
      `${line} x`,
      `Option ${line.split(" ")[1]} does not go with this command`,
    ],
  ),
  ["-p -p", "Option --print is given more than once"],
  ...["--model", "--model=", "--model --tools read"].map((
    line,
  ): Row<string> => [
    line,
    "Option --model needs a value, such as --model PROVIDER/ID",
  ]),
  ["--cd -- x", "Option --cd needs a value, such as --cd DIR"],
  ["--check", 'Option --check needs a value, such as --check "npm test"'],
  [
    "--max-repeats",
    "Option --max-repeats needs a value, such as --max-repeats 8",
  ],
  [
    "--allow-net= go",
    "Option --allow-net needs a value, such as --allow-net=example.com",
  ],
  ...WRONG.flatMap(([option, expected, ...values]) =>
    values.map((value): Row<string> => {
      const name = option.replace("proxy --", "");
      const command = name === option ? [] : ["proxy"];
      return [
        [...command, `--${name}=${value}`],
        `Wrong value ${JSON.stringify(value)} for --${name}: ${expected}`,
      ];
    })
  ),

  ...[
    ["-c -r abcd", "continue", "resume"],
    ["-r abcd --session f", "resume", "session"],
    ["--session f --no-session", "session", "no-session"],
    ["-c --replay r", "continue", "replay"],
    ["--session f --record r", "session", "record"],
    ["--record r --replay s", "record", "replay"],
    ["permissions --trust --no-trust", "trust", "no-trust"],
  ].map(([line = "", one, other]): Row<string> => [
    line,
    `Options --${one} and --${other} do not go together`,
  ]),
  [
    "--fork --no-session",
    "Option --fork copies a session: say which with --continue, --resume or --session",
  ],
  [
    "--check-retries 1",
    'Option --check-retries needs a check, such as --check "npm test"',
  ],
  [
    "--record r --replay-tools",
    "Option --replay-tools needs a recording: name it with --replay FILE",
  ],

  ...([
    ["demo me", "me", "demo me"],
    ["demo -- me", "me", "demo me"],
    ["doctor who?", "who?", "doctor …"],
    ["help me now", "now", "help me now"],
  ] as const).map(([line, word, prompt]): Row<string> => [
    line,
    `Unexpected argument "${word}"; to send a prompt that begins with "${
      prompt.split(" ")[0]
    }", write: tau -- ${prompt}`,
  ]),
  ...NO_ACTION.flatMap(([name, actions, ...words]) =>
    words.map((word): Row<string> => [
      name + word,
      `Expected one of: tau ${name} ${actions}; to send a prompt that begins with "${name}", write: tau -- ${name}${word}`,
    ])
  ),
];

Deno.test("parseArguments() says in one line what is wrong and what would work", async () => {
  for (const [line, message] of REFUSED) {
    assert.equal(await messageFor(split(line)), message, `${line}`);
  }
});

Deno.test("parseArguments() refuses options of other actions of a command", async () => {
  for (
    const line of [
      "sessions rm --json abcd",
      "plugins check a --project",
      "plugins new a --json",
      "plugins new a --timeout 5",
      "plugins types --dir",
    ]
  ) {
    assert.match(await messageFor(line.split(" ")), /^Expected one of: tau /);
  }
});

Deno.test("parseArguments() keeps a message short and on one line", async () => {
  for (const arg of [`--${"x".repeat(10_000)}`, "--bogus=a\nb", "--cd=a\nb"]) {
    const message = await messageFor([arg]);
    assert.ok(message && !message.includes("\n") && message.length < 300);
  }
});

Deno.test("the option table has a right and a wrong use of each option in these tests", () => {
  const used = (rows: Row<unknown>[]) =>
    new Set(
      rows.flatMap(([line]) => split(line).map((arg) => arg.split("=")[0])),
    );
  const [right, wrong] = [used(UNDERSTOOD), used(REFUSED)];
  const missing = Object.entries<Option>(RUN_OPTIONS).flatMap(
    ([name, { short, value }]) => {
      const spelled = [`--${name}`, `-${short}`];
      const isFree = value === undefined || isAnyText(value.parse);
      return [
        ...spelled.some((one) => right.has(one)) ? [] : [`right --${name}`],
        ...isFree || spelled.some((one) => wrong.has(one))
          ? []
          : [`wrong --${name}`],
      ];
    },
  );
  assert.deepEqual(missing, []);
});

/** True for a kind of value that every text fits, or all but a zero byte. */
function isAnyText(parse: (text: string) => unknown): boolean {
  try {
    parse("\n");
    return true;
  } catch {
    return false;
  }
}

Deno.test("the tables have names, letters and examples that the parser takes", async () => {
  for (const [name, row] of Object.entries<Command>(COMMANDS)) {
    assert.match(name, /^[a-z]*$/);
    assert.ok(row.examples.length >= 2, name);
    const options = Object.entries<Option>({
      ...row.options,
      ...COMMON_OPTIONS,
    });
    const letters = options.flatMap(([, { short }]) => short ?? []);
    assert.equal(new Set(letters).size, letters.length, name);
    for (const [option, { excludes = [], needs }] of options) {
      assert.match(option, /^[a-z][a-z-]+$/);
      for (const other of [...excludes, ...needs?.options ?? []]) {
        assert.ok(Object.hasOwn(RUN_OPTIONS, other), `${option}: ${other}`);
      }
    }
    for (const [action, { words }] of Object.entries(row.actions ?? {})) {
      const line = [name, action, ...words === undefined ? [] : ["abcd"]];
      assert.deepEqual(
        await parseArguments(line),
        command(name, line.slice(1)),
      );
    }
    for (const example of row.examples) {
      const args = example.replace(/ [|>] .*/, "").match(/"[^"]*"|\S+/g) ?? [];
      const line = await parseArguments(
        args.map((arg) => arg.replaceAll('"', "")),
      );
      assert.ok([name, "version"].includes(line.command), example);
    }
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
