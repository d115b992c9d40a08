import assert from "node:assert/strict";
import { retryAfterMs } from "../../src/providers/retry_after.ts";

const now = Date.parse("2026-11-29T10:00:00Z");

const cases: [headers: Record<string, string>, expected: number | undefined][] =
  [
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

for (const [headers, expected] of cases) {
  Deno.test(`retryAfterMs() reads ${JSON.stringify(headers).slice(0, 80)}`, () => {
    assert.equal(retryAfterMs(new Headers(headers), now), expected);
  });
}
