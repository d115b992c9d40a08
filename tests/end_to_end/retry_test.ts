import assert from "node:assert/strict";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import {
  jsonLines,
  lastRecord,
  runTau,
  type TauRun,
  withTau,
} from "../support/tau_process.ts";

const ARGS = ["-p", "--output-format", "stream-json", "--model", "openai/m"];

function envOf(double: ProviderDouble): Record<string, string> {
  return { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url };
}

async function ask(
  script: Reply[],
  ...args: string[]
): Promise<{ run: TauRun; times: number[] }> {
  await using double = startProviderDouble({
    api: "openai-completions",
    script,
  });
  const run = await runTau([...ARGS, ...args, "hi"], { env: envOf(double) });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  const times = double.requests.map(({ timeMs }) => timeMs);
  return { run, times };
}

function busy(
  status: number,
  headers: Record<string, string>,
  type = "rate_limit_error",
): Reply {
  const body = JSON.stringify({ error: { type, message: "slow" } });
  return { status, headers, body };
}

/** Milliseconds between two requests. */
function gap(times: number[], at: number): number {
  return (times[at] ?? NaN) - (times[at - 1] ?? NaN);
}

function retryEvents(run: TauRun): { type: string }[] {
  return jsonLines(run).filter(({ type }) => type.startsWith("auto_retry"));
}

Deno.test("tau waits as long as a busy server asks for, shows it, and answers", async () => {
  const { run, times } = await ask([
    busy(429, { "retry-after": "1" }),
    busy(529, { "retry-after-ms": "400" }, "overloaded_error"),
    say("ok"),
  ]);
  assert.equal(run.code, 0, run.stderr);
  const { text, turns } = lastRecord(run);
  assert.deepEqual({ text, turns }, { text: "ok", turns: 1 });
  assert(gap(times, 1) >= 1000 && gap(times, 1) < 3000);
  assert(gap(times, 2) >= 400 && gap(times, 2) < 2400);
  assert.deepEqual(retryEvents(run).map(({ type }) => type), [
    "auto_retry_start",
    "auto_retry_start",
    "auto_retry_end",
  ]);
});

Deno.test("tau does not wait for a day", async () => {
  const { run, times } = await ask([busy(429, { "retry-after": "86400" })]);
  assert.equal(run.code, 11);
  assert.equal(times.length, 1);
  assert.match(run.stderr, /asks to wait 86400 s/);
});

Deno.test("tau asks once when the key is wrong, or the request", async () => {
  for (const [status, code] of [[401, 10], [400, 12]] as const) {
    const { run, times } = await ask([busy(status, { "retry-after-ms": "1" })]);
    assert.equal(run.code, code);
    assert.equal(times.length, 1);
  }
});

Deno.test("tau --max-retries gives up after so many, and says why", async () => {
  const { run, times } = await ask(
    Array(3).fill(busy(503, { "retry-after-ms": "1" })),
    "--max-retries",
    "2",
  );
  assert.equal(run.code, 11);
  assert.equal(times.length, 3);
  assert.equal(lastRecord(run).status, "provider_unavailable");
  assert.match(run.stderr, /slow/);
});

Deno.test("tau runs no tool twice when the request after it is made again", async () => {
  const { run } = await ask([
    say("", call("bash", { command: "echo ran >> runs; cat runs" })),
    busy(500, { "retry-after-ms": "1" }),
    say("Ran."),
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(lastRecord(run).toolCalls, 1);
  const results = jsonLines(run).filter(({ type }) =>
    type === "tool_execution_end"
  );
  assert.doesNotMatch(JSON.stringify(results), /ran\\nran/);
});

Deno.test("tau ends at once on SIGTERM while it waits", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [busy(429, { "retry-after": "50" })],
  });
  await withTau([...ARGS, "hi"], { env: envOf(double) }, async (tau) => {
    await tau.printed(/auto_retry_start/);
    const startMs = performance.now();
    tau.signal("SIGTERM");
    const run = await tau.ended();
    assert.equal(run.code, 143);
    assert(performance.now() - startMs < 2500);
    assert.deepEqual(run.left, []);
  });
});

Deno.test("tau tells a waiting reader of a retry, in text mode on stderr", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [busy(503, { "retry-after-ms": "1" }), say("ok")],
  });
  const run = await runTau(["-p", "--model", "openai/m", "hi"], {
    env: envOf(double),
  });
  assert.equal(run.stdout, "ok\n");
  assert.match(run.stderr, /^tau: retry 1 of 3 in 0\.0 s: openai .*slow/m);
});
