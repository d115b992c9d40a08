import assert from "node:assert/strict";
import { commandHelp, programHelp } from "../../src/cli/help_command.ts";
import { type Command, COMMANDS } from "../../src/cli/options/command_table.ts";
import { StoppedError } from "../../src/cli/stop_signals.ts";
import { VERSION } from "../../src/cli/version.ts";
import { EXIT_CODES } from "../../src/protocol/exit_codes.ts";
import config from "../../deno.json" with { type: "json" };
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { FakeSource, runHere as tau } from "./fake_streams.ts";

Deno.test("runCli() prints the version, which is that of deno.json", async () => {
  assert.equal(VERSION, config.version);
  assert.deepEqual(await tau(["--version"]), {
    code: 0,
    stdout:
      `tau ${VERSION} (source, deno ${Deno.version.deno}, ${Deno.build.target})\n`,
    stderr: "",
  });
});

Deno.test("runCli() prints help of 80 columns that names every command, option and exit code", async () => {
  const all = programHelp();
  for (const args of [["--help"], ["help"], ["-p", "x", "-h"]]) {
    assert.deepEqual(await tau(args), { code: 0, stdout: all, stderr: "" });
  }
  for (const number of Object.values(EXIT_CODES)) {
    assert.match(all, new RegExp(`\\b${number}\\b`));
  }
  const { "": run, ...named } = COMMANDS;
  for (const name of Object.keys(run.options)) {
    assert.match(all, new RegExp(` --${name}\\b`));
  }
  for (const [name, row] of Object.entries<Command>(named)) {
    assert.match(all, new RegExp(`^  tau ${name}\\b`, "m"));
    const help = commandHelp(name);
    for (const args of [["help", name], [name, "--help"]]) {
      assert.equal((await tau(args)).stdout, help);
    }
    const words = [
      ...Object.keys(row.options).map((option) => ` --${option}`),
      ...Object.keys(row.actions ?? {}).map((action) => ` ${action}`),
      ...row.examples.map((example) => `\n  tau ${example}\n`),
    ];
    assert.deepEqual(words.filter((word) => !help.includes(word)), [], name);
  }
  const texts = [all, ...Object.keys(named).map(commandHelp)];
  const wide = texts.flatMap((text) => text.split("\n"))
    .filter((line) => line.length > 80);
  assert.deepEqual(wide, []);
});

Deno.test("runCli() prints for tau plugins --help what it does, its options and examples", async () => {
  assert.equal(
    (await tau(["plugins", "--help"])).stdout,
    `tau plugins: list, check and create plugins

Usage
  tau plugins [list] [--json] [--timeout TIME]
                                 load the plugins that a run here would load,
                                 and list each with its result
  tau plugins check FILE [--json] [--timeout TIME]
                                 load one plugin and check its types
  tau plugins new NAME [--project] [--dir]
                                 write a plugin to start from, into
                                 TAU_HOME/plugins
  tau plugins types              print the TypeScript declarations of the plugin
                                 API

Options
      --json                     print JSON
      --timeout TIME             the time that each import and each function may
                                 take
      --project                  write it into .tau/plugins of the current
                                 folder
      --dir                      write a folder with a mod.ts
  -h, --help                     show this help
  -v, --version                  show the version

Examples
  tau plugins new hello
  tau plugins check hello.ts
`,
  );
});

Deno.test("runCli() takes one word like a command for a mistake, unless it stands behind -- or in a session", async () => {
  const refused: [string[], string][] = [
    [["doctr"], 'Unknown command "doctr"; did you mean: tau doctor.'],
    [["Plugin"], 'Unknown command "Plugin"; did you mean: tau plugins.'],
    [["verison"], 'Unknown command "verison"; did you mean: tau version.'],
    [["-p", "modles"], 'Unknown command "modles"; did you mean: tau models.'],
    [["login"], 'tau has no command "login": set a key'],
    [["config"], 'tau has no command "config": settings are a file'],
    [
      ["help", "doctro"],
      'Unknown command "doctro"; did you mean: tau help doctor',
    ],
    [["help", "xyz"], 'Unknown command "xyz"; tau help lists them'],
  ];
  for (const [args, message] of refused) {
    const { code, stderr } = await tau(args);
    assert.equal(code, 2, args.join(" "));
    assert.ok(stderr.startsWith(`tau: ${message}`), stderr);
    const [word = ""] = args.slice(-1);
    if (args[0] === "help") continue;
    assert.ok(stderr.endsWith(` To send it as a prompt: tau -- ${word}\n`));
  }
  const json = await tau(["--output-format", "json", "doctr"]);
  assert.deepEqual([json.code, JSON.parse(json.stdout).status], [
    2,
    "usage_error",
  ]);
  // They are prompts: there is only no key for them.
  const prompts = [
    ["--", "doctr"],
    ["-p", "doctor"],
    ["hello"],
    ["memory"],
    // Three edits away.
    ["prmissin"],
    ["doctr", "please"],
    ["-c", "continue"],
  ];
  for (const args of prompts) {
    const { code, stderr } = await tau(args);
    assert.doesNotMatch(stderr, /command/, args.join(" "));
    assert.notEqual(code, 0);
  }
});

