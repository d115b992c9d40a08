import assert from "node:assert/strict";
import { ProviderErrors } from "../../src/providers/provider_error.ts";

Deno.test("ProviderErrors words who failed, how, and the server's own words", () => {
  const body = JSON.stringify({
    error: { message: "max_tokens\n must be at least 1" },
  });
  const error = new ProviderErrors("lab").fromResponse(body, {
    status: 400,
    retryAfterMs: 2000,
  });
  assert.equal(
    error.message,
    "lab refused the request (400): max_tokens must be at least 1",
  );
  assert.equal(error.retryAfterMs, 2000);
});

Deno.test("ProviderErrors names the variable that holds the key", () => {
  assert.equal(
    new ProviderErrors("openai").fromResponse("no", { status: 401 }).message,
    "openai did not accept the API key (401): no; set OPENAI_API_KEY",
  );
  assert.equal(
    new ProviderErrors("openai").missingKey().message,
    "No API key for openai; set OPENAI_API_KEY",
  );
  assert.equal(
    new ProviderErrors("google").missingKey().message,
    "No API key for google; set GOOGLE_API_KEY or GEMINI_API_KEY",
  );
  assert.match(
    new ProviderErrors("lab").fromResponse("", { status: 401 }).message,
    /\(401\); check the key of provider "lab"/,
  );
});

Deno.test("ProviderErrors never repeats a secret, wherever the server puts it", () => {
  const secret = "sk-0123456789";
  const errors = new ProviderErrors("lab", [secret, `Bearer ${secret}`]);
  const bodies = [
    JSON.stringify({ error: { message: `Bad header: Bearer ${secret}!` } }),
    // The same key with one character escaped.
    String.raw`{"error":{"message":"Bad key: sk-0123\u003456789"}}`,
    `${"x".repeat(495)}${secret}`,
    `<html><title>${secret}</title></html>`,
    // It would be cut in the middle where looking at the page ends.
    `<html>${" ".repeat(8180)}${secret}`,
    `{"detail":"${secret}"`,
  ];
  for (const body of bodies) {
    const { message } = errors.fromResponse(body, { status: 401 });
    assert(!message.includes(secret), message);
    assert(!message.includes("sk-01"), message);
  }
  assert(!errors.fromEvent(secret).message.includes(secret));
  assert(!errors.of("unreachable", `at ${secret}`).message.includes(secret));
});

Deno.test("ProviderErrors makes an error page readable", () => {
  const page = "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title>" +
    "<style>b{}</style></head><body><h1>Bad</h1></body></html>";
  assert.equal(
    new ProviderErrors("lab").fromResponse(page, { status: 502 }).message,
    "lab is overloaded or failing (502): 502 Bad Gateway",
  );
  assert.equal(
    new ProviderErrors("lab").fromResponse("<html><b>No</b> gateway</html>", {
      status: 502,
    })
      .message,
    "lab is overloaded or failing (502): No gateway",
  );
});

Deno.test("ProviderErrors cuts long words and survives any body", () => {
  const errors = new ProviderErrors("lab");
  const { message } = errors.fromResponse("x".repeat(65_536), { status: 400 });
  assert.equal(message, `lab refused the request (400): ${"x".repeat(500)}…`);
  const bodies = [
    "",
    "null",
    "[]",
    "3",
    '{"error":null}',
    '{"error":{"message":{}}}',
    "<html",
    "<".repeat(65_536),
  ];
  for (const body of bodies) {
    assert.match(
      errors.fromResponse(body, { status: 400 }).message,
      /^lab refused the request \(400\)/,
    );
  }
});
