import assert from "node:assert/strict";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import { asked, recordingOf, said } from "../support/recording.ts";
import { call, say, startProviderDouble } from "../support/provider_double.ts";
import {
  inEachFormat,
  jsonLines,
  lastRecord,
  runTau,
  type TauRun,
  withTau,
} from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const KEY = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };

interface Refusal {
  args: string[];
  env?: Record<string, string>;
  status: RunStatus;
  code: number;
  message: RegExp;
}

const REFUSALS: Record<string, Refusal> = {
  "an unknown option": {
    args: ["--modle", "openai/x", "hi"],
    status: "usage_error",
    code: 2,
    message: /Unknown option "--modle"; did you mean --model/,
  },
  "an unknown tool": {
    args: ["--tools", "read,raed", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Unknown tool "raed"; available are .*read/,
  },
  "an unknown tool to leave out": {
    args: ["--exclude-tools", "bahs", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Unknown tool "bahs"; available are .*bash/,
  },
  "an unknown provider": {
    args: ["--model", "nobody/x", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Unknown provider "nobody" in model "nobody\/x"/,
  },
  "a missing folder": {
    args: ["-C", "/no/such/folder", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Cannot work in "\/no\/such\/folder": no such folder/,
  },
  "a file for a folder": {
    args: ["-C", "/etc/passwd", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Cannot work in "\/etc\/passwd": not a folder/,
  },
  "a path below a file for a folder": {
    args: ["-C", "/etc/passwd/x", "hi"],
    env: KEY,
    status: "usage_error",
    code: 2,
    message: /Cannot work in "\/etc\/passwd\/x": /,
  },
  "a missing recording": {
    args: ["--replay", "no such file.jsonl", "hi"],
    status: "usage_error",
    code: 2,
    message:
      /Cannot read the recording "no such file.jsonl": it does not exist/,
  },
  "a recording that is none": {
    args: ["--replay", "/etc/passwd", "hi"],
    status: "usage_error",
    code: 2,
    message: /Cannot replay "\/etc\/passwd": line 1: not a JSON object/,
  },
  "no key": {
    args: ["hi"],
    status: "auth_failed",
    code: 10,
    message: /No model and no API key[^]*tau demo/,
  },
  "no key for the model": {
    args: ["--model", "anthropic/claude-x", "hi"],
    env: KEY,
    status: "auth_failed",
    code: 10,
    message: /No API key for anthropic: set ANTHROPIC_API_KEY/,
  },
};

for (
  const [what, { args, env, status, code, message }] of Object.entries(REFUSALS)
) {
  Deno.test(`tau refuses ${what}, alike in all output formats`, async () => {
    await inEachFormat(async (format) => {
      const run = await runTau(["-p", "--output-format", format, ...args], {
        ...(env ? { env } : {}),
      });
      assert.equal(run.code, code, run.stderr);
      assert.match(run.stderr, message);
      assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m);
      assert.deepEqual([run.left, run.tempLeft], [[], []]);
      if (format === "text") return assert.equal(run.stdout, "");
      const result = lastRecord(run);
      assert.equal(result.status, status);
      assert.equal(result.exitCode, code);
      assert.match(result.error?.message ?? "", message);
    });
  });
}

Deno.test("tau --max-turns ends without running the last calls and answers each", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("One.", call("bash", { command: "touch one" })),
      say(
        "Two.",
        call("bash", { command: "touch two" }),
        call("bash", { command: "touch three" }),
      ),
    ],
  });
  await inTempFolder(async (cwd) => {
    const run = await runTau(
      ["-p", "--output-format", "stream-json", "--max-turns", "2", "go"],
      { cwd, env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url } },
    );
    assert.equal(run.code, 20, run.stderr);
    assert.match(run.stderr, /--max-turns/);
    const result = lastRecord(run);
    assert.equal(result.status, "turn_limit");
    assert.equal(result.turns, 2);
    assert.equal(result.text, "Two.");
    assert.equal(result.failedToolCalls, 2);
    const names = [...Deno.readDirSync(cwd)].map(({ name }) => name);
    assert.deepEqual(names, ["one"]);
    const results = jsonLines(run).flatMap((event) => {
      if (event.type !== "message_end") return [];
      const { message } = event as unknown as {
        message: { role: string; isError?: boolean; content: unknown };
      };
      return message.role === "toolResult" ? [message] : [];
    });
    assert.deepEqual(results.map(({ isError }) => isError), [
      false,
      true,
      true,
    ]);
    assert.match(
      JSON.stringify(results[2]?.content),
      /Not run: this run has reached its limit of 2 turns/,
    );
  });
  assert.equal(double.requests.length, 2);
});

