import assert from "node:assert/strict";
import type { ModelErrorKind } from "../../src/model/model_error.ts";
import { ProviderErrors } from "../../src/providers/provider_error.ts";
import { testModel } from "../support/recorded_stream.ts";

const QUOTA =
  "You exceeded your current quota, please check your plan and billing details.";

/** An error of a limit, as the provider words it. */
function limited(
  quotaId: string | undefined,
  { message = QUOTA, retryDelay }: { message?: string; retryDelay?: unknown } =
    {},
): unknown {
  const violations = [{ quotaId, quotaValue: "20" }];
  return {
    code: 429,
    message,
    status: "RESOURCE_EXHAUSTED",
    details: [
      { "@type": "type.googleapis.com/google.rpc.Help", links: [] },
      ...(quotaId === undefined ? [] : [{
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations,
      }]),
      ...(retryDelay === undefined ? [] : [{
        "@type": "type.googleapis.com/google.rpc.RetryInfo",
        retryDelay,
      }]),
    ],
  };
}

const MINUTE = "GenerateContentInputTokensPerModelPerMinute-FreeTier";
const DAY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";

const cases: [string, unknown, ModelErrorKind, number | undefined][] = [
  ["a minute", limited(MINUTE, { retryDelay: "26s" }), "rate_limit", 26_000],
  [
    "a fraction of a second",
    limited(MINUTE, { retryDelay: "33.820058115s" }),
    "rate_limit",
    33_821,
  ],
  ["a minute, no delay", limited(MINUTE), "rate_limit", undefined],
  [
    "a delay alone",
    limited(undefined, { retryDelay: "1s" }),
    "rate_limit",
    1000,
  ],
  ["a day", limited(DAY, { retryDelay: "36s" }), "quota", 36_000],
  [
    "no access at all",
    limited(MINUTE, {
      message: `${QUOTA} limit: 0, model: x`,
      retryDelay: "9s",
    }),
    "quota",
    9000,
  ],
  ["words alone", limited(undefined), "quota", undefined],
  [
    "delays that are none",
    limited(MINUTE, { retryDelay: "-5s" }),
    "rate_limit",
    undefined,
  ],
  [
    "a delay without end",
    limited(MINUTE, { retryDelay: `${"9".repeat(400)}s` }),
    "rate_limit",
    undefined,
  ],
  [
    "details of unknown shapes",
    { code: 429, message: "slow", details: [null, 7, { "@type": 3 }, {}] },
    "rate_limit",
    undefined,
  ],
];

for (const [name, error, kind, retryAfterMs] of cases) {
  Deno.test(`googleErrorDetails() tells limits apart: ${name}`, () => {
    const errors = new ProviderErrors(testModel("google-generative-ai"));
    const body = JSON.stringify({ error });
    const response = errors.fromResponse(body, { status: 429 });
    const event = errors.fromEvent(error);
    for (const found of [response, event]) {
      assert.deepEqual([found.kind, found.retryAfterMs], [kind, retryAfterMs]);
    }
    const header = errors.fromResponse(body, { status: 429, retryAfterMs: 5 });
    assert.equal(header.retryAfterMs, 5);
  });
}
