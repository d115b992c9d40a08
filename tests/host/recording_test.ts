import assert from "node:assert/strict";
import { parseRecording } from "../../src/host/recording.ts";
import { UsageError } from "../../src/settings/usage_error.ts";
import { asked, recordingOf, said } from "../support/recording.ts";

const HEADER = JSON.stringify({
  type: "recording",
  version: 2,
  model: { provider: "test", id: "m" },
});
const EXCHANGE = recordingOf({ request: [asked("hi")], content: [said("ho")] })
  .trim().split("\n")[1] as string;

type Line = Record<string, unknown> & {
  messages: unknown[];
  answer: Record<string, unknown>[];
};

function changed(change: (line: Line) => void): string {
  const line = JSON.parse(EXCHANGE);
  change(line);
  return `${HEADER}\n${JSON.stringify(line)}\n`;
}

const WRONG = /line 2: neither an exchange nor a result$/;

const BROKEN: [string, string, RegExp][] = [
  ["an empty file", "", /"r.jsonl": it is empty$/],
  ["blank lines alone", "\n \r\n", /it is empty$/],
  ["no JSON", "hello", /line 1: not a JSON object$/],
  ["a list", "[]", /line 1: not a JSON object$/],
  ["a number", "1", /line 1: not a JSON object$/],
  ["no header", EXCHANGE, /line 1: a recording begins with a header$/],
  [
    "an unknown version",
    '{"type":"recording","version":1}',
    /line 1: version 1 of recordings is not 2, which this tau replays; record it again$/,
  ],
  [
    "a header without a model",
    '{"type":"recording","version":2}',
    /line 1: not the header of a recording$/,
  ],
  [
    "a header with a window in words",
    '{"type":"recording","version":2,"model":{"provider":"p","id":"m","contextWindow":"1"}}',
    /line 1: not the header of a recording$/,
  ],
  [
    "a header with an unknown thinking level",
    '{"type":"recording","version":2,"model":{"provider":"p","id":"m"},"thinkingLevel":"huge"}',
    /line 1: not the header of a recording$/,
  ],
  [
    "a header with a price in words",
    '{"type":"recording","version":2,"model":{"provider":"p","id":"m","cost":"free"}}',
    /line 1: not the header of a recording$/,
  ],
  [
    "half a line that has an end",
    `${HEADER}\n\n${EXCHANGE.slice(0, -9)}\n`,
    /line 3: not a JSON object$/,
  ],
  [
    "half a line in the middle",
    `${HEADER}\n${EXCHANGE.slice(0, -9)}\n${EXCHANGE}`,
    /line 2: not a JSON object$/,
  ],
  [
    "a second header",
    `${HEADER}\n${HEADER}`,
    WRONG,
  ],
  ["no messages", changed((it) => it.messages = null as never), WRONG],
  ["a message of null", changed((it) => it.messages = [null]), WRONG],
  ["no answer", changed((it) => it.answer = "ho" as never), WRONG],
  ["an empty answer", changed((it) => it.answer = []), WRONG],
  ["an answer without an end", changed((it) => it.answer.pop()), WRONG],
  [
    "an answer that goes on behind its end",
    changed((it) => it.answer.push({ type: "start" })),
    WRONG,
  ],
  ["a delta of null", changed((it) => it.answer[0] = null as never), WRONG],
  [
    "an unknown delta",
    changed((it) => it.answer[0] = { type: "smell" }),
    WRONG,
  ],
  [
    "a text without text",
    changed((it) => it.answer[2] = { type: "text_delta", contentIndex: 0 }),
    WRONG,
  ],
  [
    "a call without a name",
    changed((it) =>
      it.answer[1] = { type: "toolcall_start", contentIndex: 0, id: "c" }
    ),
    WRONG,
  ],
  [
    "a block with a place in words",
    changed((it) => it.answer[1]!.contentIndex = "0"),
    WRONG,
  ],
  [
    "an unknown end",
    changed((it) => it.answer.at(-1)!.reason = "tired"),
    WRONG,
  ],
  [
    "usage in words",
    changed((it) =>
      (it.answer.at(-1)!.usage as Record<string, unknown>).input = "1"
    ),
    WRONG,
  ],
  [
    "more kept than there is",
    changed((it) => it.keeps = 1),
    /line 2: it keeps more messages than there are$/,
  ],
  [
    "a hash that is not that of the request",
    changed((it) => it.hash = "0".repeat(64)),
    /line 2: its hash is not that of its request/,
  ],
  [
    "a result without content",
    `${HEADER}\n{"type":"result","call":{"name":"ls","arguments":{}},"result":{}}`,
    WRONG,
  ],
];

for (const [what, text, message] of BROKEN) {
  Deno.test(`parseRecording() refuses ${what}`, async () => {
    await assert.rejects(parseRecording(text, "r.jsonl"), (error: Error) => {
      assert(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  });
}

Deno.test("parseRecording() reads line ends of Windows, blank lines and a byte order mark", async () => {
  const text = `\ufeff${HEADER}\r\n\r\n${EXCHANGE}\r\n`;
  const { exchanges, ...rest } = await parseRecording(text, "r");
  const plain = await parseRecording(`${HEADER}\n${EXCHANGE}\n`, "r");
  assert.deepEqual({
    ...rest,
    exchanges: exchanges.map((exchange) => ({ ...exchange, line: 2 })),
  }, plain);
});

Deno.test("parseRecording() leaves the rest of a line out that a killed run did not finish, wherever it was cut", async () => {
  const whole = `${HEADER}\n${EXCHANGE}\n`;
  for (let end = whole.length; end < whole.length + EXCHANGE.length; end += 7) {
    const text = (whole + EXCHANGE).slice(0, end);
    const { exchanges, isCut } = await parseRecording(text, "r");
    assert.equal(exchanges.length, 1);
    assert.equal(isCut, end > whole.length);
  }
});

Deno.test("parseRecording() adds to each request what it keeps of the one before", async () => {
  const line = (messages: unknown[], more: Record<string, unknown> = {}) =>
    JSON.stringify({ ...JSON.parse(EXCHANGE), messages, ...more });
  const text = [
    HEADER,
    line([asked("a"), asked("b")], { settings: { tools: [] } }),
    line([asked("c")]),
    line([asked("d")], { keeps: 1, settings: { tools: [1] } }),
    line([], { keeps: 1 }),
  ].join("\n");
  const { exchanges } = await parseRecording(text, "r");
  const requests = exchanges.map(({ request: { settings, messages } }) => [
    settings,
    messages.map((json) => JSON.parse(json).text).join(""),
  ]);
  assert.deepEqual(requests, [
    ['{"tools":[]}', "ab"],
    ['{"tools":[]}', "abc"],
    ['{"tools":[1]}', "ad"],
    ['{"tools":[1]}', "a"],
  ]);
});
