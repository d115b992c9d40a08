import assert from "node:assert/strict";
import { atOnce } from "./support/at_once.ts";
import { childEnvironment, TRACE } from "./support/host_run.ts";
import { killAll, leftAfter } from "./support/processes.ts";
import { putFiles } from "./support/put_files.ts";
import { inTempFolder } from "./support/temp_folder.ts";

const ROOT = new URL("../", import.meta.url);
const RUNNER = new URL("./run_tests.ts", import.meta.url).pathname;
const NEEDS = new URL("./support/needs.ts", import.meta.url).href;

const PASSES = `Deno.test("passes", () => {});`;
const SKIPS = `import { needing } from "${NEEDS}";
const test = needing("linux", { missing: "there is no <moon> & no \\"sun\\"" });
for (const n of [1, 2]) test(\`row \${n}\`, () => {});
needing({ missing: undefined })("has what it needs", () => {});
needing({ missing: "it rains" })("stays at home", () => {});`;
const FAILS = `Deno.test("fails", () => { throw new Error("no"); });`;

interface Ran {
  code: number;
  lines: string[];
}

/** Runs the runner on test files. */
async function run(
  files: Record<string, string>,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } =
    {},
): Promise<Ran> {
  let ran: Ran | undefined;
  await inTempFolder(async (folder) => {
    await putFiles(folder, files);
    const { code, stdout } = await runner(folder, { args, env }).output();
    const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
    ran = { code, lines };
  });
  return ran as Ran;
}

function runner(
  folder: string,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> } =
    {},
): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-prompt", "--no-check", RUNNER],
      ...["test", "--no-check", folder, ...args],
    ],
    cwd: ROOT,
    clearEnv: true,
    env: { ...childEnvironment(), ...env },
    stdin: "null",
    stderr: "null",
  });
}

/** Its last lines, without those above that `deno test` printed. */
function end({ lines }: Ran, count: number): string[] {
  return lines.slice(-count);
}

Deno.test("run_tests.ts shows the output, lists skipped tests under their reasons and ends with the counts", async () => {
  const ran = await run({ "a_test.ts": PASSES, "b/skips_test.ts": SKIPS });
  assert.equal(ran.code, 0);
  assert(ran.lines.some((line) => /passes .*ok/.test(line)));
  assert.deepEqual(end(ran, 6), [
    'Skipped (2): there is no <moon> & no "sun"',
    "  row 1",
    "  row 2",
    "Skipped (1): it rains",
    "  stays at home",
    "2 passed, 0 failed, 3 skipped",
  ]);
});

Deno.test("run_tests.ts fails on skipped tests where CI is set, unless TAU_TEST_BARE is, too", async () => {
  const CASES: [env: Record<string, string>, code: number][] = [
    [{ CI: "true" }, 1],
    [{ CI: "1", TAU_TEST_BARE: "0" }, 1],
    [{ CI: "true", TAU_TEST_BARE: "1" }, 0],
    [{ CI: "" }, 0],
  ];
  await atOnce(CASES, async ([env, code]) => {
    const ran = await run({ "skips_test.ts": SKIPS }, { env });
    assert.equal(ran.code, code, JSON.stringify(env));
    const [reason = "", counts] = end(ran, 2);
    assert.equal(counts, "1 passed, 0 failed, 3 skipped");
    assert.equal(reason.startsWith("Skipped tests fail where CI"), code === 1);
  });
});

