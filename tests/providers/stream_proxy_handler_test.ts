import assert from "node:assert/strict";
import { streamProxy } from "../../src/providers/proxy/stream_proxy.ts";
import {
  createStreamProxyHandler,
  type ProxiedModel,
  type StreamProxyHandlerOptions,
} from "../../src/providers/proxy/stream_proxy_handler.ts";
import { assembleMessage } from "../../src/model/assemble_message.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type { Model } from "../../src/model/model.ts";
import { ModelError } from "../../src/model/model_error.ts";
import type {
  AssistantDelta,
  Context,
  DeltaSource,
  StreamOptions,
} from "../../src/model/stream.ts";
import { patched } from "../support/patched.ts";
import { testModel } from "../support/scripted_model.ts";

const TOKEN = "token-of-the-runner";
const KEY = "key-of-the-proxy";
const DONE: AssistantDelta = {
  type: "done",
  reason: "stop",
  usage: emptyUsage(),
};
const CONTEXT: Context = {
  systemPrompt: "Be brief.",
  messages: [{ role: "user", content: "hi", timestamp: 0 }],
};
const BODY = { model: testModel, context: CONTEXT, options: {} };

/** A source that says what it is given, a batch at a time. */
function saying(...batches: AssistantDelta[][]): DeltaSource {
  return async function* () {
    yield* batches;
  };
}

function handler(
  source: DeltaSource,
  options: Partial<StreamProxyHandlerOptions> = {},
): (request: Request) => Promise<Response> {
  return createStreamProxyHandler({
    authToken: TOKEN,
    resolveModel: () => ({ model: testModel, source, apiKey: KEY }),
    ...options,
  });
}

function request(
  body: BodyInit | null = JSON.stringify(BODY),
  { path = "/api/stream", headers = {}, method = "POST" } = {},
): Request {
  return new Request(`http://proxy.test${path}`, {
    method,
    body: method === "POST" ? body : null,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      "content-type": "application/json",
      ...headers,
    },
  });
}

async function refusal(response: Response): Promise<[number, string]> {
  const type = response.headers.get("content-type");
  assert.equal(type, "application/json");
  const body = await response.json();
  assert.deepEqual(Object.keys(body), ["error"]);
  return [response.status, body.error];
}

const never: DeltaSource = () => assert.fail("nobody was to be asked");

