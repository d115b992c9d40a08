import assert from "node:assert/strict";
import { classifyError } from "../../src/providers/classify_error.ts";
import { ProviderErrors } from "../../src/providers/provider_error.ts";
import { retryAfterMs } from "../../src/providers/retry_after.ts";

const errors = new ProviderErrors("lab");

const lines = Deno.readTextFileSync(
  new URL("../fixtures/provider_errors.txt", import.meta.url),
).trimEnd().split("\n").slice(1);

for (const line of lines) {
  const [kind, status = "", wait, body = ""] = line.split(/ (.*?) (.*?) (.*)/s);
  const expected = [kind, wait === "-" ? undefined : Number(wait)];

  Deno.test(`ProviderErrors reads ${line.slice(0, 120)}`, () => {
    const error = status === "event"
      ? errors.fromEvent(JSON.parse(body).error)
      : errors.fromResponse(body, { status: Number(status) });
    assert.deepEqual([error.kind, error.retryAfterMs], expected);
    if (status === "event") return;
    // A header counts before the body.
    const facts = { status: Number(status), retryAfterMs: 5 };
    assert.equal(errors.fromResponse(body, facts).retryAfterMs, 5);
  });
}

Deno.test("classifyError() is quick with a long hostile text", () => {
  const message = "exceed".repeat(1365) + "input length ".repeat(1);
  const startMs = performance.now();
  classifyError({ message });
  assert(performance.now() - startMs < 1000);
});

Deno.test("retryAfterMs() reads seconds, dates and milliseconds, and nothing else", () => {
  const now = Date.parse("2026-11-29T10:00:00Z");
  const rows: [headers: Record<string, string>, ms: number | undefined][] = [
    [{}, undefined],
    [{ "retry-after": "3" }, 3000],
    [{ "retry-after": " 1.5 " }, 1500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "86400" }, 86_400_000],
    [{ "retry-after": "Sun, 29 Nov 2026 10:00:04 GMT" }, 4000],
    [{ "retry-after": "Sun, 29 Nov 2026 09:00:00 GMT" }, 0],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "NaN" }, undefined],
    [{ "retry-after": "9".repeat(400) }, undefined],
    [{ "retry-after-ms": "250", "retry-after": "3" }, 250],
    [{ "retry-after-ms": "x", "retry-after": "3" }, 3000],
  ];
  for (const [headers, ms] of rows) {
    assert.equal(retryAfterMs(new Headers(headers), now), ms);
  }
});
