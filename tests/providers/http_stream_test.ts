import assert from "node:assert/strict";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import type { AssistantMessage } from "../../src/model/message.ts";
import type { Api, Model } from "../../src/model/model.ts";
import type {
  AssistantDelta,
  Context,
  DeltaSource,
  StreamOptions,
} from "../../src/model/stream.ts";
import { findPreset } from "../../src/providers/presets.ts";
import { proxyDeltas } from "../../src/providers/proxy/stream_proxy.ts";
import { deltaSourceFor } from "../../src/providers/delta_source_for.ts";
import { countListeners } from "../support/listener_count.ts";
import { type Answer, anthropicStream } from "../support/provider_answer.ts";
import {
  call,
  type ProviderDoubleOptions,
  type Reply,
  say,
  startProviderDouble,
  wireDoubles,
} from "../support/provider_double.ts";
import { recordedStream, testModel } from "../support/recorded_stream.ts";
import type { Format } from "../support/request_fault.ts";
import { user } from "../support/transcript_builder.ts";

const KEY = "sk-test-0123456789";
const PROXY = "tau-proxy";
/** The proxy's message for an answer that broke off. */
const CUT = "Connection closed by proxy server before the response completed";
const apis: Format[] = [
  "openai-completions",
  "openai-responses",
  "anthropic-messages",
  "google-generative-ai",
  PROXY,
];
/** Recorded streams of the same text. */
const TEXT_STREAMS: Partial<Record<Format, string>> = {
  "openai-completions": "completions_text",
  "openai-responses": "responses_text",
  "anthropic-messages": "anthropic_text",
  "google-generative-ai": "google_text",
};
/** Members that a first call has in one format only. */
const FIRST_CALLS: Partial<Record<Format, object>> = {
  "anthropic-messages": { id: "toolu_1_0" },
  "google-generative-ai": { id: "call", thoughtSignature: "sig-1" },
};
/** The header that carries the key, where it is not `authorization`. */
const KEY_HEADERS: Partial<Record<Format, string>> = {
  "anthropic-messages": "x-api-key",
  "google-generative-ai": "x-goog-api-key",
};
const context: Context = { systemPrompt: "s", messages: [user("hi")] };

/** A model that is asked in a format; a proxy passes on requests of any. */
function modelOf(api: Format, changes: Partial<Model> = {}): Model {
  return testModel(api === PROXY ? "openai-completions" : api, changes);
}

async function sourceOf(api: Format, model: Model): Promise<DeltaSource> {
  if (api !== PROXY) return await deltaSourceFor(api);
  return (asked, context, { apiKey: authToken = "", ...options }) =>
    proxyDeltas({ proxyUrl: model.baseUrl, authToken })(
      asked,
      context,
      options,
    );
}

async function ask(
  api: Format,
  changes: Partial<Model> = {},
  options: StreamOptions = {},
): Promise<AssistantMessage> {
  const model = modelOf(api, changes);
  const source = await sourceOf(api, model);
  const deltas = source(model, context, { apiKey: KEY, ...options });
  return await assembleMessage(model, deltas).result();
}

/** The message that comes of one reply. */
async function answerTo(
  api: Format,
  reply: Reply,
  options: StreamOptions = {},
): Promise<AssistantMessage> {
  await using double = start(api, [reply]);
  return await ask(api, { baseUrl: double.url }, options);
}

function start(api: Format, script: ProviderDoubleOptions["script"]) {
  return startProviderDouble({ api, script });
}

/** The bytes of an answer that says "né 你好😀". */
function textStream(api: Format): Uint8Array<ArrayBuffer> {
  const name = TEXT_STREAMS[api];
  return name === undefined
    ? new TextEncoder().encode(
      wireDoubles[api].stream({ text: "né 你好😀" }, "1"),
    )
    : recordedStream(name).slice();
}

/** The number of bytes of an answer's stream before a piece of text. */
function offsetOf(
  api: Format,
  { say: answer }: { say: Answer },
  piece: string,
): number {
  const offset = wireDoubles[api].stream(answer, "1").indexOf(piece);
  assert(offset > 0);
  return offset;
}

/** Says two of its three pieces, then nothing. */
function silentAfterText(api: Format): Reply {
  const answer = say("one two three");
  return { ...answer, hangAfterBytes: offsetOf(api, answer, 'ree"') };
}

