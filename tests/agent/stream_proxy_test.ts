import assert from "node:assert/strict";
import {
  proxyDeltas,
  streamProxy,
  type StreamProxyOptions,
} from "../../src/agent/stream_proxy.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type {
  AssistantDelta,
  AssistantMessageEvent,
  Context,
  StreamOptions,
} from "../../src/model/stream.ts";
import { startByteServer } from "../support/byte_server.ts";
import { countListeners } from "../support/listener_count.ts";
import { testModel } from "../support/scripted_model.ts";

const TOKEN = "token-of-the-runner";
const CUT = "Connection closed by proxy server before the response completed";
const CONTEXT: Context = {
  messages: [{ role: "user", content: "hi", timestamp: 0 }],
};
const USAGE = { ...emptyUsage(), input: 3, output: 2, totalTokens: 5 };
const DONE: AssistantDelta = { type: "done", reason: "stop", usage: USAGE };

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

const MESSAGE = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "s" },
    { type: "text", text: "né 👍 }\n" },
    { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
  ],
  api: testModel.api,
  provider: testModel.provider,
  model: testModel.id,
  responseId: "r1",
  usage: USAGE,
  stopReason: "toolUse",
};

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function lines(deltas: unknown[], end = "\n\n"): string {
  return deltas.map((delta) => `data: ${JSON.stringify(delta)}${end}`).join("");
}

/** A body of these pieces that stays open when `open` is set, deaf to everything. */
function body(pieces: Uint8Array[], open = false): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      if (!open) controller.close();
    },
  });
}

/** Asks a proxy that answers with `response`. */
async function ask(
  response: Response | StreamProxyOptions["fetch"],
  options: StreamOptions = {},
  proxy: Partial<StreamProxyOptions> = {},
): Promise<{ events: AssistantMessageEvent[]; message: AssistantMessage }> {
  const streamFn = streamProxy({
    proxyUrl: "http://127.0.0.1:1/",
    authToken: TOKEN,
    fetch: response instanceof Response
      ? () => Promise.resolve(response)
      : response,
    ...proxy,
  } as StreamProxyOptions);
  const stream = await streamFn(testModel, CONTEXT, options);
  const events = await Array.fromAsync(stream);
  return { events, message: await stream.result() };
}

/** The message without what differs from run to run. */
function stable(
  { timestamp: _, durationMs: __, ...message }: AssistantMessage,
) {
  return message;
}

function failure({ message }: { message: AssistantMessage }): unknown[] {
  return [message.stopReason, message.errorKind, message.errorMessage];
}

Deno.test("streamProxy() sends names, context and the listed options, and no key", async () => {
  const seen: { url: string; init: RequestInit }[] = [];
  const streamFn = streamProxy({
    proxyUrl: "http://proxy.test/base/",
    authToken: TOKEN,
    fetch: (url, init) => {
      seen.push({ url, init });
      return Promise.resolve(new Response(lines([DONE])));
    },
  });
  const model = { ...testModel, headers: { "x-key": "of the model" } };
  const stream = await streamFn(model, CONTEXT, {
    apiKey: "secret-key",
    temperature: 0,
    maxTokens: 10,
    reasoning: "low",
    sessionId: "s1",
    toolChoice: "none",
    headers: { "x-trace": "1" },
    timeouts: { idleMs: 1000 },
    signal: new AbortController().signal,
  });
  assert.equal((await stream.result()).stopReason, "stop");
  const [{ url, init } = assert.fail()] = seen;
  assert.equal(seen.length, 1);
  assert.equal(url, "http://proxy.test/base/api/stream");
  assert.equal(init.method, "POST");
  assert.equal(init.redirect, "manual");
  assert.deepEqual(Object.fromEntries(new Headers(init.headers)), {
    accept: "text/event-stream",
    authorization: `Bearer ${TOKEN}`,
    "content-type": "application/json",
  });
  assert.deepEqual(JSON.parse(String(init.body)), {
    model: testModel,
    context: CONTEXT,
    options: {
      temperature: 0,
      maxTokens: 10,
      reasoning: "low",
      sessionId: "s1",
      toolChoice: "none",
      headers: { "x-trace": "1" },
    },
  });
});

