import assert from "node:assert/strict";
import { UsageError } from "../../src/host/mod.ts";
import { canonicalMessages, parseRecording } from "../../src/host/recording.ts";
import type { Message } from "../../src/model/mod.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { asked, recordingOf, said } from "../support/recording.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const HEADER = JSON.stringify({ type: "recording", version: 1 });
const EXCHANGE = recordingOf({ request: [asked("hi")], content: [said("ho")] })
  .trim().split("\n")[1] as string;

function changed(
  change: (exchange: {
    request: unknown[];
    response: Record<string, unknown>;
  }) => void,
): string {
  const exchange = JSON.parse(EXCHANGE);
  change(exchange);
  return `${HEADER}\n${JSON.stringify(exchange)}`;
}

const BROKEN: [string, string, RegExp][] = [
  ["an empty file", "", /"r.jsonl": it is empty$/],
  ["blank lines alone", "\n \r\n", /it is empty$/],
  ["no JSON", "hello", /line 1: not a JSON object$/],
  ["a list", "[]", /line 1: not a JSON object$/],
  ["a number", "1", /line 1: not a JSON object$/],
  ["no header", EXCHANGE, /line 1: a recording begins with a header$/],
  [
    "an unknown version",
    '{"type":"recording","version":2}',
    /line 1: unknown version 2$/,
  ],
  [
    "half a line",
    `${HEADER}\n\n${EXCHANGE.slice(0, -9)}`,
    /line 3: not a JSON object$/,
  ],
  ["a second header", `${HEADER}\n${HEADER}`, /line 2: not an exchange$/],
  [
    "no request",
    changed((it) => it.request = null as never),
    /line 2: not an exchange/,
  ],
  [
    "a request of null",
    changed((it) => it.request = [null]),
    /line 2: not an exchange/,
  ],
  [
    "no content",
    changed((it) => it.response.content = "ho"),
    /line 2: not an exchange/,
  ],
  [
    "a block of null",
    changed((it) => it.response.content = [null]),
    /line 2: not an exchange/,
  ],
  [
    "a text without text",
    changed((it) => it.response.content = [{ type: "text" }]),
    /not an exchange/,
  ],
  [
    "a call without arguments",
    changed((it) =>
      it.response.content = [{ type: "toolCall", id: "c", name: "ls" }]
    ),
    /not an exchange/,
  ],
  [
    "a failed answer",
    changed((it) => it.response.stopReason = "error"),
    /line 2: not an exchange/,
  ],
  [
    "usage in words",
    changed((it) => it.response.usage = { input: "1", output: 1 }),
    /line 2: not an exchange/,
  ],
];

for (const [what, text, message] of BROKEN) {
  Deno.test(`parseRecording() refuses ${what}`, () => {
    assert.throws(() => parseRecording(text, "r.jsonl"), (error: Error) => {
      assert(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });
}

Deno.test("parseRecording() reads line ends of Windows, blank lines and a byte order mark", () => {
  const text = `\ufeff${HEADER}\r\n\r\n${EXCHANGE}\r\n`;
  assert.deepEqual(
    parseRecording(text, "r"),
    parseRecording(`${HEADER}\n${EXCHANGE}`, "r"),
  );
});

Deno.test("canonicalMessages() keeps what a recording can compare", () => {
  const messages: Message[] = [
    { role: "system", content: "rules", timestamp: 1 },
    { role: "user", content: "look at /work/x", timestamp: 2 },
    {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      isError: false,
      content: [
        { type: "text", text: "/work/x/a.txt" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
      timestamp: 3,
      durationMs: 17,
    },
  ];
  assert.deepEqual(canonicalMessages(messages, "/work/x"), [
    { role: "user", text: "look at {cwd}" },
    {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      isError: false,
      text: "{cwd}/a.txt\n[image]",
    },
  ]);
});

const LIST = said("Listing.");
const CALL = {
  type: "toolCall",
  id: "c1",
  name: "bash",
  arguments: { command: "cat note.txt" },
} as const;

/** Replays a recording of `cat note.txt` over a note. */
async function replay(text: string, note: string): Promise<HostRun> {
  let run: HostRun | undefined;
  await inTempFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/note.txt`, note);
    run = await runInHost({
      cwd,
      prompt: "What is in my note?",
      replay: { text, name: "my recording.jsonl" },
      env: {},
      updates: true,
    });
  });
  return run as HostRun;
}

const RECORDING = recordingOf({
  request: [asked("What is in my note?")],
  content: [LIST, CALL],
}, {
  request: [{
    role: "toolResult",
    toolCallId: "c1",
    toolName: "bash",
    isError: false,
    text: "alpha\nbeta\n",
  }],
  content: [{ type: "thinking", thinking: "Two lines." }, said("alpha, beta")],
});

Deno.test("startRun() replays a recording with real tools", async () => {
  const { result, events } = await replay(RECORDING, "alpha\nbeta\n");
  assert.equal(result.status, "completed", result.error?.message);
  assert.equal(result.text, "alpha, beta");
  assert.equal(result.model, "replay/recorded");
  assert.equal(result.usage.totalTokens, 30);
  assert.equal(result.toolCalls, 1);
  assert(events.some(({ type }) => type === "message_update"));
});

Deno.test("startRun() ends with the difference where a result is not the recorded one", async () => {
  const { result } = await replay(RECORDING, "alpha\ngamma\n");
  assert.equal(result.status, "replay_miss");
  assert.equal(result.exitCode, 50);
  const message = result.error?.message ?? "";
  assert.match(
    message,
    /^Replay miss: Request 2 is not the one in "my recording.jsonl":/,
  );
  assert.match(message, /^-beta$/m);
  assert.match(message, /^\+gamma$/m);
});

Deno.test("startRun() ends where a recording has no further answer", async () => {
  const text = RECORDING.split("\n").slice(0, 2).join("\n");
  const { result } = await replay(text, "alpha\nbeta\n");
  assert.equal(result.status, "replay_miss");
  assert.match(result.error?.message ?? "", /has no answer to request 2$/);
});

Deno.test("startRun() takes another prompt for a miss", async () => {
  const text = recordingOf({ request: [asked("else")], content: [LIST] });
  const { result } = await replay(text, "");
  assert.equal(result.status, "replay_miss");
  assert.match(result.error?.message ?? "", /^-else$/m);
});