/** Replies that are no answer, and the failure of each. */
function failures(
  api: Format,
): [
  what: string,
  reply: Reply,
  timeouts: StreamOptions["timeouts"],
  kind: string,
  words: string,
][] {
  const isProxy = api === PROXY;
  const who = isProxy ? "Proxy error:" : "lab";
  const json = { "content-type": "application/json; charset=utf-8" };
  const html = { "content-type": "text/html" };
  const error = (message: string) => JSON.stringify({ error: { message } });
  const cut = isProxy ? CUT : "lab ended the answer before it was complete";
  return [
    ["no event", { body: "" }, {}, "stream_cut", cut],
    [
      "no event, and no length",
      { body: "", framing: "close" },
      {},
      "stream_cut",
      cut,
    ],
    [
      "a key that the server repeats, and hides it",
      { status: 401, body: error(`Bad key ${KEY}`) },
      {},
      "auth",
      isProxy
        ? "Proxy error: Bad key ***"
        : 'lab did not accept the API key (401): Bad key ***; check the key of provider "lab" in the settings',
    ],
    [
      "a server that accepts and never answers",
      { hang: true },
      { connectMs: 100, firstByteMs: 400 },
      "timeout",
      `${who} sent nothing within 0.4 s`,
    ],
    [
      "a stream that falls silent, and keeps what came",
      silentAfterText(api),
      { idleMs: 300 },
      "timeout",
      `${who} sent nothing for 0.3 s`,
    ],
    [
      "a document with an error",
      { body: error("model is loading, try again"), headers: json },
      {},
      "overloaded",
      isProxy
        ? "Proxy error: model is loading, try again"
        : "lab is overloaded or failing: model is loading, try again",
    ],
    [
      "a document",
      { body: "{}", headers: json },
      {},
      "stream_cut",
      `${who} answered with one JSON document instead of a stream of events`,
    ],
    [
      "a web page",
      { body: "<html>", headers: html },
      {},
      "refused",
      `${who} answered with a web page; check the base URL`,
    ],
  ];
}

function textOf(message: AssistantMessage): string {
  return message.content.map((block) =>
    block.type === "text" ? block.text : block.type
  ).join("|");
}

/** How a message failed. Every failure must hide the key. */
function failureOf(message: AssistantMessage): (string | undefined)[] {
  assert(!JSON.stringify(message).includes(KEY), message.errorMessage);
  return [message.stopReason, message.errorKind, message.errorMessage];
}

