import assert from "node:assert/strict";
import fc from "fast-check";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import type {
  AssistantDelta,
  AssistantMessageEvent,
} from "../../src/model/stream.ts";

const model: Model = {
  id: "m-1",
  name: "M 1",
  api: "openai-completions",
  provider: "lab",
  baseUrl: "http://127.0.0.1:1",
  input: ["text"],
  reasoning: true,
  contextWindow: 1000,
  maxTokens: 100,
};
const usage = { ...emptyUsage(), input: 3, output: 2, totalTokens: 5 };
const done: AssistantDelta = { type: "done", reason: "stop", usage };

/** The deltas as a provider yields them, then a throw when there is something to throw. */
async function* source(
  batches: AssistantDelta[][],
  thrown?: unknown,
): AsyncIterable<AssistantDelta[]> {
  for (const batch of batches) yield await Promise.resolve(batch);
  if (thrown !== undefined) throw thrown;
}

/** All events and the result. */
async function collect(batches: AssistantDelta[][], thrown?: unknown): Promise<{
  events: AssistantMessageEvent[];
  message: AssistantMessage;
}> {
  const stream = assembleMessage(model, source(batches, thrown));
  const events = await Array.fromAsync(stream);
  return { events, message: await stream.result() };
}

/**
 * All events, each with a copy from before the next delta. The first delta is
 * a `start`, so that each makes one event.
 */
async function collectCopies(deltas: AssistantDelta[]): Promise<{
  events: AssistantMessageEvent[];
  copies: AssistantMessageEvent[];
}> {
  let copied = Promise.withResolvers<void>();
  async function* oneByOne(): AsyncIterable<AssistantDelta[]> {
    for (const delta of deltas) {
      copied = Promise.withResolvers<void>();
      yield [delta];
      await copied.promise;
    }
  }
  const events: AssistantMessageEvent[] = [];
  const copies: AssistantMessageEvent[] = [];
  for await (const event of assembleMessage(model, oneByOne())) {
    events.push(event);
    copies.push(structuredClone(event));
    copied.resolve();
  }
  assert.equal(events.length, deltas.length);
  return { events, copies };
}

/** One line an event: what it adds, and the content so far. */
function lines(events: readonly AssistantMessageEvent[]): string[] {
  return events.map((event) => {
    if (event.type === "done") {
      return `done ${event.reason} ${JSON.stringify(event.message.content)}`;
    }
    if (event.type === "error") {
      return `error ${event.reason} ${JSON.stringify(event.error.content)}`;
    }
    const { type, partial, ...rest } = event;
    assert.equal(partial.stopReason, "pending");
    return `${type} ${JSON.stringify(rest)} ${JSON.stringify(partial.content)}`;
  });
}

/** A message without its times. */
function timeless(
  { timestamp, durationMs, ...message }: AssistantMessage,
): object {
  assert.ok(timestamp > 0);
  assert.ok(durationMs !== undefined && durationMs >= 0);
  return message;
}

const everyDelta: AssistantDelta[] = [
  { type: "start", responseId: "r-1", responseModel: "m-1-dated" },
  { type: "thinking_start", contentIndex: 0 },
  { type: "thinking_delta", contentIndex: 0, delta: "hm" },
  { type: "thinking_end", contentIndex: 0, contentSignature: "sig-0" },
  { type: "thinking_start", contentIndex: 1, redacted: true },
  { type: "thinking_end", contentIndex: 1 },
  { type: "text_start", contentIndex: 2 },
  { type: "text_delta", contentIndex: 2, delta: "a" },
  { type: "text_delta", contentIndex: 2, delta: "b" },
  { type: "text_end", contentIndex: 2, contentSignature: "sig-2" },
  { type: "toolcall_start", contentIndex: 3, id: "c-1", toolName: "read" },
  { type: "toolcall_delta", contentIndex: 3, delta: '{"path":"a' },
  { type: "toolcall_delta", contentIndex: 3, delta: '.txt"}' },
  { type: "toolcall_end", contentIndex: 3, thoughtSignature: "sig-3" },
  { type: "done", reason: "toolUse", usage, rawStopReason: "tool_calls" },
];

