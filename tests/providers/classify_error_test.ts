import assert from "node:assert/strict";
import type { ModelErrorKind } from "../../src/model/model_error.ts";
import { classifyError } from "../../src/providers/classify_error.ts";
import { ProviderErrors } from "../../src/providers/provider_error.ts";
import { testModel } from "../support/recorded_stream.ts";

/** Bodies as servers send them. */
const bodies: [kind: ModelErrorKind, status: number, body: unknown][] = [
  ["context_overflow", 400, {
    error: {
      message: "prompt too long; exceeded max context length by 812 tokens",
    },
  }],
  ["context_overflow", 400, {
    error: {
      message:
        "Prompt has 5,001 tokens, but the configured context size is 4,096 tokens",
    },
  }],
  ["context_overflow", 400, {
    error: {
      code: 400,
      type: "exceed_context_size_error",
      message:
        "request (5001 tokens) exceeds the available context size (4096 tokens)",
    },
  }],
  ["context_overflow", 400, {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "prompt is too long: 5001 tokens > 4096 maximum",
    },
  }],
  ["refused", 400, { error: { message: "max_tokens must be at least 1" } }],
  ["refused", 400, {
    error: {
      message:
        "max_tokens is too large: 100000. This model supports at most 16384 completion tokens",
    },
  }],
  ["context_overflow", 400, {
    error: {
      message:
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      type: "invalid_request_error",
      code: "context_length_exceeded",
    },
  }],
  ["context_overflow", 400, {
    error: {
      message: "Your input exceeds the context window of this model.",
      code: "context_length_exceeded",
    },
  }],
  ["context_overflow", 400, {
    type: "error",
    error: {
      type: "invalid_request_error",
      message:
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    },
  }],
  ["context_overflow", 400, [{
    error: {
      code: 400,
      message:
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
      status: "INVALID_ARGUMENT",
    },
  }]],
  ["context_overflow", 400, {
    object: "error",
    message: "This model's maximum context length is 4096 tokens.",
    type: "BadRequestError",
    code: 400,
  }],
  ["context_overflow", 400, {
    error: {
      code: 400,
      message: "Request payload size exceeds the limit: 20971520 bytes.",
      status: "INVALID_ARGUMENT",
    },
  }],
  ["context_overflow", 413, {
    type: "error",
    error: {
      type: "request_too_large",
      message: "Request exceeds the maximum size",
    },
  }],
  [
    "context_overflow",
    413,
    "<html><head><title>413 Request Entity Too Large</title></head></html>",
  ],
  ["context_overflow", 500, {
    error: {
      message:
        "the request exceeds the available context size, try increasing it",
    },
  }],
  ["rate_limit", 429, { error: { type: "rate_limit_error", message: "slow" } }],
  ["rate_limit", 429, {
    message: "Too many tokens, please wait before trying again.",
  }],
  ["quota", 429, {
    error: {
      message:
        "You exceeded your current quota, please check your plan and billing details.",
      type: "insufficient_quota",
      code: "insufficient_quota",
    },
  }],
  ["quota", 400, {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "Your credit balance is too low to access the API.",
    },
  }],
  ["quota", 402, { error: { message: "Insufficient Balance" } }],
  ["quota", 403, { error: "Your team has used all available credits" }],
  ["auth", 401, {
    error: { message: "Incorrect API key provided", code: "invalid_api_key" },
  }],
  ["auth", 403, {
    type: "error",
    error: { type: "permission_error", message: "no" },
  }],
  ["auth", 400, {
    error: {
      code: 400,
      message: "bad",
      status: "x",
      type: "authentication_error",
    },
  }],
  ["auth", 400, {
    error: {
      code: 400,
      message: "API key not valid. Please pass a valid API key.",
      status: "INVALID_ARGUMENT",
      details: [{
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "API_KEY_INVALID",
        domain: "googleapis.com",
      }],
    },
  }],
  ["rate_limit", 429, {
    error: {
      code: 429,
      message: "Resource has been exhausted (e.g. check quota).",
      status: "RESOURCE_EXHAUSTED",
    },
  }],
  ["overloaded", 503, {
    error: { code: 503, message: "overloaded", status: "UNAVAILABLE" },
  }],
  ["overloaded", 529, {
    type: "error",
    error: { type: "overloaded_error", message: "busy" },
  }],
  ["overloaded", 503, "upstream connect error"],
  ["overloaded", 500, {
    error: { message: "internal error, see billing page" },
  }],
  ["timeout", 504, "gateway timeout"],
  ["refused", 404, {
    error: {
      message: "The model `gpt-9` does not exist",
      code: "model_not_found",
    },
  }],
  ["refused", 422, {
    detail: [{ loc: ["body", "tools"], msg: "field required" }],
  }],
  ["content_filter", 400, {
    error: { code: "content_filter", message: "The response was filtered" },
  }],
  ["content_filter", 400, {
    error: {
      code: null,
      message: "triggering Azure OpenAI's content management policy",
    },
  }],
];

