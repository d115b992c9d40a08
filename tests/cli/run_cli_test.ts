import assert from "node:assert/strict";
import { parseCommandLine } from "../../src/cli/command_line.ts";
import { HELP } from "../../src/cli/help_text.ts";
import { type Program, runCli } from "../../src/cli/run_cli.ts";
import { StoppedError } from "../../src/cli/stoppable_source.ts";
import { VERSION } from "../../src/cli/version.ts";
import { EXIT_CODES } from "../../src/protocol/exit_codes.ts";
import config from "../../deno.json" with { type: "json" };
import { FakeSink, FakeSource } from "./fake_streams.ts";

async function tau(
  args: string[],
  { stdin = new FakeSource([]), terminal = false, error }: {
    stdin?: FakeSource;
    terminal?: boolean;
    error?: Error;
  } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new FakeSink(terminal);
  const stderr = new FakeSink(terminal);
  stdout.error = error;
  const program: Program = {
    args,
    env: {},
    stdin,
    stdout,
    stderr,
    kernel: { entry: new URL("file:///kernel.ts") },
  };
  const code = await runCli(program);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

Deno.test("runCli() prints the version, which is that of deno.json", async () => {
  assert.equal(VERSION, config.version);
  assert.deepEqual(await tau(["--version"]), {
    code: 0,
    stdout:
      `tau ${VERSION} (source, deno ${Deno.version.deno}, ${Deno.build.target})\n`,
    stderr: "",
  });
});

Deno.test("runCli() prints help that names every option and exit code", async () => {
  const { code, stdout } = await tau(["--help"]);
  assert.equal(code, 0);
  assert.equal(stdout, HELP);
  for (const number of Object.values(EXIT_CODES)) {
    assert.match(HELP, new RegExp(`\\b${number}\\b`));
  }
  const { flags } = await parseCommandLine([]) as { flags: object };
  for (const name of [...Object.keys(flags), "help", "version", "keep"]) {
    assert.ok(HELP.includes(`--${name}`), name);
  }
  assert.ok(HELP.split("\n").every((line) => line.length <= 80));
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