Deno.test("streamProxy() reads an answer that arrives byte by byte, however its lines end", async () => {
  for (const end of ["\n", "\r\n", "\n\n", "\r\n\r\n"]) {
    const text = `: hello${end}event: x${end}${lines(ANSWER, end)}`;
    const pieces = [...bytes(text)].map((byte) => Uint8Array.of(byte));
    const { events, message } = await ask(new Response(body(pieces)));
    assert.deepEqual(stable(message), MESSAGE, JSON.stringify(end));
    assert.deepEqual(
      events.map(({ type }) => type),
      ANSWER.map(({ type }) => type),
    );
  }
});

Deno.test("streamProxy() takes a last line without a line break, and nothing behind it", async () => {
  const text = lines(ANSWER).trimEnd();
  const { message } = await ask(new Response(text));
  assert.deepEqual(stable(message), MESSAGE);
  const more = [...ANSWER, { type: "text_start", contentIndex: 3 }, "junk"];
  assert.deepEqual(
    stable((await ask(new Response(lines(more)))).message),
    MESSAGE,
  );
});

Deno.test("proxyDeltas() ends with the last event, in a connection that stays open", async () => {
  const text = lines([...ANSWER, DONE, "junk"]);
  const source = proxyDeltas({
    proxyUrl: "http://127.0.0.1:1",
    authToken: TOKEN,
    fetch: () => Promise.resolve(new Response(body([bytes(text)], true))),
  });
  const batches = await Array.fromAsync(source(testModel, CONTEXT, {}));
  assert.deepEqual(batches, [ANSWER]);
});

Deno.test("streamProxy() closes a connection that stays open behind the last event", async () => {
  const cancelled = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes(lines(ANSWER))),
    cancel: () => cancelled.resolve(),
  });
  const { message } = await ask(new Response(stream));
  assert.deepEqual(stable(message), MESSAGE);
  await cancelled.promise;
});

Deno.test("streamProxy() ends with an error wherever the connection is cut before the last event", async () => {
  const whole = bytes(lines(ANSWER));
  const complete = bytes(lines(ANSWER).trimEnd()).length;
  // The end of the connection as the end of the body, and as a broken promise.
  const heads = ["", `content-length: ${whole.length + 1}\r\n`];
  for (const head of heads) {
    const start = bytes(`HTTP/1.1 200 OK\r\n${head}\r\n`);
    await using server = startByteServer((at) =>
      new Uint8Array([...start, ...whole.subarray(0, at)])
    );
    for (let at = 0; at <= whole.length; at++) {
      const { events, message } = await ask(globalThis.fetch, {}, {
        proxyUrl: server.url,
      });
      if (at >= complete) {
        assert.equal(events.at(-1)?.type, "done", `cut at ${at}`);
        assert.deepEqual(stable(message), MESSAGE);
        continue;
      }
      assert.deepEqual(
        failure({ message }),
        ["error", "stream_cut", CUT],
        `cut at ${at}`,
      );
      for (const block of message.content) {
        if (block.type !== "toolCall") continue;
        assert.deepEqual(block.arguments, { path: "." });
      }
    }
  }
});

Deno.test("streamProxy() passes on the error that the proxy tells, with kind and usage", async () => {
  const { message } = await ask(
    new Response(lines([...ANSWER.slice(0, 6), {
      type: "error",
      reason: "error",
      errorMessage: `the provider limits ${TOKEN}`,
      errorKind: "rate_limit",
      retryAfterMs: 1500,
      usage: USAGE,
    }])),
  );
  assert.deepEqual(failure({ message }), [
    "error",
    "rate_limit",
    "the provider limits ***",
  ]);
  assert.equal(message.retryAfterMs, 1500);
  assert.deepEqual(message.usage, USAGE);
  assert.equal(message.content.length, 2);
});