for (const api of apis) {
  const isProxy = api === PROXY;
  const who = isProxy ? "Proxy error:" : "lab";

  Deno.test(`${api} sends one request and reads the answer`, async () => {
    await using double = start(api, [
      say("né 你好😀", call("ls", { path: "." })),
    ]);
    const { signal } = new AbortController();
    const listeners = countListeners(signal);
    const message = await ask(api, {
      baseUrl: `${double.url}/`,
      headers: { "x-model": "1", "x-both": "model" },
      cost: { input: 1e6, output: 2e6, cacheRead: 0, cacheWrite: 0 },
    }, { headers: { "x-both": "option", "User-Agent": null }, signal });
    assert.equal(listeners.left(), 0);
    assert.deepEqual(message.content, [
      { type: "text", text: "né 你好😀" },
      {
        type: "toolCall",
        id: "call_1_0",
        name: "ls",
        arguments: { path: "." },
        ...FIRST_CALLS[api],
      },
    ]);
    assert.equal(message.stopReason, "toolUse");
    assert.equal(message.responseModel, "double");
    assert.deepEqual(message.usage.cost, {
      input: 10,
      output: 10,
      cacheRead: 0,
      cacheWrite: 0,
      total: 20,
    });
    const [request] = double.requests;
    assert.equal(double.requests.length, 1);
    const headers = request?.headers ?? {};
    const header = KEY_HEADERS[api];
    assert.equal(
      header ? headers[header] : headers.authorization,
      header ? KEY : `Bearer ${KEY}`,
    );
    // A proxy is sent the caller's headers in the body, and the model's not at all.
    assert.equal(headers["x-model"], isProxy ? undefined : "1");
    assert.equal(headers["x-both"], isProxy ? undefined : "option");
    assert.equal(!!headers["user-agent"]?.includes("tau"), isProxy);
  });

  // The requests to a proxy are shown to nobody.
  if (!isProxy) {
    Deno.test(`${api} shows hooks the request without credentials, and sends what they return`, async () => {
      await using double = start(api, [{ ...say("ok"), anyRequest: true }]);
      const shown: object[] = [];
      const events: unknown[] = [];
      const message = await ask(api, {
        baseUrl: double.url,
        headers: { "x-model": "1", "x-secret": "hidden" },
      }, {
        headers: { authorization: "Bearer hidden", "x-gone": null },
        hooks: {
          headers(headers) {
            shown.push(headers);
            return Promise.resolve({ "x-added": "2" });
          },
          request: (body) => Promise.resolve({ ...body, added: true }),
          response({ status }) {
            shown.push({ status });
            return Promise.resolve();
          },
        },
        onPayload(payload, { id }) {
          return { ...payload as object, byHost: id };
        },
        onResponse: ({ status }) => void shown.push({ told: status }),
        onProviderStreamEvent: (event) => events.push(event),
      });
      assert.equal(message.stopReason, "stop");
      assert(events.length > 2);
      assert(events.every((event) => typeof event === "object"));
      const { "anthropic-version": _, ...headers } = shown[0] as {
        "anthropic-version"?: string;
      };
      assert.deepEqual([headers, ...shown.slice(1)], [
        { "x-model": "1" },
        { status: 200 },
        { told: 200 },
      ]);
      const [request] = double.requests;
      assert.equal(request?.headers["x-added"], "2");
      const { added, byHost } = request?.body as Record<string, unknown>;
      assert.equal(added, true);
      assert.equal(typeof byHost, "string");
    });
  }

  Deno.test(`${api} reads an answer that arrives byte by byte with CRLF`, async () => {
    const message = await answerTo(api, {
      body: textStream(api),
      oneByteAtATime: true,
    });
    assert.equal(textOf(message), "né 你好😀");
    assert.equal(message.stopReason, "stop");
  });

  Deno.test(`${api} reads a compressed answer`, async () => {
    const gzip = new CompressionStream("gzip");
    const packed = new Blob([textStream(api)]).stream()
      .pipeThrough(gzip);
    const message = await answerTo(api, {
      body: await new Response(packed).bytes(),
      headers: { "content-encoding": "gzip" },
    });
    assert.equal(textOf(message), "né 你好😀");
  });

  for (const framing of ["chunked", "close"] as const) {
    Deno.test(`${api} reports an answer that was cut in a call as cut, ${framing}`, async () => {
      const cutInCall = say(
        "text",
        call("write", { path: "out.txt", content: "hello" }),
      );
      const message = await answerTo(api, {
        ...cutInCall,
        cutAfterBytes: offsetOf(api, cutInCall, "hello"),
        framing,
      });
      assert.deepEqual([message.stopReason, message.errorKind], [
        "error",
        "stream_cut",
      ]);
      assert.equal(textOf(message), "text");
    });
  }

  Deno.test(`${api} tells the wait that a busy server asks for`, async () => {
    const error = isProxy
      ? "slow"
      : { type: "rate_limit_error", message: "slow" };
    const body = JSON.stringify({ type: "error", error });
    const at = (status: number, value: string) =>
      answerTo(api, { status, body, headers: { "Retry-After": value } });
    const limited = await at(429, "3");
    assert.deepEqual(failureOf(limited), [
      "error",
      "rate_limit",
      isProxy
        ? "Proxy error: slow"
        : "lab limits the rate of requests (429): slow",
    ]);
    assert.equal(limited.retryAfterMs, 3000);
    const busy = await at(529, new Date(Date.now() + 5000).toUTCString());
    assert.equal(busy.errorKind, "overloaded");
    assert((busy.retryAfterMs ?? 0) > 2000 && (busy.retryAfterMs ?? 0) <= 5000);
    assert.equal((await at(500, "soon")).retryAfterMs, undefined);
  });

  // A proxy's token is an option that nobody can forget.
  if (!isProxy) {
    Deno.test(`${api} says what to set when a preset's key is missing, and sends nothing`, async () => {
      await using double = start(api, [say("ok")]);
      const groq = {
        provider: "groq",
        baseUrl: findPreset("groq")?.baseUrl ?? "",
      };
      assert.deepEqual(failureOf(await ask(api, groq, { apiKey: " " })), [
        "error",
        "auth",
        "No API key for groq; set GROQ_API_KEY",
      ]);
      const gateway = { ...groq, baseUrl: double.url };
      const credential = "the gateway wants one";
      const headers = { "x-api-key": credential, "x-goog-api-key": credential };
      const message = await ask(api, gateway, { apiKey: "", headers });
      assert.equal(textOf(message), "ok");
    });
  }

  for (const [what, reply, timeouts, kind, words] of failures(api)) {
    Deno.test(`${api} ends in an error at ${what}`, async () => {
      const message = await answerTo(api, reply, { timeouts });
      assert.deepEqual(failureOf(message), ["error", kind, words]);
      if (reply.say) assert.equal(textOf(message), "one two th");
    });
  }

  Deno.test(`${api} does not follow a redirect with its key`, async () => {
    await using target = start(api, []);
    const message = await answerTo(api, {
      status: 307,
      headers: { location: `${target.url}/x?key=${KEY}` },
    });
    assert.deepEqual(message.errorKind, "refused");
    assert.match(
      failureOf(message)[2] ?? "",
      /redirected the request \(307\) to http:\/\/127/,
    );
    assert.equal(target.requests.length, 0);
  });

  Deno.test(`${api} ends an answer that is complete although the connection stays open`, async () => {
    await using double = start(api, [{
      ...say("all"),
      hangAfterBytes: 100_000,
    }]);
    const message = await ask(api, { baseUrl: double.url });
    assert.equal(message.stopReason, "stop");
  });

  Deno.test(`${api} ends as aborted when the signal fires before, during the wait, and during the answer`, async () => {
    const words = isProxy ? "Request aborted by user" : "Request aborted";
    const aborted = ["aborted", undefined, words];
    await using double = start(api, [
      { hang: true },
      silentAfterText(api),
    ]);
    const model = modelOf(api, { baseUrl: double.url });
    assert.deepEqual(
      failureOf(await ask(api, model, { signal: AbortSignal.abort() })),
      aborted,
    );
    assert.equal(double.requests.length, 0);

    const waiting = new AbortController();
    const pending = ask(api, model, { signal: waiting.signal });
    while (double.requests.length === 0) await turn();
    waiting.abort(new Error(KEY));
    assert.deepEqual(failureOf(await pending), aborted);

    const reading = new AbortController();
    const source = await sourceOf(api, model);
    const seen: AssistantDelta[] = [];
    for await (
      const batch of source(model, context, {
        apiKey: KEY,
        signal: reading.signal,
      })
    ) {
      seen.push(...batch);
      if (seen.some((delta) => delta.type === "text_delta")) reading.abort();
    }
    const last = seen.at(-1);
    assert(last?.type === "error" && last.reason === "aborted");
  });

  Deno.test(`${api} closes the connection when its reader leaves early`, async () => {
    await using double = start(api, [silentAfterText(api)]);
    const model = modelOf(api, { baseUrl: double.url });
    const source = await sourceOf(api, model);
    for await (const _ of source(model, context, { apiKey: KEY })) break;
    // The sanitizers fail this test when a connection or a timer is left.
  });

  Deno.test(`${api} reads only the beginning of an endless error`, async () => {
    const startMs = performance.now();
    const message = await answerTo(api, {
      status: 400,
      body: "x".repeat(300_000),
      hangAfterBytes: 250_000,
    });
    assert.equal(
      message.errorMessage,
      isProxy
        ? "Proxy error: 400 Bad Request"
        : `lab refused the request (400): ${"x".repeat(500)}…`,
    );
    // Waiting for its end would take the five seconds that an error may be silent.
    assert(performance.now() - startMs < 3000);
  });

  Deno.test(`${api} reports a server that is not there as unreachable`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    listener.close();
    const message = await ask(api, { baseUrl: `http://127.0.0.1:${port}` });
    assert.equal(message.errorKind, "unreachable");
    assert.match(
      failureOf(message)[2] ?? "",
      new RegExp(
        `^${who} cannot be reached at 127.0.0.1:${port}: .*refused$`,
        "i",
      ),
    );
  });

  Deno.test(`${api} refuses what cannot be sent, without showing it`, async () => {
    if (!isProxy) {
      const headers = { "x-token": `a\n${KEY}` };
      const header = await ask(api, {}, { headers });
      assert.match(failureOf(header)[2] ?? "", /header "x-token"/);
    }
    const key = await ask(api, {}, { apiKey: `${KEY}\nx` });
    assert.equal(failureOf(key)[1], "refused");
    for (const baseUrl of ["", "file:///etc", "nonsense"]) {
      const message = await ask(api, { baseUrl });
      assert.match(failureOf(message)[2] ?? "", /base URL/);
    }
  });
}

