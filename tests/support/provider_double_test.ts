import assert from "node:assert/strict";
import { call, say, startProviderDouble } from "./provider_double.ts";

const body = {
  model: "m",
  stream: true,
  messages: [{ role: "user", content: "hi" }],
};

function post(url: string, value: unknown): Promise<Response> {
  return fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify(value),
    headers: { "X-Test": "1" },
  });
}

Deno.test("startProviderDouble() answers from the script and records the requests", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      say("one", call("ls")),
      (request) => ({ status: 418, body: request.text }),
    ],
  });
  const first = await post(double.url, body);
  const text = await first.text();
  assert.equal(first.headers.get("content-type"), "text/event-stream");
  assert(text.includes('"id":"call_1_0"') && text.endsWith("data: [DONE]\n\n"));
  const second = await post(double.url, body);
  assert.deepEqual([second.status, await second.json()], [418, body]);
  assert.deepEqual(
    double.requests.map(({ method, path, headers, body, fault }) => [
      method,
      path,
      headers["x-test"],
      body,
      fault,
    ]),
    Array(2).fill(["POST", "/v1/chat/completions", "1", body, undefined]),
  );
});

Deno.test("startProviderDouble() refuses what a provider refuses, unless told not to", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [say("one"), { ...say("two"), anyRequest: true }],
  });
  const refused = await post(double.url, { ...body, messages: [] });
  assert.deepEqual([refused.status, await refused.json()], [400, {
    error: {
      type: "invalid_request_error",
      message: "messages: must not be empty",
      param: null,
      code: null,
    },
  }]);
  assert.equal(double.requests[0]?.fault, "messages: must not be empty");
  const accepted = await post(double.url, {});
  assert.equal(accepted.status, 200);
  await accepted.text();
  const beyond = await post(double.url, body);
  assert.equal(beyond.status, 400);
  assert.match(await beyond.text(), /request 3 is not in the script/);
});

Deno.test("startProviderDouble() refuses a wrong path", async () => {
  await using double = startProviderDouble({
    api: "anthropic-messages",
    script: [say("one")],
  });
  const response = await post(double.url, body);
  assert.equal(response.status, 400);
  assert.match(
    await response.text(),
    /no such endpoint: POST \/chat\/completions/,
  );
});

Deno.test("startProviderDouble() breaks off and falls silent where it is told to", async () => {
  await using double = startProviderDouble({
    api: "openai-completions",
    script: [
      { body: "abcdef", cutAfterBytes: 3, framing: "close" },
      { body: "abcdef", cutAfterBytes: 3 },
      { body: "abcdef", hangAfterBytes: 2 },
      { hang: true },
    ],
  });
  assert.equal(await (await post(double.url, body)).text(), "abc");
  const cut = await post(double.url, body);
  await assert.rejects(cut.text(), TypeError);
  const silent = (await post(double.url, body)).body?.getReader();
  const piece = await silent?.read();
  assert.equal(new TextDecoder().decode(piece?.value), "ab");
  await silent?.cancel();
  const abort = new AbortController();
  const never = fetch(`${double.url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: abort.signal,
  });
  while (double.requests.length < 4) {
    await new Promise((done) => setTimeout(done, 0));
  }
  abort.abort();
  await assert.rejects(never, { name: "AbortError" });
});