Deno.test("assembleMessage() tells each step and what there is so far, every kind of delta", async () => {
  const { events, message } = await collect([everyDelta]);
  const thinking = [
    { type: "thinking", thinking: "hm", thinkingSignature: "sig-0" },
    { type: "thinking", thinking: "", redacted: true },
  ];
  const text = { type: "text", text: "ab", textSignature: "sig-2" };
  const call = (args: object) => ({
    type: "toolCall",
    id: "c-1",
    name: "read",
    arguments: args,
  });
  const ended = { ...call({ path: "a.txt" }), thoughtSignature: "sig-3" };
  const line = (name: string, rest: object, ...content: object[]) =>
    `${name} ${JSON.stringify(rest)} ${JSON.stringify(content)}`;
  const [first = {}] = thinking;
  assert.deepEqual(lines(events), [
    line("start", {}),
    line("thinking_start", { contentIndex: 0 }, {
      type: "thinking",
      thinking: "",
    }),
    line("thinking_delta", { contentIndex: 0, delta: "hm" }, {
      type: "thinking",
      thinking: "hm",
    }),
    line("thinking_end", { contentIndex: 0, content: "hm" }, first),
    line("thinking_start", { contentIndex: 1, redacted: true }, ...thinking),
    line("thinking_end", { contentIndex: 1, content: "" }, ...thinking),
    line("text_start", { contentIndex: 2 }, ...thinking, {
      type: "text",
      text: "",
    }),
    line("text_delta", { contentIndex: 2, delta: "a" }, ...thinking, {
      type: "text",
      text: "a",
    }),
    line("text_delta", { contentIndex: 2, delta: "b" }, ...thinking, {
      type: "text",
      text: "ab",
    }),
    line("text_end", { contentIndex: 2, content: "ab" }, ...thinking, text),
    line(
      "toolcall_start",
      { contentIndex: 3, id: "c-1", toolName: "read" },
      ...thinking,
      text,
      call({}),
    ),
    line(
      "toolcall_delta",
      { contentIndex: 3, delta: '{"path":"a' },
      ...thinking,
      text,
      call({ path: "a" }),
    ),
    line(
      "toolcall_delta",
      { contentIndex: 3, delta: '.txt"}' },
      ...thinking,
      text,
      call({ path: "a.txt" }),
    ),
    line(
      "toolcall_end",
      { contentIndex: 3, toolCall: ended },
      ...thinking,
      text,
      ended,
    ),
    `done toolUse ${JSON.stringify([...thinking, text, ended])}`,
  ]);
  assert.deepEqual(timeless(message), {
    role: "assistant",
    content: [...thinking, text, ended],
    api: "openai-completions",
    provider: "lab",
    model: "m-1",
    responseId: "r-1",
    responseModel: "m-1-dated",
    usage,
    stopReason: "toolUse",
    rawStopReason: "tool_calls",
  });
  const last = events.at(-1);
  assert.equal(last?.type === "done" && last.message, message);
});

Deno.test("assembleMessage() tells the same in any batches", async () => {
  const whole = lines((await collect([everyDelta])).events);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 5 }), { minLength: 1 }),
      async (sizes) => {
        const batches: AssistantDelta[][] = [];
        for (let at = 0, i = 0; at < everyDelta.length; i++) {
          // Empty batches too, but not for ever.
          const size = i < sizes.length
            ? sizes[i] as number
            : everyDelta.length;
          batches.push(everyDelta.slice(at, at + size));
          at += size;
        }
        assert.deepEqual(lines((await collect(batches)).events), whole);
      },
    ),
    { numRuns: 50 },
  );
});

