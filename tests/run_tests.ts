// Runs the tests of a suite: shows what `deno test` prints, then lists what was
// skipped and why, and ends with one line of counts. Writes nothing into the
// checkout.
//
//   deno run -A --no-prompt tests/run_tests.ts SUITE [paths and options of `deno test`]
import {
  countsOf,
  skippedIn,
  skippedList,
  type SkippedTest,
  type TestCounts,
} from "./support/test_report.ts";

/** One start of `deno test`. */
interface Batch {
  options?: string[];
  paths: string[];
  env?: Record<string, string>;
}

const ROOT = new URL("../", import.meta.url).pathname;

const SANITIZERS = ["--sanitize-ops", "--sanitize-resources"];

/** The tests of each task; a batch is not started when the one before it has failed. */
const SUITES: Record<string, Batch[]> = {
  test: [{
    options: [
      ...["--parallel", ...SANITIZERS],
      "--ignore=tests/slow,tests/artifact,tests/model_run,tests/docs,tests/adding",
    ],
    paths: ["tests"],
  }],
  slow: [{ options: SANITIZERS, paths: ["tests/slow"] }],
  adding: [{ options: SANITIZERS, paths: ["tests/adding"] }],
  docs: [{ options: SANITIZERS, paths: ["tests/docs"] }],
  model: [{ options: SANITIZERS, paths: ["tests/model_run"] }],
  artifact: [
    { options: SANITIZERS, paths: ["tests/artifact"] },
    {
      options: ["--parallel", ...SANITIZERS],
      paths: ["tests/end_to_end", "tests/plugins"],
      env: { TAU_TEST_PROGRAM: `${ROOT}dist/tau-portable` },
    },
    {
      options: ["--filter", "tau holds each"],
      paths: ["tests/escape/attacks_test.ts"],
      env: { TAU_TEST_PROGRAM: `${ROOT}dist/tau-portable` },
    },
  ],
};

/** What is kept of the output to find the summary in. */
const MAX_TAIL = 16 * 1024;

/** How long a pipe is read after the end of Deno, when something else holds it open. */
const LAST_WORDS_MS = 1000;

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/** What came of the tests. */
interface Outcome {
  counts: TestCounts;
  skipped: SkippedTest[];
  /** Why the tests have failed, beside the tests that failed. */
  problems: string[];
  stoppedBy?: keyof typeof SIGNALS;
}

/** Runs the batches one after the other. */
async function runBatches(
  batches: readonly Batch[],
  args: string[],
): Promise<Outcome> {
  const outcome: Outcome = {
    counts: { passed: 0, failed: 0, skipped: 0 },
    skipped: [],
    problems: [],
  };
  let child: Deno.ChildProcess | undefined;
  for (const signal of Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]) {
    Deno.addSignalListener(signal, () => {
      kill(child, outcome.stoppedBy === undefined ? signal : "SIGKILL");
      outcome.stoppedBy ??= signal;
    });
  }
  for (const [i, batch] of batches.entries()) {
    await runBatch(batch, args, outcome, (started) => child = started);
    const { stoppedBy, problems, counts } = outcome;
    if (stoppedBy !== undefined) problems.push(`Stopped by ${stoppedBy}.`);
    if (problems.length === 0 && counts.failed === 0) continue;
    if (i + 1 < batches.length) problems.push("The rest was not started.");
    break;
  }
  return outcome;
}

async function runBatch(
  { options = [], paths, env = {} }: Batch,
  args: string[],
  { counts, skipped, problems }: Outcome,
  started: (child: Deno.ChildProcess) => void,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tau-tests-" });
  const report = `${folder}/report.xml`;
  try {
    const child = new Deno.Command(Deno.execPath(), {
      args: [
        ...["test", "-A", "--no-prompt", "--quiet", ...options],
        ...[`--junit-path=${report}`, ...args],
        ...(namesFiles(args) ? [] : paths),
      ],
      env,
      stdout: "piped",
    }).spawn();
    started(child);
    const output = show(child.stdout);
    const { code, signal } = await child.status;
    const found = countsOf(await output());
    if (found === undefined) {
      const end = signal === null ? `with ${code}` : `by ${signal}`;
      problems.push(`deno test ended ${end} and counted no tests.`);
      counts.failed++;
      return;
    }
    counts.passed += found.passed;
    counts.failed += found.failed;
    counts.skipped += found.skipped;
    if (code !== 0 && found.failed === 0) {
      problems.push(`deno test ended with ${code}, though no test failed.`);
      counts.failed++;
    }
    const listed = skippedIn(await Deno.readTextFile(report).catch(() => ""));
    skipped.push(...listed);
    if (listed.length < found.skipped) {
      problems.push(
        `The report of deno test names ${listed.length} of ${found.skipped} skipped tests.`,
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Passes what is printed on. Returns how to get its end when the program has ended. */
function show(stdout: ReadableStream<Uint8Array>): () => Promise<string> {
  const decoder = new TextDecoder();
  const reader = stdout.getReader();
  let tail = "";
  const shown = (async () => {
    while (true) {
      const { value, done } = await reader.read();
      if (done) return;
      for (let at = 0; at < value.length;) {
        at += await Deno.stdout.write(value.subarray(at));
      }
      tail = (tail + decoder.decode(value, { stream: true })).slice(-MAX_TAIL);
    }
  })();
  return async () => {
    // A test may have left a process that never closes the pipe.
    const timer = setTimeout(() => reader.cancel(), LAST_WORDS_MS);
    await shown;
    clearTimeout(timer);
    return tail;
  };
}

/** Arguments that are files or folders stand for those of the suite. */
function namesFiles(args: string[]): boolean {
  return args.some((arg, i) => {
    if (arg.startsWith("-") || args[i - 1] === "--filter") return false;
    try {
      Deno.statSync(arg);
      return true;
    } catch {
      return false;
    }
  });
}

function kill(child: Deno.ChildProcess | undefined, signal: Deno.Signal): void {
  try {
    child?.kill(signal);
  } catch {
    // It has ended.
  }
}

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function isSet(name: string): boolean {
  return !["", "0", "false"].includes(Deno.env.get(name) ?? "");
}

/** Tells what came of the tests. Returns the exit code. */
function tell({ counts, skipped, problems, stoppedBy }: Outcome): number {
  const { passed, failed, skipped: skips } = counts;
  const isBare = isSet("TAU_TEST_BARE");
  if (failed === 0 && passed === 0 && !(isBare && skips > 0)) {
    problems.push("No test has passed, which counts as a failure.");
  }
  if (skips > 0 && isSet("CI") && !isBare) {
    problems.push(
      "Skipped tests fail where CI is set, unless TAU_TEST_BARE=1 is, too.",
    );
  }
  const lines = [
    "",
    ...skippedList(skipped),
    ...problems,
    `${passed} passed, ${failed} failed, ${skips} skipped`,
  ];
  for (const line of lines) say(line);
  if (stoppedBy !== undefined) return 128 + SIGNALS[stoppedBy];
  return failed > 0 || problems.length > 0 ? 1 : 0;
}

const [suite = "", ...args] = Deno.args;
const batches = Object.hasOwn(SUITES, suite) ? SUITES[suite] : undefined;
if (batches === undefined) {
  say(`Unknown suite "${suite}"; known are ${Object.keys(SUITES).join(", ")}`);
  Deno.exit(2);
}
Deno.exit(tell(await runBatches(batches, args)));