Deno.test("run_tests.ts takes every test that counts for nothing as a failure", async () => {
  const CASES: [
    files: Record<string, string>,
    args: string[],
    last: [problem: RegExp, counts: string],
  ][] = [
    [
      { "a_test.ts": PASSES + FAILS, "b_test.ts": "throw new Error('no')" },
      [],
      [/^$/, "1 passed, 2 failed, 0 skipped"],
    ],
    [
      { "a_test.ts": `${PASSES} Deno.test.only("alone", () => {});` },
      [],
      [/ended with 1, though no test failed/, "1 passed, 1 failed, 0 skipped"],
    ],
    [
      { "a_test.ts": PASSES },
      ["--filter", "nothing of that name"],
      [/^No test has passed/, "0 passed, 0 failed, 0 skipped"],
    ],
    [
      {
        "a_test.ts": `import { needing } from "${NEEDS}";
needing({ missing: "it rains" })("stays at home", () => {});`,
      },
      [],
      [/^No test has passed/, "0 passed, 0 failed, 1 skipped"],
    ],
    [
      { "a_test.ts": PASSES },
      ["--no-such-option"],
      [/ended with 1 and counted no tests/, "0 passed, 1 failed, 0 skipped"],
    ],
    [
      {
        "a_test.ts":
          `${PASSES} Deno.test("dies", () => Deno.kill(Deno.pid, "SIGKILL"));`,
      },
      [],
      [/by SIGKILL and counted no tests/, "0 passed, 1 failed, 0 skipped"],
    ],
  ];
  await atOnce(CASES, async ([files, args, [problem, counts]]) => {
    const ran = await run(files, { args });
    assert.deepEqual([end(ran, 1), ran.code], [[counts], 1]);
    assert.match(end(ran, 2)[0] ?? "", problem);
  });
});

Deno.test("run_tests.ts lets nothing but a reason excuse that no test has passed", async () => {
  const env = { TAU_TEST_BARE: "1" };
  const skipped = `import { needing } from "${NEEDS}";
needing({ missing: "it rains" })("stays at home", () => {});`;
  assert.equal((await run({ "a_test.ts": skipped }, { env })).code, 0);
  const none = ["--filter", "nothing of that name"];
  const ran = await run({ "a_test.ts": PASSES }, { env, args: none });
  assert.equal(ran.code, 1);
});

Deno.test("run_tests.ts ends by a signal with its code, and leaves no test running", async () => {
  await atOnce([["SIGINT", 130], ["SIGTERM", 143]] as const, async (stop) => {
    const [signal, expected] = stop;
    await inTempFolder(async (folder) => {
      await putFiles(folder, {
        "a_test.ts": `Deno.test("waits", async () => {
          Deno.writeTextFileSync("${folder}/waits", "");
          await new Promise((done) => setTimeout(done, 60_000));
        });`,
      });
      const trace = { name: TRACE, value: crypto.randomUUID() };
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "-A", "--no-prompt", "--no-check", RUNNER],
          ...["test", "--no-check", folder],
        ],
        cwd: ROOT,
        clearEnv: true,
        env: { ...childEnvironment(), [TRACE]: trace.value },
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const timer = setTimeout(() => killAll([child.pid]), 20_000);
      const output = child.output();
      while (!exists(`${folder}/waits`)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      child.kill(signal);
      const { code, stdout } = await output;
      clearTimeout(timer);
      const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
      assert.deepEqual(lines.slice(-2), [
        `Stopped by ${signal}.`,
        "0 passed, 1 failed, 0 skipped",
      ]);
      assert.equal(code, expected);
      const left = await leftAfter(2000, trace);
      killAll(left);
      assert.deepEqual(left, []);
    });
  });
});

Deno.test("run_tests.ts knows its suites", async () => {
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", "--no-check", RUNNER, "tests"],
  }).output();
  assert.equal(code, 2);
  assert.match(
    new TextDecoder().decode(stdout),
    /^Unknown suite "tests"; known are test, slow, adding, docs, model, artifact\n$/,
  );
});

Deno.test("needing() alone decides that a test is not run", async () => {
  const found: string[] = [];
  for await (const path of testFiles(new URL("./", import.meta.url))) {
    const text = await Deno.readTextFile(path);
    if (
      /\bDeno\.test\.(?:ignore|only)\b|^\s*(?:ignore|only)\b\s*[:,]/m.test(text)
    ) {
      found.push(path.pathname.slice(ROOT.pathname.length));
    }
  }
  assert.deepEqual(found.sort(), [
    // They hold texts of test files.
    "tests/run_tests_test.ts",
    "tests/support/needs.ts",
  ]);
});

async function* testFiles(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* testFiles(new URL(`${name}/`, folder));
    else if (name.endsWith(".ts")) yield new URL(name, folder);
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