/** Blocks that grow at the same time: each string is the deltas of one. */
const interleaved = fc.tuple(
  fc.array(
    fc.record({
      kind: fc.constantFrom("text", "thinking", "toolcall"),
      parts: fc.array(fc.string(), { maxLength: 4 }),
    }),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
  fc.infiniteStream(fc.nat()),
).map(([blocks, choices]) => {
  const queues = blocks.map(
    ({ kind, parts }, contentIndex): AssistantDelta[] => {
      const json = JSON.stringify({ v: parts.join("") });
      const pieces = kind === "toolcall"
        ? [json.slice(0, 5), json.slice(5)]
        : parts;
      const start = kind === "toolcall"
        ? {
          type: "toolcall_start",
          contentIndex,
          id: `c-${contentIndex}`,
          toolName: "t",
        }
        : { type: `${kind}_start`, contentIndex };
      return [
        start,
        ...pieces.map((delta) => ({
          type: `${kind}_delta`,
          contentIndex,
          delta,
        })),
        { type: `${kind}_end`, contentIndex },
      ] as AssistantDelta[];
    },
  );
  // Blocks start in their order, and go on in any.
  const deltas: AssistantDelta[] = [];
  let started = 0;
  while (queues.some((queue) => queue.length > 0)) {
    const choice = (choices.next().value as number) %
      Math.min(started + 1, queues.length);
    const delta = queues[choice]?.shift();
    if (delta && choice === started) started++;
    if (delta) deltas.push(delta);
  }
  const texts = blocks.map(({ parts }) => parts.join(""));
  return { deltas, texts };
});

Deno.test("assembleMessage() keeps blocks apart that grow interleaved", async () => {
  await fc.assert(
    fc.asyncProperty(interleaved, async ({ deltas, texts }) => {
      const { message } = await collect([deltas, [done]]);
      assert.deepEqual(
        message.content.map((block) => {
          if (block.type === "text") return block.text;
          return block.type === "thinking" ? block.thinking : block.arguments.v;
        }),
        texts,
      );
      assert.equal(message.stopReason, "stop");
    }),
    { numRuns: 200 },
  );
});

Deno.test("assembleMessage() never changes a message that an event showed", async () => {
  const start: AssistantDelta = { type: "start", responseId: "r-1" };
  const error: AssistantDelta = {
    type: "error",
    reason: "aborted",
    errorMessage: "Aborted",
  };
  await fc.assert(
    fc.asyncProperty(interleaved, fc.constantFrom(done, error), async (
      { deltas },
      last,
    ) => {
      const { events, copies } = await collectCopies([start, ...deltas, last]);
      assert.deepEqual(events, copies);
    }),
    { numRuns: 200 },
  );
});

Deno.test("assembleMessage() never changes a message that an event showed, id at the end", async () => {
  const { events, copies } = await collectCopies([
    { type: "start" },
    { type: "text_start", contentIndex: 0 },
    { ...done, responseId: "r-2", responseModel: "m-2" },
  ]);
  assert.deepEqual(events, copies);
});

Deno.test("assembleMessage() takes the response's id and model where they come last", async () => {
  const { message } = await collect([[{
    ...done,
    responseId: "r-2",
    responseModel: "m-2",
  }]]);
  assert.deepEqual([message.responseId, message.responseModel], ["r-2", "m-2"]);
  const same = await collect([[{ ...done, responseModel: "m-1" }]]);
  assert.equal("responseModel" in same.message, false);
});

Deno.test("assembleMessage() drops a call that did not end, and keeps what else there is", async () => {
  for (let length = 0; length < everyDelta.length; length++) {
    const { events, message } = await collect([everyDelta.slice(0, length)]);
    const last = events.at(-1);
    assert.equal(last?.type === "error" && last.error, message);
    assert.equal(message.stopReason, "error");
    assert.equal(message.errorKind, "stream_cut");
    assert.equal(
      message.errorMessage,
      "Stream cut: the response ended before it was complete",
    );
    const calls = message.content.filter((block) => block.type === "toolCall");
    assert.equal(calls.length, length === everyDelta.length - 1 ? 1 : 0);
    assert.equal(
      message.content.length,
      [0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4][length],
    );
  }
});

Deno.test("assembleMessage() ends as cut, a source that throws", async () => {
  const { events, message } = await collect(
    [everyDelta.slice(0, 8)],
    new Error("connection reset"),
  );
  assert.equal(message.errorMessage, "Stream cut: connection reset");
  assert.equal(message.errorKind, "stream_cut");
  assert.equal(message.content.length, 3);
  assert.equal(events.at(-1)?.type, "error");
});

Deno.test("assembleMessage() ends as cut, deltas that make no sense", async () => {
  const senseless: AssistantDelta[] = [
    { type: "text_delta", contentIndex: 0, delta: "a" },
    { type: "text_start", contentIndex: 5 },
    { type: "text_start", contentIndex: -1 },
    { type: "toolcall_delta", contentIndex: 0, delta: "{}" },
    { type: "toolcall_end", contentIndex: 0 },
    { type: "thinking_end", contentIndex: 0 },
  ];
  for (const delta of senseless) {
    const { events, message } = await collect([[delta, done]]);
    assert.deepEqual(events.map((event) => event.type), ["start", "error"]);
    assert.equal(message.errorKind, "stream_cut");
    assert.deepEqual(message.content, []);
  }
});

Deno.test("assembleMessage() does not believe the end while a call is open", async () => {
  const { message } = await collect([everyDelta.slice(0, 12), [done]]);
  assert.equal(message.stopReason, "error");
  assert.equal(
    message.errorMessage,
    "Stream cut: a tool call was announced but not completed",
  );
  assert.deepEqual(message.usage, usage);
  assert.equal(message.content.length, 3);
});

Deno.test("assembleMessage() passes on a provider's error, before and after the start", async () => {
  const error: AssistantDelta = {
    type: "error",
    reason: "error",
    errorMessage: "Too many requests",
    errorKind: "rate_limit",
    retryAfterMs: 5,
    usage,
  };
  const early = await collect([[error]]);
  assert.deepEqual(early.events.map((event) => event.type), ["error"]);
  const late = await collect([everyDelta.slice(0, 9), [error]]);
  assert.equal(late.message.content.length, 3);
  for (const { message } of [early, late]) {
    const { stopReason, errorMessage, errorKind, retryAfterMs } = message;
    assert.deepEqual(
      {
        stopReason,
        errorMessage,
        errorKind,
        retryAfterMs,
        usage: message.usage,
      },
      {
        stopReason: "error",
        errorMessage: "Too many requests",
        errorKind: "rate_limit",
        retryAfterMs: 5,
        usage,
      },
    );
  }
});

Deno.test("assembleMessage() ignores what follows the end, and lets the source clean up", async () => {
  let isClosed = false;
  async function* endless(): AsyncIterable<AssistantDelta[]> {
    try {
      while (true) {
        yield await Promise.resolve([done, {
          type: "text_start",
          contentIndex: 0,
        }]);
      }
    } finally {
      isClosed = true;
    }
  }
  const stream = assembleMessage(model, endless());
  const message = await stream.result();
  assert.deepEqual([message.stopReason, message.content, isClosed], [
    "stop",
    [],
    true,
  ]);
});

Deno.test("assembleMessage() keeps a call whose arguments did not parse, with the reason", async () => {
  const { message } = await collect([[
    { type: "toolcall_start", contentIndex: 0, id: "c-1", toolName: "write" },
    { type: "toolcall_delta", contentIndex: 0, delta: '{"path":"x.txt",,}' },
    { type: "toolcall_end", contentIndex: 0 },
    { type: "done", reason: "toolUse", usage },
  ]]);
  assert.deepEqual(message.content, [{
    type: "toolCall",
    id: "c-1",
    name: "write",
    arguments: {},
    argumentsError:
      "Expected double-quoted property name in JSON at position 16 (line 1 column 17)\n\n" +
      'Received arguments:\n{"path":"x.txt",,}',
  }]);
});