Deno.test("a completion whose finish was announced is complete, although [DONE] never comes", async () => {
  const body = recordedStream("completions_no_done");
  const silent = await answerTo(
    "openai-completions",
    {
      body: new Uint8Array([...body, 10, 10]),
      hangAfterBytes: body.length + 2,
    },
    { timeouts: { idleMs: 300 } },
  );
  assert.deepEqual([silent.stopReason, textOf(silent)], ["stop", "ok"]);
  const cut = await answerTo("openai-completions", {
    body: new Uint8Array([...body, 10, 10]),
    cutAfterBytes: body.length + 2,
  });
  assert.deepEqual([cut.stopReason, textOf(cut)], ["stop", "ok"]);
});

Deno.test("a completion whose finish was announced ends, although the server keeps the connection alive for ever", async () => {
  const answer = new TextDecoder().decode(
    recordedStream("completions_no_done"),
  );
  await using server = startLively(`${answer}\n\n`, ": ping\n\n");
  const message = await ask("openai-completions", server, {
    timeouts: { idleMs: 100 },
  });
  assert.deepEqual([message.stopReason, textOf(message)], ["stop", "ok"]);
});

Deno.test("a server that shows signs of life, and no more of an answer, is given up, and what came is kept", async () => {
  const [begun = ""] = anthropicStream(say("one two three").say, "1")
    .split("event: content_block_stop");
  const ping = 'event: ping\ndata: {"type":"ping"}\n\n';
  for (const sign of [": comment\n\n", ping, ":"]) {
    await using server = startLively(begun, sign);
    const message = await ask("anthropic-messages", server, {
      timeouts: { answerMs: 200 },
    });
    assert.deepEqual(failureOf(message), [
      "error",
      "timeout",
      "lab sent nothing of an answer for 0.2 s",
    ]);
    assert.equal(textOf(message), "one two three");
  }
});

