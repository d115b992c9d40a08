import assert from "node:assert/strict";
import { call, type Reply, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { jsonLines, lastRecord, type TauRun } from "../support/tau_process.ts";

const STREAM = ["-p", "--output-format", "stream-json"];

async function ask(
  script: Reply[],
  ...args: string[]
): Promise<{ run: TauRun; times: number[] }> {
  return await inPlace({ script }, async ({ tau, requests }) => {
    const run = await tau([...STREAM, ...args, "hi"]);
    return { run, times: requests.map(({ timeMs }) => timeMs) };
  });
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
  const script = [busy(429, { "retry-after": "50" })];
  await inPlace({ script }, async ({ during }) => {
    await during([...STREAM, "hi"], async (tau) => {
      await tau.printed(/auto_retry_start/);
      const startMs = performance.now();
      tau.signal("SIGTERM");
      const run = await tau.ended();
      assert.equal(run.code, 143);
      assert(performance.now() - startMs < 2500);
      assert.deepEqual(run.left, []);
    });
  });
});

Deno.test("tau tells a waiting reader of a retry, in text mode on stderr", async () => {
  const script = [busy(503, { "retry-after-ms": "1" }), say("ok")];
  await inPlace({ script }, async ({ ask }) => {
    const run = await ask(["--model", "openai/m", "hi"]);
    assert.equal(run.stdout, "ok\n");
    assert.match(run.stderr, /^tau: retry 1 of 3 in 0\.0 s: openai .*slow/m);
  });
});