Deno.test("streamProxy() takes a proxy's own abort for a cut, and a kind it does not know for none", async () => {
  const error = { type: "error", errorMessage: "gone" };
  const { message } = await ask(
    new Response(lines([{ ...error, reason: "aborted" }])),
  );
  assert.deepEqual(failure({ message }), ["error", "stream_cut", "gone"]);
  const unknown = { ...error, reason: "error", errorKind: "__proto__" };
  const other = await ask(new Response(lines([unknown])));
  assert.deepEqual(failure(other), ["error", undefined, "gone"]);
});

const STATUSES: [number, string, ResponseInit["headers"], unknown[]][] = [
  [401, '{"error":"no such token"}', {}, [
    "auth",
    "Proxy error: no such token",
  ]],
  [403, "", {}, ["auth", "Proxy error: 403 Text"]],
  [404, "<html>", {}, ["refused", "Proxy error: 404 Text"]],
  [302, "", { location: "http://x" }, ["refused", "Proxy error: 302 Text"]],
  [408, "{}", {}, ["timeout", "Proxy error: 408 Text"]],
  [413, '{"error":5}', {}, ["context_overflow", "Proxy error: 413 Text"]],
  [429, '{"error":"slow\\n down"}', { "retry-after": "2" }, [
    "rate_limit",
    "Proxy error: slow down",
  ]],
  [500, '{"error":""}', {}, ["overloaded", "Proxy error: 500 Text"]],
  [504, "", {}, ["timeout", "Proxy error: 504 Text"]],
  [500, `{"error":"you sent Bearer ${TOKEN}"}`, {}, [
    "overloaded",
    "Proxy error: you sent Bearer ***",
  ]],
];

for (const [status, text, headers, expected] of STATUSES) {
  Deno.test(`streamProxy() words status ${status} with ${text || "no body"}`, async () => {
    const init = { status, statusText: "Text", headers };
    const { message } = await ask(new Response(text, init as ResponseInit));
    assert.deepEqual(failure({ message }), ["error", ...expected]);
    assert.equal(message.retryAfterMs, status === 429 ? 2000 : undefined);
  });
}

Deno.test("streamProxy() bounds what it reads and shows of an error", async () => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(bytes("x".repeat(50_000))),
  });
  const { message } = await ask(new Response(endless, { status: 500 }));
  assert.deepEqual(failure({ message }), [
    "error",
    "overloaded",
    "Proxy error: 500",
  ]);
  // The token stands across the place of the cut.
  const long = JSON.stringify({ error: "é".repeat(490) + TOKEN.repeat(9) });
  const other = await ask(new Response(long, { status: 500 }));
  assert.equal(
    other.message.errorMessage,
    `Proxy error: ${"é".repeat(490)}${"*".repeat(10)}`,
  );
});

Deno.test("streamProxy() says so when something else than a proxy answers", async () => {
  for (const type of ["text/html", "application/json"]) {
    const headers = { "content-type": `${type}; charset=utf-8` };
    const { message } = await ask(new Response("{}", { headers }));
    assert.deepEqual(failure({ message }), [
      "error",
      "refused",
      `Proxy error: answered with ${type} instead of a stream of events; check its address`,
    ]);
  }
});

const WRONG_EVENTS: [string, string][] = [
  ["{", "an event that is not JSON"],
  ["[DONE]", "an event that is not JSON"],
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
  ['{"type":"error","reason":"error"}', "a wrong error: errorMessage: "],
];