/** Lends a server around a handler. */
async function serving(
  handle: (request: Request) => Promise<Response>,
  test: (proxyUrl: string) => Promise<void>,
): Promise<void> {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    handle,
  );
  try {
    await test(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("createStreamProxyHandler() and streamProxy() pass on an answer as it is", async () => {
  const usage = { ...emptyUsage(), input: 3, totalTokens: 3 };
  const source = saying(
    [{ type: "start", responseId: "r" }, {
      type: "text_start",
      contentIndex: 0,
    }],
    [],
    [{ type: "text_delta", contentIndex: 0, delta: "data: x\r\n\n\u2028👍" }],
    [
      { type: "text_end", contentIndex: 0, contentSignature: "sig" },
      { type: "toolcall_start", contentIndex: 1, id: "c", toolName: "ls" },
      { type: "toolcall_delta", contentIndex: 1, delta: '{"__proto__":1' },
    ],
    [
      { type: "toolcall_delta", contentIndex: 1, delta: "}" },
      { type: "toolcall_end", contentIndex: 1, thoughtSignature: "t" },
      { type: "done", reason: "toolUse", usage, responseModel: "m" },
    ],
  );
  const direct = assembleMessage(testModel, source(testModel, CONTEXT, {}));
  await serving(handler(source), async (proxyUrl) => {
    const streamFn = streamProxy({ proxyUrl, authToken: TOKEN });
    const proxied = await streamFn(testModel, CONTEXT);
    assert.deepEqual(
      untimed(await Array.fromAsync(proxied)),
      untimed(await Array.fromAsync(direct)),
    );
  });
});

/** Without the fields that tell of time. */
function untimed(events: unknown[]): unknown {
  return JSON.parse(
    JSON.stringify(
      events,
      (name, value) =>
        name === "timestamp" || name === "durationMs" ? undefined : value,
    ),
  );
}

const REFUSED: [string, () => Request, number, string][] = [
  [
    "another path",
    () => request(null, { path: "/api/stream/x" }),
    404,
    "There is nothing but /api/stream here",
  ],
  ["GET", () => request(null, { method: "GET" }), 405, "Only POST is answered"],
  [
    "another content type",
    () => request("{}", { headers: { "content-type": "text/plain" } }),
    415,
    "The body must be application/json",
  ],
  ["no body", () => request(null), 400, "The body is missing"],
  ["no JSON", () => request("{"), 400, "The body is not JSON"],
  ...["", "Bearer", "Bearer x", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`].map((
    authorization,
  ): [string, () => Request, number, string] => [
    `authorization "${authorization}"`,
    () => request("{}", { headers: { authorization } }),
    401,
    "Missing or wrong token",
  ]),
];

for (const [what, make, status, error] of REFUSED) {
  Deno.test(`createStreamProxyHandler() refuses ${what}`, async () => {
    const response = await handler(never)(make());
    assert.deepEqual(await refusal(response.clone()), [status, error]);
    const { headers } = response;
    const wants = headers.get("www-authenticate") ?? headers.get("allow");
    const expected = { 401: "Bearer", 405: "POST" }[status] ?? null;
    assert.equal(wants, expected);
  });
}

Deno.test("createStreamProxyHandler() refuses a token whose digest ends as the right one's does", async () => {
  const lastByte = async (text: string) => {
    const bytes = new TextEncoder().encode(text);
    const digest = await crypto.subtle.digest("SHA-256", bytes);
    return new Uint8Array(digest).at(-1);
  };
  const wanted = await lastByte(TOKEN);
  let n = 0;
  while (await lastByte(`${n}`) !== wanted) n++;
  const headers = { authorization: `Bearer ${n}` };
  const response = await handler(never)(request("{}", { headers }));
  assert.equal(response.status, 401);
});

const WRONG_PARTS: [path: string, value: unknown, words: RegExp][] = [
  ["model.id", undefined, /^model.*id/],
  ["model.provider", "", /^model\.provider: /],
  ["context.messages", undefined, /^context.*messages/],
  ["context.messages.0.content", undefined, /^context\.messages\.0/],
  ["context.messages.0.content", [{ type: "text", text: 5 }], /messages\.0/],
  [
    "context.messages.0",
    { role: "system", content: "x", toolsAdded: [5] },
    /^context\.messages\.0/,
  ],
  ["context.tools", [{ name: "x" }], /^context\.tools\.0/],
  ["options.maxTokens", 0, /^options\.maxTokens: /],
  ["options.reasoning", "off", /^options\.reasoning: /],
];

Deno.test("createStreamProxyHandler() says which part of a body is wrong", async () => {
  const answer = async (body: unknown) =>
    await refusal(await handler(never)(request(JSON.stringify(body))));
  for (const [path, value, words] of WRONG_PARTS) {
    const [status, error] = await answer(patched(BODY, path, value));
    assert.equal(status, 400);
    assert.match(error, words);
  }
  assert.match((await answer(null))[1], /^root: Expected object/);
  const deep = `{"model":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.equal((await handler(never)(request(deep))).status, 400);
});

Deno.test("createStreamProxyHandler() lets a function decide about a token", async () => {
  const seen: string[] = [];
  const handle = handler(saying([DONE]), {
    authToken: (token) => {
      seen.push(token);
      if (token === "broken") {
        throw new Error("the store of tokens is at x:5432");
      }
      return Promise.resolve(token === "good");
    },
  });
  const statuses: number[] = [];
  for (const token of ["good", "bad", "broken"]) {
    const headers = { authorization: `bearer  ${token}` };
    const response = await handle(request(undefined, { headers }));
    statuses.push(response.status);
    assert(!(await response.text()).includes("5432"));
  }
  assert.deepEqual(statuses, [200, 401, 500]);
  assert.deepEqual(seen, ["good", "bad", "broken"]);
  assert.throws(() => handler(never, { authToken: "" }), TypeError);
});

Deno.test("createStreamProxyHandler() takes address, headers and key from nobody but the owner", async () => {
  const asked: unknown[] = [];
  const got: [Model, Context, StreamOptions][] = [];
  const handle = handler(never, {
    resolveModel: (names) => {
      asked.push(names);
      return {
        model: testModel,
        apiKey: KEY,
        source(...args) {
          got.push(args);
          return saying([DONE])(...args);
        },
      };
    },
  });
  const response = await handle(request(JSON.stringify({
    model: {
      ...testModel,
      baseUrl: "http://thief.test",
      headers: { "x-a": "b" },
    },
    context: { ...CONTEXT, baseUrl: "http://thief.test" },
    options: {
      temperature: 1,
      reasoning: "high",
      apiKey: "other",
      headers: { authorization: "x" },
      timeouts: { idleMs: 0 },
      sessionId: "s",
    },
  })));
  assert.equal(await response.text(), `data: ${JSON.stringify(DONE)}\n\n`);
  assert.deepEqual(asked, [{
    provider: testModel.provider,
    id: testModel.id,
    reasoning: "high",
  }]);
  const [[model, context, { signal, ...options }] = assert.fail()] = got;
  assert.equal(model, testModel);
  assert.deepEqual(context, CONTEXT);
  assert(signal);
  assert.deepEqual(options, {
    temperature: 1,
    reasoning: "high",
    sessionId: "s",
    apiKey: KEY,
  });
});

Deno.test("createStreamProxyHandler() refuses a model that is not there, and tells why only when it may", async () => {
  const table: [() => ProxiedModel | undefined, [number, string]][] = [
    [() => undefined, [404, 'Unknown model "test/scripted"']],
    [() => {
      throw new ModelError("auth", "No API key for test: set TEST_API_KEY");
    }, [404, "No API key for test: set TEST_API_KEY"]],
    [() => {
      throw new Error(`cannot open vault with ${KEY}`);
    }, [500, "Internal error of the proxy"]],
  ];
  for (const [resolveModel, expected] of table) {
    // Twice, so that a request that was refused holds no place.
    const handle = handler(never, { resolveModel, maxConcurrent: 1 });
    await handle(request());
    assert.deepEqual(await refusal(await handle(request())), expected);
  }
});

Deno.test("createStreamProxyHandler() shows no key, whatever a provider says or throws", async () => {
  const told = await handler(saying([{
    type: "error",
    reason: "error",
    errorMessage: `Wrong key ${KEY}`,
    errorKind: "auth",
  }]))(request());
  assert.equal(
    await told.text(),
    'data: {"type":"error","reason":"error","errorMessage":"Wrong key ***","errorKind":"auth"}\n\n',
  );
  const thrown = await handler(async function* () {
    yield [{ type: "start" }];
    throw new Error(KEY);
  })(request());
  assert.equal(
    await thrown.text(),
    'data: {"type":"start"}\n\n' +
      'data: {"type":"error","reason":"error","errorMessage":"Internal error of the proxy"}\n\n',
  );
  const sync = await handler(() => {
    throw new Error(KEY);
  })(request());
  assert.deepEqual(await refusal(sync), [500, "Internal error of the proxy"]);
});

Deno.test("createStreamProxyHandler() refuses a body that is too large, said or not", async () => {
  const handle = handler(never, { maxBodyBytes: 100 });
  const error = "The body is larger than 100 bytes";
  const headers = { "content-length": "101" };
  assert.deepEqual(
    await refusal(await handle(request("{}", { headers }))),
    [413, error],
  );
  let pulled = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(new Uint8Array(60));
    },
  });
  assert.deepEqual(await refusal(await handle(request(endless))), [413, error]);
  assert(pulled < 5);
  await serving(handle, async (proxyUrl) => {
    const streamFn = streamProxy({ proxyUrl, authToken: TOKEN });
    const content = "x".repeat(2_000_000);
    const stream = await streamFn(testModel, {
      messages: [{ role: "user", content, timestamp: 0 }],
    });
    const { errorMessage, errorKind } = await stream.result();
    assert.equal(errorMessage, `Proxy error: ${error}`);
    assert.equal(errorKind, "context_overflow");
  });
});