Deno.test("runCli() takes a name near that of a template for a mistake, unless it stands behind --", async () => {
  await inTempFolder(async (TAU_HOME) => {
    await putFiles(TAU_HOME, { "prompts/review.md": "Review $@." });
    const run = (...args: string[]) => tau(args, { env: { TAU_HOME } });
    const { code, stderr } = await run("-p", "/revew", "a.ts");
    assert.equal(code, 2);
    assert.equal(
      stderr,
      'tau: Unknown prompt command "/revew"; did you mean: /review. To send it as a prompt: tau -- /revew\n',
    );
    // They are prompts: there is only no key for them.
    for (const args of [["--", "/revew"], ["-p", "/review"], ["-p", "/no"]]) {
      assert.equal((await run(...args)).code, EXIT_CODES.auth_failed);
    }
  });
});

Deno.test("runCli() says where the licences are when it runs from source, which has none put together", async () => {
  const { code, stdout, stderr } = await tau(["licenses"]);
  assert.equal(code, 2);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /^tau: .*"deno task build --bundle" writes them to dist\/app\/THIRD_PARTY_NOTICES\n$/,
  );
});

Deno.test("runCli() ends quietly when nobody reads the help", async () => {
  const error = new Deno.errors.BrokenPipe("Broken pipe (os error 32)");
  assert.deepEqual(await tau(["--help"], { error }), {
    code: 141,
    stdout: "",
    stderr: "",
  });
});

Deno.test("runCli() fails when the version cannot be written", async () => {
  const error = new Error("No space left on device (os error 28)");
  const { code, stderr } = await tau(["--version"], { error });
  assert.equal(code, 1);
  assert.match(stderr, /^tau: Cannot write to stdout: No space left/);
});

Deno.test("runCli() answers a wrong line with exit code 2, one line on stderr, and a record where JSON is read", async () => {
  const wrong: string[][] = [
    ["--modle", "x"],
    ["-p", "-t", ","],
    ["-p"],
    ["-p", "-C", "/does/not/exist", "x"],
    ["-p", "--replay", "/does/not/exist", "x"],
    ["-p", "--model", "nobody/x", "x"],
  ];
  for (const args of wrong) {
    const text = await tau(args);
    assert.equal(text.code, 2, args.join(" "));
    assert.equal(text.stdout, "");
    assert.match(text.stderr, /^tau: [^\n]+\n$/);
    for (const format of ["json", "stream-json"]) {
      const { code, stdout, stderr } = await tau([
        "--output-format",
        format,
        ...args,
      ]);
      assert.equal(code, 2, args.join(" "));
      assert.equal(stderr, text.stderr);
      const record = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
      assert.equal(record.type, "result");
      assert.equal(record.status, "usage_error");
      assert.equal(record.exitCode, 2);
      assert.equal(`tau: ${record.error.message}\n`, stderr);
    }
  }
});

Deno.test("runCli() begins no conversation where keys cannot be read", async () => {
  const stdin = new FakeSource(["typed"], true);
  for (const args of [[], ["hello"]]) {
    const { code, stdout, stderr } = await tau(args, { stdin, terminal: true });
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.equal(stderr, "tau: stdin sends no keys; use -p\n");
  }
  assert.equal(stdin.reads, 0);
});

Deno.test("runCli() reads stdin as the prompt when it is not a terminal", async () => {
  const stdin = new FakeSource(["hello"]);
  const { code, stderr } = await tau([], { stdin });
  assert.equal(code, EXIT_CODES.auth_failed);
  assert.match(stderr, /^tau: No model and no API key/);
  assert.ok(stdin.reads > 0);
});

Deno.test("runCli() leaves a record of a signal that comes while it waits for the prompt", async () => {
  const stopped = new StoppedError("terminated");
  const stdin = new FakeSource([]);
  stdin.read = () => Promise.reject(stopped);
  const { code, stdout } = await tau(["--output-format", "json"], { stdin });
  assert.equal(code, 143);
  const record = JSON.parse(stdout);
  assert.deepEqual([record.status, record.exitCode], ["terminated", 143]);
});