for (const [data, words] of WRONG_EVENTS) {
  Deno.test(`streamProxy() ends at the event ${data}, and keeps what came before`, async () => {
    const text = `${lines(ANSWER.slice(0, 7))}data: ${data}\n\n`;
    const { message } = await ask(new Response(text));
    const [reason, kind, errorMessage] = failure({ message });
    assert.deepEqual([reason, kind], ["error", "stream_cut"]);
    assert(
      String(errorMessage).startsWith(`Proxy error: sent ${words}`),
      String(errorMessage),
    );
    assert.deepEqual(message.content, MESSAGE.content.slice(0, 2));
  });
}

Deno.test("streamProxy() leaves out events of a type that it does not know", async () => {
  const more = [{ type: "ping" }, { type: "toString" }, ...ANSWER];
  const { message } = await ask(new Response(lines(more)));
  assert.deepEqual(stable(message), MESSAGE);
});

Deno.test("streamProxy() ends at a line without end", async () => {
  const piece = bytes("x".repeat(1024 * 1024));
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(piece),
  });
  assert.deepEqual(failure(await ask(new Response(endless))), [
    "error",
    "refused",
    "Proxy error: sent an event that is too large",
  ]);
});

Deno.test("streamProxy() ends as aborted at any time, and takes its listeners away", async () => {
  const open = () =>
    new Response(body([bytes(lines(ANSWER.slice(0, 3)))], true));
  const places: [string, StreamProxyOptions["fetch"]][] = [
    ["while it waits for the response", () => new Promise(() => {})],
    ["while it reads", () => Promise.resolve(open())],
    [
      "while it reads an error",
      () => Promise.resolve(new Response(body([], true), { status: 500 })),
    ],
  ];
  for (const [place, fetch] of places) {
    const abort = new AbortController();
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const answer = ask((...args) => {
      queueMicrotask(resolve);
      return fetch!(...args);
    }, { signal: abort.signal });
    await asked;
    abort.abort();
    assert.deepEqual(
      failure(await answer),
      ["aborted", undefined, "Request aborted by user"],
      place,
    );
  }
  let calls = 0;
  const before = await ask(() => Promise.reject(calls++), {
    signal: AbortSignal.abort(),
  });
  assert.equal(before.message.stopReason, "aborted");
  assert.equal(calls, 0);
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  await ask(new Response(lines(ANSWER)), { signal });
  assert.equal(listeners.left(), 0);
});

Deno.test("streamProxy() does not wait forever for a silent proxy", async () => {
  const timeouts = { firstByteMs: 20, idleMs: 20 };
  const words = "Proxy error: sent nothing for 0.02 s";
  const silent = await ask(() => new Promise(() => {}), { timeouts });
  assert.deepEqual(failure(silent), ["error", "timeout", words]);
  const stalled = body([bytes(lines(ANSWER.slice(0, 3)))], true);
  const { message } = await ask(new Response(stalled), { timeouts });
  assert.deepEqual(failure({ message }), ["error", "timeout", words]);
  assert.equal(message.content.length, 1);
});

Deno.test("streamProxy() says why a proxy cannot be asked, and shows neither token nor password", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  const table: [Partial<StreamProxyOptions>, string, RegExp][] = [
    [
      { proxyUrl: `http://me:pass-word@127.0.0.1:${port}` },
      "unreachable",
      /^Proxy error: cannot be reached at 127\.0\.0\.1:\d+: .*refused/i,
    ],
    [{ proxyUrl: "ftp://x" }, "refused", /address is not an http/],
    [{ proxyUrl: "" }, "refused", /address is not an http/],
    [
      { authToken: "line\nbreak-in-it" },
      "auth",
      /^Proxy error: the token holds a character/,
    ],
  ];
  for (const [proxy, kind, words] of table) {
    const [reason, is, text] = failure(await ask(globalThis.fetch, {}, proxy));
    assert.deepEqual([reason, is], ["error", kind]);
    assert.match(String(text), words);
    assert.doesNotMatch(String(text), /pass-word|break-in|token-of/);
  }
});