Deno.test("createStreamProxyHandler() waits only so long for a body", async () => {
  const silent = new ReadableStream<Uint8Array>();
  const handle = handler(never, { bodyIdleMs: 10 });
  assert.deepEqual(await refusal(await handle(request(silent))), [
    408,
    "The body did not arrive in time",
  ]);
});

Deno.test("createStreamProxyHandler() aborts the request to the provider when the client goes away", async () => {
  const aborted = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const source: DeltaSource = async function* (_model, _context, { signal }) {
    try {
      yield [{ type: "start" }];
      await new Promise<void>((resolve) =>
        signal?.addEventListener("abort", () => {
          aborted.resolve();
          resolve();
        })
      );
      yield [{ type: "error", reason: "aborted", errorMessage: "aborted" }];
    } finally {
      closed.resolve();
    }
  };
  await serving(handler(source), async (proxyUrl) => {
    const abort = new AbortController();
    const streamFn = streamProxy({ proxyUrl, authToken: TOKEN });
    const stream = await streamFn(testModel, CONTEXT, { signal: abort.signal });
    for await (const { type } of stream) if (type === "start") abort.abort();
    const { stopReason, errorMessage }: AssistantMessage = await stream
      .result();
    assert.deepEqual(
      [stopReason, errorMessage],
      ["aborted", "Request aborted by user"],
    );
    await aborted.promise;
    await closed.promise;
  });
});

Deno.test("createStreamProxyHandler() asks the provider for more when the client took what there was", async () => {
  let said = 0;
  const source: DeltaSource = async function* () {
    while (true) {
      said++;
      yield [{ type: "start" }];
      await undefined;
    }
  };
  const response = await handler(source)(request());
  const reader = response.body!.getReader();
  assert.equal(said, 0);
  await reader.read();
  await reader.read();
  assert.equal(said, 2);
  await reader.cancel();
});

Deno.test("createStreamProxyHandler() answers only so many at once, and frees the place however one ends", async () => {
  const source = saying([{ type: "start" }], [DONE]);
  const handle = handler(source, { maxConcurrent: 1 });
  const endings: ((response: Response) => Promise<unknown>)[] = [
    (response) => response.text(),
    (response) => response.body!.cancel(),
    async (response) => {
      const reader = response.body!.getReader();
      await reader.read();
      await reader.read();
      await reader.cancel();
    },
  ];
  for (const end of endings) {
    const first = await handle(request());
    assert.equal(first.status, 200);
    assert.deepEqual(await refusal(await handle(request())), [
      429,
      "More than 1 requests at once",
    ]);
    await end(first);
  }
  assert.equal((await handle(request())).status, 200);
});