Deno.test("tau --max-turns is no limit for a run that ends by itself in time", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("done")],
  });
  const run = await runTau(["-p", "--max-turns", "1", "go"], {
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url },
  });
  assert.equal(run.code, 0, run.stderr);
});

Deno.test("tau -C works in another folder, with a name that needs care", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("", call("bash", { command: "pwd; cat 'note.txt'" })),
      say("", call("write", { path: "new.txt", content: "new" })),
      say("done"),
    ],
  });
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/a b's "c", $d;\n-e`;
    await Deno.mkdir(cwd);
    await Deno.writeTextFile(`${cwd}/note.txt`, "alpha");
    const run = await runTau(
      ["-p", "--output-format", "stream-json", "-C", cwd, "go"],
      { env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url } },
    );
    assert.equal(run.code, 0, run.stderr);
    const result = lastRecord(run);
    assert.equal(result.cwd, cwd);
    assert.equal(result.failedToolCalls, 0);
    assert.match(run.stdout, /alpha/);
    assert.equal(await Deno.readTextFile(`${cwd}/new.txt`), "new");
  });
});

Deno.test("tau --replay takes a file with spaces in its path and line ends of Windows", async () => {
  await inTempFolder(async (folder) => {
    const path = `${folder}/my first recording.jsonl`;
    const text = recordingOf({ request: [asked("hi")], content: [said("ho")] });
    await Deno.writeTextFile(path, text.replaceAll("\n", "\r\n"));
    const run = await runTau(["-p", "--replay", path, "hi"]);
    assert.equal(run.stdout, "ho\n", run.stderr);
    assert.equal(run.code, 0);
  });
});

/** Runs the demo with a kernel of tests/support/kernels. */
function runDemo(kernel?: string): Promise<TauRun> {
  return withTau(["demo"], kernel === undefined ? {} : { kernel }, (tau) => {
    return tau.ended();
  });
}

Deno.test("tau demo repairs its project in a pipe, without a key", async () => {
  const run = await runDemo();
  assert.equal(run.code, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /checks passed/);
  assert(!run.stdout.includes("\u001b"));
  const wide = run.stdout.split("\n").filter((line) => line.length > 80);
  assert.deepEqual(wide, [], "broken between words");
  assert.match(run.stdout, /Find the bug in\n {2}version\.sh/);
  assert.deepEqual([run.left, run.tempLeft], [[], []]);
});

Deno.test("tau demo says how to start tau from its source, by npx where it was started so", async () => {
  const { stdout: version } = await runTau(["--version"]);
  const isSource = version.includes("(source, ");
  const runs = ["run-script", "exec"].map((npm_command) =>
    runTau(["demo"], { env: { npm_command } })
  );
  const lastLines = (await Promise.all(runs)).map(({ stdout }) =>
    stdout.trimEnd().split("\n").at(-1)
  );
  const npx = `npx -y deno@${Deno.version.deno}`;
  assert.deepEqual(
    lastLines,
    ["deno", npx].map((deno) =>
      isSource
        ? `Without installing, tau is "${deno} task tau" in this folder.`
        : "  tau --help                            all options"
    ),
  );
});

for (
  const [what, kernel] of [
    ["an edit that changes nothing", "lying_edit"],
    ["an edit that writes wrong bytes", "wrong_edit"],
    ["a command that is not run", "lying_bash"],
  ] as const
) {
  Deno.test(`tau demo fails on ${what}`, async () => {
    const run = await runDemo(kernel);
    assert.equal(run.code, 50, run.stdout);
    assert.match(run.stderr, /Replay miss/);
    assert.deepEqual([run.left, run.tempLeft], [[], []]);
  });
}
