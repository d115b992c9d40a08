import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
} from "../support/provider_double.ts";
import { recordedStream } from "../support/recorded_stream.ts";
import {
  inEachFormat,
  jsonLines,
  lastRecord,
  type OutputFormat,
  runTau,
  type TauRun,
} from "../support/tau_process.ts";

const APIS: Api[] = ["openai-completions", "anthropic-messages"];

/** How one run must come out, in each wire format and output format. */
interface Case {
  script: (api: Api) => Reply[];
  status: RunStatus;
  code: number;
  /** All of stdout in text mode. */
  text: string;
  /** What stderr says. */
  reason?: RegExp;
  args?: string[];
  toolCalls?: number;
  failedToolCalls?: number;
}

function errorBody(api: Api, message: string): string {
  const error = { type: "some_error", message };
  return JSON.stringify(
    api === "openai-completions" ? { error } : { type: "error", error },
  );
}

const EIGHT = Array.from(
  { length: 8 },
  (_, i) => call("bash", { command: `echo ${i} >made${i}; ls made${i}` }),
);

const CASES: Record<string, Case> = {
  "a text answer": {
    script: () => [say("It says alpha.")],
    status: "completed",
    code: 0,
    text: "It says alpha.\n",
  },
  "one tool": {
    script: () => [
      say("Writing.", call("write", { path: "a.txt", content: "alpha\n" })),
      say("", call("read", { path: "a.txt" })),
      say("Written."),
    ],
    status: "completed",
    code: 0,
    text: "Written.\n",
    toolCalls: 2,
  },
  "eight tools at once": {
    script: () => [say("All.", ...EIGHT), say("Eight.")],
    status: "completed",
    code: 0,
    text: "Eight.\n",
    toolCalls: 8,
  },
  "a failed tool and another try": {
    script: () => [
      say("", call("read", { path: "missing.txt" })),
      say("", call("bash", { command: "exit 7" })),
      say("", call("bash", { comand: "misspelt" })),
      say("", call("no_such_tool", {})),
      say("Gave up."),
    ],
    status: "completed",
    code: 0,
    text: "Gave up.\n",
    toolCalls: 4,
    failedToolCalls: 4,
  },
  "a tool without parameters that gets empty arguments": {
    script: () => [say("", call("ls", {})), say("done")],
    status: "completed",
    code: 0,
    text: "done\n",
    args: ["--tools", "ls"],
    toolCalls: 1,
  },
  "an answer at the output limit": {
    script: () => [{ say: { text: "Half an", stop: "length" } }],
    status: "output_limit",
    code: 23,
    text: "Half an\n",
    reason: /output token limit/,
  },
  "a call that the output limit cuts": {
    script: (api) => [{
      body: recordedStream(
        api === "openai-completions"
          ? "odd_length_inside_call"
          : "odd_anthropic_length_inside_call",
      ),
    }, say("I will write less at once.")],
    status: "completed",
    code: 0,
    text: "I will write less at once.\n",
    toolCalls: 1,
    failedToolCalls: 1,
  },
  "status 401": {
    script: (api) => [{ status: 401, body: errorBody(api, "bad key") }],
    status: "auth_failed",
    code: 10,
    text: "",
    reason: /bad key/,
  },
  "status 400": {
    script: (api) => [{ status: 400, body: errorBody(api, "no such thing") }],
    status: "provider_refused",
    code: 12,
    text: "",
    reason: /no such thing/,
  },
  "status 404": {
    script: (api) => [{ status: 404, body: errorBody(api, "no such model") }],
    status: "provider_refused",
    code: 12,
    text: "",
    reason: /no such model/,
  },
  "status 500": {
    script: (api) => [{ status: 500, body: errorBody(api, "broken") }],
    status: "provider_unavailable",
    code: 11,
    text: "",
    reason: /broken/,
    args: ["--max-retries", "0"],
  },
  "a web page": {
    script: () => [{
      status: 200,
      headers: { "content-type": "text/html" },
      body: "<html>Log in</html>",
    }],
    status: "provider_refused",
    code: 12,
    text: "",
    reason: /web page/,
  },
  "silence": {
    script: () => [{ hang: true }],
    status: "timeout",
    code: 22,
    text: "",
    reason: /--timeout/,
    args: ["--timeout", "1500ms"],
  },
  "an answer that is cut": {
    script: () => [{ ...say("x".repeat(30_000)), cutAfterBytes: 15_000 }],
    status: "provider_unavailable",
    code: 11,
    text: "x".repeat(10_000) + "\n",
    reason: /./,
  },
  "a call that is cut": {
    script: () => [{
      ...say(
        "",
        call("write", { path: "out.txt", content: "h".repeat(30_000) }),
      ),
      cutAfterBytes: 25_000,
    }],
    status: "provider_unavailable",
    code: 11,
    text: "",
    reason: /./,
    toolCalls: 0,
  },
};

