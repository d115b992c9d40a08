import assert from "node:assert/strict";
import type { Api } from "../../src/model/model.ts";
import type { RunStatus } from "../../src/protocol/exit_codes.ts";
import {
  call,
  type ProviderDouble,
  type Reply,
  say,
  startProviderDouble,
  wireDoubles,
} from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { recordedStream } from "../support/recorded_stream.ts";
import {
  inEachFormat,
  jsonLines,
  lastRecord,
  type OutputFormat,
  runTau,
  type TauRun,
} from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** The formats, each with its model's id and with what only the model of an answer may get back of it. */
const APIS: [Api, id: string, sealed: RegExp][] = [
  ["anthropic-messages", "m", /"signature":/],
  ["google-generative-ai", "gemini-3-x", /"thoughtSignature":"sig-/],
  ["openai-responses", "m", /sealed-\d/],
  ["openai-completions", "m", /"reasoning_content":/],
];

const PIXEL = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);

/** The end of one run, in each output format. */
interface Case {
  /** Default: each case in the next format. */
  api?: Api;
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

/** An answer with a status and the format's own error. */
function refusal(status: number, message: string): (api: Api) => Reply[] {
  return (api) => [{
    status,
    body: JSON.stringify(wireDoubles[api].refusal(message)),
  }];
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
    api: "openai-responses",
    script: () => [
      { body: recordedStream("odd_responses_length_inside_call") },
      say("I will write less at once."),
    ],
    status: "completed",
    code: 0,
    text: "I will write less at once.\n",
    toolCalls: 1,
    failedToolCalls: 1,
  },
  "status 401": {
    script: refusal(401, "bad key"),
    status: "auth_failed",
    code: 10,
    text: "",
    reason: /bad key/,
  },
  "status 400": {
    script: refusal(400, "no such thing"),
    status: "provider_refused",
    code: 12,
    text: "",
    reason: /no such thing/,
  },
  "status 500": {
    script: refusal(500, "broken"),
    status: "provider_unavailable",
    code: 11,
    text: "",
    reason: /broken/,
    args: ["--max-retries", "0"],
  },
  "an answer that a filter stops": {
    api: "google-generative-ai",
    script: () => [{ body: recordedStream("odd_google_prompt_blocked") }],
    status: "provider_refused",
    code: 12,
    text: "",
    reason: /blocked the prompt \(PROHIBITED_CONTENT\)/,
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

/** Lends a double of each format, as providers of the settings, and a way to run tau in a folder with a note and a picture. */
async function withProviders(
  script: (api: Api) => Reply[],
  test: (
    run: (api: Api, ...args: string[]) => Promise<TauRun>,
    doubles: Map<Api, ProviderDouble>,
  ) => Promise<void>,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const doubles = new Map(APIS.map(([api]) => {
    const options = { api, script: script(api), signedCalls: true };
    return [api, stack.use(startProviderDouble(options))];
  }));
  const providers = APIS.map(([api, id]) => {
    const models = [{ id, reasoning: true }];
    const baseUrl = doubles.get(api)?.url;
    return [api, { baseUrl, api, apiKeyEnv: "LAB_KEY", models }];
  });
  const ids = Object.fromEntries(APIS);
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "work/note.txt": "alpha\n",
      "work/pixel.png": PIXEL,
      "home/settings.json": JSON.stringify({
        providers: Object.fromEntries(providers),
      }),
    });
    await test(
      (api, ...args) =>
        runTau(["-p", "--model", `${api}/${ids[api]}:high`, ...args], {
          cwd: `${root}/work`,
          env: { TAU_HOME: `${root}/home`, LAB_KEY: "k" },
        }),
      doubles,
    );
  });
  for (const [api, { requests }] of doubles) {
    assert.deepEqual(requests.flatMap(({ fault }) => fault ?? []), [], api);
  }
}

for (const [i, [what, expected]] of Object.entries(CASES).entries()) {
  const api = expected.api ?? APIS[i % APIS.length]![0];
  Deno.test(`tau ends alike in all output formats on ${what}, ${api}`, async () => {
    await inEachFormat((format) =>
      withProviders(expected.script, async (run) => {
        const args = ["--output-format", format, ...expected.args ?? []];
        assertOutcome(await run(api, ...args, "Go."), format, expected);
      })
    );
  });
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

/** Thinks, reads a text and a picture at a time, and ends. */
const TURN: Reply[] = [
  {
    say: {
      thinking: "Both.",
      text: "Reading.",
      calls: [
        call("read", { path: "note.txt" }),
        call("read", { path: "pixel.png" }),
      ],
    },
  },
  say("Read."),
];

Deno.test("tau goes on with a session by a model of each other format, and gives each its own thoughts back", async () => {
  await withProviders(() => [...TURN, ...TURN], async (run, doubles) => {
    const sessions = new Set<string>();
    const first = APIS[0]![0];
    for (const api of [...APIS.map(([api]) => api), first]) {
      const ended = await run(
        api,
        ...["--output-format", "json", "--max-retries", "0"],
        ...(sessions.size > 0 ? ["--continue"] : []),
        ...["What is in my files?", "@pixel.png"],
      );
      const { status, failedToolCalls, sessionId } = lastRecord(ended);
      assert.deepEqual(
        [status, failedToolCalls],
        ["completed", 0],
        ended.stderr,
      );
      sessions.add(sessionId);
    }
    assert.equal(sessions.size, 1);
    for (const [api, , sealed] of APIS) {
      const requests = doubles.get(api)?.requests ?? [];
      assert.equal(requests.length, api === first ? 4 : 2);
      const [asked, answered, ...resumed] = requests.map(({ text }) => text);
      assert.doesNotMatch(asked ?? "", sealed);
      for (const text of [answered, ...resumed]) {
        assert.match(text ?? "", sealed);
      }
      const before = conversationOf(asked ?? "");
      assert.deepEqual(
        conversationOf(answered ?? "").slice(0, before.length),
        before,
      );
    }
  });
});

/** The messages of a request, without marks of the cache. */
function conversationOf(text: string): unknown[] {
  const { messages, input, contents } = JSON.parse(
    text,
    (name, value) => name === "cache_control" ? undefined : value,
  );
  return messages ?? input ?? contents;
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
