import assert from "node:assert/strict";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type { AssistantDelta, Context } from "../../src/model/stream.ts";
import {
  proxyDeltas,
  streamProxy,
} from "../../src/providers/proxy/stream_proxy.ts";
import { type Reply, startProviderDouble } from "../support/provider_double.ts";
import { testModel } from "../support/scripted_model.ts";

const TOKEN = "token-of-the-runner";
const CONTEXT: Context = {
  messages: [{ role: "user", content: "hi", timestamp: 0 }],
};
const USAGE = { ...emptyUsage(), input: 3, output: 2, totalTokens: 5 };

/** An answer with a block of each type. */
const ANSWER: AssistantDelta[] = [
  { type: "start", responseId: "r1" },
  { type: "thinking_start", contentIndex: 0 },
  { type: "thinking_delta", contentIndex: 0, delta: "hm" },
  { type: "thinking_end", contentIndex: 0, contentSignature: "s" },
  { type: "text_start", contentIndex: 1 },
  { type: "text_delta", contentIndex: 1, delta: "né 👍 }\n" },
  { type: "text_end", contentIndex: 1 },
  { type: "toolcall_start", contentIndex: 2, id: "c1", toolName: "ls" },
  { type: "toolcall_delta", contentIndex: 2, delta: '{"path":"."}' },
  { type: "toolcall_end", contentIndex: 2 },
  { type: "done", reason: "toolUse", usage: USAGE },
];

