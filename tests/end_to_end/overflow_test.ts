import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import {
  call,
  type RecordedRequest,
  type Reply,
  say,
} from "../support/provider_double.ts";
import { atOnce } from "../support/at_once.ts";
import { inPlace } from "../support/tau_place.ts";
import { jsonLines, lastRecord, type TauRun } from "../support/tau_process.ts";

/** Answers of servers to a prompt that is too long. */
const TOO_LONG = [
  '{"error":{"message":"prompt too long; exceeded max context length by 812 tokens"}}',
  '{"error":{"message":"Prompt has 5,001 tokens, but the configured context size is 4,096 tokens"}}',
  '{"error":{"code":400,"type":"exceed_context_size_error","message":"request (5001 tokens) exceeds the available context size (4096 tokens)"}}',
  '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 5001 tokens > 4096 maximum"}}',
];

async function ask(
  script: Reply[],
  api?: Api,
): Promise<{ run: TauRun; requests: RecordedRequest[] }> {
  return await inPlace({ api, script }, async ({ ask, requests }) => {
    const run = await ask(["--output-format", "stream-json", "go"]);
    const bodies = requests.map(({ text }) => text);
    assert.equal(new Set(bodies).size, bodies.length, "the same body twice");
    return { run, requests };
  });
}

function compactions(run: TauRun): string[] {
  return jsonLines(run).map(({ type }) => type)
    .filter((type) => type.startsWith("compaction_"));
}

/** Two calls whose results are long. */
const WORK = [1, 2].map((n) =>
  say(
    `Step ${n}.`,
    call("bash", { command: `seq ${n}000 ${n}999` }),
  )
);

Deno.test("tau shortens a conversation that a server refuses as too long, whatever its words", async () => {
  await atOnce(TOO_LONG, async (body) => {
    const api = body.startsWith('{"type"')
      ? "anthropic-messages"
      : "openai-completions";
    const { run, requests } = await ask([
      ...WORK,
      { status: 400, body },
      say("Step 1 was made."),
      say("ok"),
    ], api);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).text, "ok");
    assert.equal(requests.length, 5);
    const [refused, shorter] = [requests[2], requests[4]];
    assert((shorter?.text.length ?? Infinity) < (refused?.text.length ?? 0));
    assert.match(
      shorter?.text ?? "",
      /<summary>\\nStep 1 was made\.\\n<\/summary>/,
    );
    assert.deepEqual(compactions(run), ["compaction_start", "compaction_end"]);
  });
});

Deno.test("tau gives up when the shorter request is refused too", async () => {
  const [body = ""] = TOO_LONG;
  const { run, requests } = await ask([
    ...WORK,
    { status: 400, body },
    say("Step 1 was made."),
    { status: 400, body },
  ]);
  assert.equal(run.code, 12);
  assert.equal(requests.length, 5);
  assert.match(run.stderr, /too long even after it was summarised/);
});

Deno.test("tau summarises nothing for an ordinary bad request", async () => {
  const { run, requests } = await ask([...WORK, {
    status: 400,
    body: '{"error":{"message":"max_tokens must be at least 1"}}',
  }]);
  assert.equal(run.code, 12);
  assert.equal(requests.length, 3);
  assert.deepEqual(compactions(run), []);
});

Deno.test("tau goes on with the summary when it resumes a conversation that was shortened", async () => {
  const [body = ""] = TOO_LONG;
  await inPlace({
    script: [
      ...WORK,
      { status: 400, body },
      say("Step 1 was made."),
      say("ok"),
      say("resumed"),
    ],
  }, async ({ ask, requests }) => {
    assert.equal((await ask(["go"])).stdout, "ok\n");
    const run = await ask(["-c", "and now?"]);
    assert.equal(run.stdout, "resumed\n", run.stderr);
    const last = requests.at(-1)?.text ?? "";
    assert.match(last, /<summary>\\nStep 1 was made\.\\n<\/summary>/);
    assert.doesNotMatch(last, /1999/);
    assert.match(last, /2999/);
  });
});