for (const [kind, status, body] of bodies) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  Deno.test(`an error response becomes ${kind}: ${status} ${text.slice(0, 90)}`, () => {
    const errors = new ProviderErrors(testModel("openai-completions"));
    assert.equal(errors.fromResponse(text, { status }).kind, kind);
  });
}

const events: [kind: ModelErrorKind, error: unknown][] = [
  ["overloaded", { type: "overloaded_error", message: "Overloaded" }],
  ["overloaded", { type: "api_error", message: "Internal server error" }],
  ["overloaded", "something broke"],
  ["rate_limit", { type: "rate_limit_error", message: "slow down" }],
  ["rate_limit", { code: 429, message: "Provider returned error" }],
  ["auth", { message: "invalid api key" }],
  ["refused", { type: "invalid_request_error", message: "bad" }],
  ["context_overflow", { message: "maximum context length is 10 tokens" }],
  ["context_overflow", {
    code: 400,
    message: "Provider returned error",
    metadata: { raw: '{"message":"prompt is too long"}' },
  }],
];

for (const [kind, error] of events) {
  Deno.test(`an error inside a stream becomes ${kind}: ${JSON.stringify(error)}`, () => {
    const errors = new ProviderErrors(testModel("openai-completions"));
    assert.equal(errors.fromEvent(error).kind, kind);
  });
}

Deno.test("classifyError() is quick with a long hostile text", () => {
  const message = "exceed".repeat(1365) + "input length ".repeat(1);
  const startMs = performance.now();
  classifyError({ message });
  assert(performance.now() - startMs < 1000);
});

/** What servers say of a prompt that is too long. */
const tooLong = [
  "The prompt (total length 5001) is too long to fit into the model (context length 4096).",
  "The prompt is too large: 5001 tokens",
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  "The decoder prompt (length 5001) is longer than the maximum model length of 4096.",
  "The input (5001 tokens) is longer than the model's context length (4096 tokens).",
  "Trying to keep the first 5001 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
  "The number of tokens to keep from the initial prompt is greater than the context length.",
  "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)",
  "tokens in request more than max tokens allowed",
  "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5001 `inputs` tokens and 16 `max_new_tokens`",
  "Input validation error: `inputs` must have less than 1024 tokens. Given: 1500",
  "Range of input length should be [1, 30720]",
  "prompt token count of 135000 exceeds the limit of 128000",
];

/** What they say of other things that are too long. */
const otherLimits = [
  "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens",
  "max_tokens (8192) exceeds the maximum allowed",
  "string too long. Expected a string with maximum length 64",
];

Deno.test("classifyError() tells a prompt that is too long from other limits, in the words of many servers", () => {
  const kindOf = (message: string) => classifyError({ status: 400, message });
  for (const text of tooLong) {
    assert.equal(kindOf(text), "context_overflow", text);
  }
  for (const text of otherLimits) assert.equal(kindOf(text), "refused", text);
});