/** Runs tau against a double; the double may have refused nothing. */
async function ask(
  api: Api,
  args: string[],
  script: Reply[],
): Promise<{ run: TauRun; double: ProviderDouble }> {
  await using double = startProviderDouble({ api, script });
  const isOpenAi = api === "openai-completions";
  const run = await runTau([
    "-p",
    "--model",
    isOpenAi ? "openai/test-model" : "anthropic/test-model",
    ...args,
    "What is in my note?",
  ], {
    env: isOpenAi
      ? { OPENAI_API_KEY: "k", OPENAI_BASE_URL: double.url }
      : { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: double.url },
  });
  assert.deepEqual(double.requests.flatMap(({ fault }) => fault ?? []), []);
  return { run, double };
}

for (const api of APIS) {
  for (const [what, expected] of Object.entries(CASES)) {
    Deno.test(`tau ends alike in all output formats on ${what}, ${api}`, async () => {
      await inEachFormat(async (format) => {
        const args = ["--output-format", format, ...expected.args ?? []];
        const { run } = await ask(api, args, expected.script(api));
        assertOutcome(run, format, expected);
      });
    });
  }
}

function assertOutcome(
  run: TauRun,
  format: OutputFormat,
  expected: Case,
): void {
  assert.equal(run.code, expected.code, run.stderr);
  assert.deepEqual(run.left, [], "processes are left");
  assert.deepEqual(run.tempLeft, [], "temporary files are left");
  if (expected.reason) assert.match(run.stderr, expected.reason);
  assert.doesNotMatch(run.stderr, /^\s+at .*:\d+:\d+/m, "a stack trace");
  if (format === "text") return assert.equal(run.stdout, expected.text);
  const lines = jsonLines(run);
  const results = lines.filter(({ type }) => type === "result");
  assert.equal(results.length, 1);
  if (format === "json") assert.equal(lines.length, 1);
  const result = lastRecord(run);
  assert.equal(result.type, "result");
  assert.equal(result.status, expected.status);
  assert.equal(result.exitCode, expected.code);
  assert.equal(result.text === "" ? "" : `${result.text}\n`, expected.text);
  assert.equal(result.toolCalls, expected.toolCalls ?? 0);
  assert.equal(result.failedToolCalls, expected.failedToolCalls ?? 0);
  if (expected.reason) {
    assert.match(result.error?.message ?? "", expected.reason);
  }
}

for (const api of APIS) {
  Deno.test(`tau sends back a call without parameters as one, ${api}`, async () => {
    const { double, run } = await ask(api, ["--tools", "ls"], [
      rawEmptyCall(api),
      say("done"),
    ]);
    assert.equal(run.stdout, "done\n");
    assert.equal(run.code, 0);
    const second = JSON.stringify(double.requests[1]?.body);
    if (api === "openai-completions") assert.match(second, /"arguments":"{}"/);
    else assert.match(second, /"input":{}/);
    assert.equal(second.match(/tool_call_id|tool_use_id/g)?.length, 1);
  });
}

/** A call of `ls` whose argument text is empty. */
function rawEmptyCall(api: Api): Reply {
  const events = api === "openai-completions"
    ? [
      {
        choices: [{
          index: 0,
          delta: {
            role: "assistant",
            tool_calls: [{
              index: 0,
              id: "c1",
              type: "function",
              function: { name: "ls", arguments: "" },
            }],
          },
        }],
      },
      { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ]
    : [
      {
        type: "message_start",
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "double",
          content: [],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      },
      {
        type: "content_block_start",
        index: 0,
        content_block: {
          type: "tool_use",
          id: "toolu_1",
          name: "ls",
          input: {},
        },
      },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "tool_use" },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ];
  return {
    body: events.map((event) => {
      const name = "type" in event ? `event: ${event.type}\n` : "";
      return `${name}data: ${JSON.stringify(event)}\n\n`;
    }).join(""),
  };
}

Deno.test("tau tells a server that cannot be reached, in all output formats", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await inEachFormat(async (format) => {
    const args = ["-p", "--output-format", format, "--max-retries", "0", "hi"];
    const run = await runTau(args, {
      env: {
        OPENAI_API_KEY: "k",
        OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      },
    });
    assertOutcome(run, format, {
      script: () => [],
      status: "provider_unavailable",
      code: 11,
      text: "",
      reason: /cannot be reached at 127\.0\.0\.1/,
    });
  });
});