const CONTENT = [
  { type: "thinking", thinking: "hm", thinkingSignature: "s" },
  { type: "text", text: "né 👍 }\n" },
  { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
];

function lines(deltas: unknown[], end = "\n\n"): string {
  return deltas.map((delta) => `data: ${JSON.stringify(delta)}${end}`).join("");
}

/** The message that comes of one reply of a proxy. */
async function answerTo(reply: Reply): Promise<AssistantMessage> {
  await using double = startProviderDouble({
    api: "tau-proxy",
    script: [reply],
  });
  const proxy = { proxyUrl: double.url, authToken: TOKEN };
  return await (await streamProxy(proxy)(testModel, CONTEXT)).result();
}

function failureOf(message: AssistantMessage): unknown[] {
  return [message.stopReason, message.errorKind, message.errorMessage];
}

Deno.test("streamProxy() sends names, context and the listed options, and no key", async () => {
  await using double = startProviderDouble({
    api: "tau-proxy",
    script: [{ body: lines(ANSWER) }],
  });
  const model = { ...testModel, headers: { "x-key": "of the model" } };
  const options = {
    temperature: 0,
    maxTokens: 10,
    reasoning: "low",
    sessionId: "s1",
    headers: { "x-trace": "1" },
    toolChoice: "none",
  } as const;
  const proxy = { proxyUrl: `${double.url}/`, authToken: TOKEN };
  const stream = await streamProxy(proxy)(model, CONTEXT, {
    ...options,
    apiKey: "secret-key",
    timeouts: { idleMs: 1000 },
    hooks: { request: () => assert.fail("a proxy's request is not shown") },
  });
  assert.equal((await stream.result()).stopReason, "toolUse");
  const [{ text, headers } = assert.fail()] = double.requests;
  assert.deepEqual(
    [headers.authorization, headers.accept, headers["content-type"]],
    [`Bearer ${TOKEN}`, "text/event-stream", "application/json"],
  );
  assert.equal(
    text,
    JSON.stringify({ model: testModel, context: CONTEXT, options }),
  );
});

Deno.test("streamProxy() reads an answer however its lines end, and nothing behind it", async () => {
  const junk = [{ type: "text_start", contentIndex: 3 }, "junk"];
  // Types that it does not know may come with a newer proxy.
  const unknown = [{ type: "ping" }, { type: "toString" }];
  for (const end of ["\n", "\r\n", "\n\n", "\r\n\r\n"]) {
    const message = await answerTo({
      body: `: hello${end}${lines([...unknown, ...ANSWER, ...junk], end)}`,
      oneByteAtATime: true,
    });
    assert.deepEqual(message.content, CONTENT, JSON.stringify(end));
    assert.deepEqual(
      [message.stopReason, message.responseId, message.usage],
      ["toolUse", "r1", USAGE],
    );
  }
  const { content } = await answerTo({ body: lines(ANSWER).trimEnd() });
  assert.deepEqual(content, CONTENT);
});

Deno.test("proxyDeltas() passes on the deltas as they are, and none behind the last", async () => {
  const body = lines([...ANSWER, ANSWER.at(-1), "junk"]);
  await using double = startProviderDouble({
    api: "tau-proxy",
    script: [{ body, hangAfterBytes: body.length * 2 }],
  });
  const proxy = { proxyUrl: double.url, authToken: TOKEN };
  const deltas = proxyDeltas(proxy)(testModel, CONTEXT, {});
  assert.deepEqual((await Array.fromAsync(deltas)).flat(), ANSWER);
});

Deno.test("streamProxy() ends with an error wherever the answer is cut before its last event", async () => {
  const whole = new TextEncoder().encode(lines(ANSWER).trimEnd());
  for (let at = 0; at < whole.length; at += 3) {
    for (const framing of ["chunked", "close"] as const) {
      const message = await answerTo({
        body: whole,
        cutAfterBytes: at,
        framing,
      });
      assert.deepEqual(failureOf(message), [
        "error",
        "stream_cut",
        "Connection closed by proxy server before the response completed",
      ], `cut at ${at}`);
    }
  }
});

Deno.test("streamProxy() passes on the error that the proxy tells, with kind and usage", async () => {
  const error = { type: "error", reason: "error", errorMessage: "gone" };
  const message = await answerTo({
    body: lines([...ANSWER.slice(0, 6), {
      ...error,
      errorMessage: `the provider limits ${TOKEN}`,
      errorKind: "rate_limit",
      retryAfterMs: 1500,
      usage: USAGE,
    }]),
  });
  assert.deepEqual(failureOf(message), [
    "error",
    "rate_limit",
    "the provider limits ***",
  ]);
  assert.equal(message.retryAfterMs, 1500);
  assert.deepEqual(message.usage, USAGE);
  assert.equal(message.content.length, 2);
  // A proxy's own abort is a cut here; a kind that is not known is none.
  const kinds = [
    [{ reason: "aborted" }, "stream_cut"],
    [{ errorKind: "__proto__" }, undefined],
  ] as const;
  for (const [changes, kind] of kinds) {
    const other = await answerTo({ body: lines([{ ...error, ...changes }]) });
    assert.deepEqual(failureOf(other), ["error", kind, "gone"]);
  }
});

const STATUSES: [number, string, kind: string, words: string][] = [
  [401, '{"error":"no such token"}', "auth", "no such token"],
  [402, '{"error":"no budget"}', "quota", "no budget"],
  [403, "", "auth", "403 Forbidden"],
  [404, "<html>", "refused", "404 Not Found"],
  [408, "{}", "timeout", "408 Request Timeout"],
  [413, '{"error":5}', "context_overflow", "413 Payload Too Large"],
  [429, '{"error":"slow\\n down"}', "rate_limit", "slow down"],
  [500, '{"error":""}', "overloaded", "500 Internal Server Error"],
  [504, "Bad gateway", "timeout", "504 Gateway Timeout"],
  [500, `{"error":"sent Bearer ${TOKEN}"}`, "overloaded", "sent Bearer ***"],
];

for (const [status, body, kind, words] of STATUSES) {
  Deno.test(`streamProxy() words status ${status} with ${body || "no body"}`, async () => {
    assert.deepEqual(
      failureOf(await answerTo({ status, body })),
      ["error", kind, `Proxy error: ${words}`],
    );
  });
}

const WRONG_EVENTS: [data: string, words: string][] = [
  ["null", "an event without a type"],
  ['{"type":5}', "an event without a type"],
  [
    '{"type":"text_start","contentIndex":4096}',
    "a wrong text_start: contentIndex: ",
  ],
  [
    '{"type":"text_delta","contentIndex":0,"delta":["x"]}',
    "a wrong text_delta: delta: ",
  ],
  ['{"type":"done","reason":"stop"}', "a wrong done: usage: "],
  ['{"type":"done","reason":"error"}', "a wrong done: "],
  ['{"type":"error"}', "a wrong error: reason: "],
];

for (const [data, words] of WRONG_EVENTS) {
  Deno.test(`streamProxy() ends at the event ${data}, and keeps what came before`, async () => {
    const message = await answerTo({
      body: `${lines(ANSWER.slice(0, 7))}data: ${data}\n\n`,
    });
    const [reason, kind, errorMessage] = failureOf(message);
    assert.deepEqual([reason, kind], ["error", "stream_cut"]);
    assert(
      String(errorMessage).startsWith(`Proxy error: sent ${words}`),
      String(errorMessage),
    );
    assert.deepEqual(message.content, CONTENT.slice(0, 2));
  });
}

Deno.test("streamProxy() takes an error without a reason, and is a stream function itself", async () => {
  const body = 'data: {"type":"error","reason":"error"}\n\n';
  const [reason, , words] = failureOf(await answerTo({ body }));
  assert.deepEqual([reason, words], ["error", "the proxy gave no reason"]);
  const stream = streamProxy(testModel, CONTEXT, {
    proxyUrl: "http://127.0.0.1:1",
    authToken: TOKEN,
  });
  assert.equal((await stream.result()).errorKind, "unreachable");
});

Deno.test("streamProxy() shows no password of the proxy's address", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const proxyUrl = `http://me:pass-word@127.0.0.1:${port}`;
  const stream = await streamProxy({ proxyUrl, authToken: TOKEN })(
    testModel,
    CONTEXT,
  );
  const [, kind, words] = failureOf(await stream.result());
  assert.equal(kind, "unreachable");
  assert.match(
    String(words),
    /^Proxy error: cannot be reached at 127\.0\.0\.1:\d+: .*refused/i,
  );
  assert.doesNotMatch(String(words), /pass-word/);
});