Deno.test("events are read although the headers say that they are a document", async () => {
  for (const api of apis) {
    for (const type of ["application/json", "text/html"]) {
      const headers = { "content-type": type };
      const message = await answerTo(api, { ...say("ok"), headers });
      assert.deepEqual([message.stopReason, textOf(message)], ["stop", "ok"]);
    }
  }
});

Deno.test("a document in place of events is told by its text, whatever its headers say", async () => {
  const error = { type: "not_found_error", message: "model: none" };
  for (const api of apis) {
    for (const type of ["text/event-stream", "text/plain", ""]) {
      const headers = { "content-type": type };
      const json = await answerTo(api, {
        headers,
        body: `\n${JSON.stringify({ error }, null, 2)}\n`,
        oneByteAtATime: true,
      });
      assert.equal(json.errorKind, "refused");
      assert.match(json.errorMessage ?? "", /model: none/);
      const page = await answerTo(api, {
        headers,
        body: "<html>Log in</html>",
      });
      assert.equal(page.errorKind, "refused");
      assert.match(page.errorMessage ?? "", /web page/);
    }
  }
});

Deno.test("a server that does not take connections is found out before the first byte is due", async () => {
  // Its queue is full and nobody accepts: the kernel drops what else comes.
  const listener = Deno.listen({
    hostname: "127.0.0.1",
    port: 0,
    tcpBacklog: 1,
  });
  const { port } = listener.addr as Deno.NetAddr;
  const queued = await Promise.all(
    [1, 2].map(() => Deno.connect({ hostname: "127.0.0.1", port })),
  );
  const message = await ask(
    "openai-completions",
    { baseUrl: `http://127.0.0.1:${port}` },
    { timeouts: { connectMs: 50 } },
  );
  for (const connection of queued) connection.close();
  listener.close();
  assert.deepEqual(failureOf(message), [
    "error",
    "unreachable",
    `lab at 127.0.0.1:${port} does not accept connections`,
  ]);
});

Deno.test("deltaSourceFor() answers an unsupported format with a refusal", async () => {
  const message = await ask("telepathy" as Api);
  assert.equal(message.errorKind, "refused");
  assert.match(
    message.errorMessage ?? "",
    /"telepathy" is not supported/,
  );
});

/** One round of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** A server whose answers begin with a text, and go on with the same sign for ever. */
function startLively(
  text: string,
  sign: string,
): { baseUrl: string } & AsyncDisposable {
  const encoder = new TextEncoder();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => {
      let signs: ReturnType<typeof setInterval> | undefined;
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(encoder.encode(text));
            signs = setInterval(
              () => controller.enqueue(encoder.encode(sign)),
              10,
            );
          },
          cancel: () => clearInterval(signs),
        }),
      );
    },
  );
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
