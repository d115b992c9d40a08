import type { ModelErrorKind } from "../model/model_error.ts";

/** The facts about a failure, from the response's status or its body. */
export interface ProviderFailure {
  /** HTTP status; absent for an error inside a stream. */
  status?: number;
  /** The server's words for programs, `error.code` and `error.type`. */
  code?: string;
  type?: string;
  /** The limit that was met, where a field of the error names it. */
  limit?: "rate" | "quota";
  /** The server's words for people. */
  message: string;
}

// Every text was sent by some server; the tests list them.
const OVERFLOW = [
  /prompt (\([^)]{0,60}\) )?(is )?too (long|large)/,
  /exceed\w*( the)?( maximum| max| available| model'?s?)* context/,
  /exceeds? (the )?(model'?s )?maximum (prompt|input) (length|size)/,
  /maximum context length/,
  /context[_ ](length|window|size|limit)[_ ]?exceeded/,
  /exceed_context_size/,
  /(context|token) (size|length|window) (is|of) [\d,]+ tokens/,
  /exceeds? (the )?context (window|limit|size|length)/,
  /context window (is full|exceeds|overflow)/,
  /maximum prompt length is/,
  /longer than the (model'?s )?(context|maximum model) length/,
  /context length of only|greater than the context length/,
  /exceed\w* (the )?model'?s? token limit|more than max tokens allowed/,
  /max_new_tokens`? must be <=|inputs`? must have less than \d+ tokens/,
  /range of input length should be/,
  /input is too long/,
  /(input|prompt) (length|token count|tokens?).{0,40} exceeds?/,
  /too many (input )?tokens/,
  /request_too_large|request entity too large|request payload size exceeds/,
  /reduce the length of the (messages|prompt|input)/,
];
const QUOTA =
  /insufficient[_ ](quota|credits?|balance|funds)|exceeded your current quota|quota[_ ]exceeded|billing|credit balance|out of (credits|budget)|spending limit|usage limit|used all available credits|payment required/;
const AUTH =
  /invalid[_ ]api[_ ]key|api_key_invalid|incorrect api key|authentication|unauthori[sz]ed|permission_error|invalid x-api-key/;
const FILTER =
  /content[_ ]?filter|content_policy|content management policy|responsibleaipolicy/;
const RATE =
  /rate[_ ]?limit|too many requests|tokens per minute|requests per minute|throttl/;
const BUSY =
  /overloaded|server_error|api_error|internal|unavailable|busy|capacity|try again|upstream|timeout|timed out/;
const WRONG = /invalid|not[_ ]found|unsupported|unknown|does not exist|missing/;

/**
 * The kind of a provider's failure, for all formats.
 *
 * Words tell overflow, quota and filter, since servers send them with any
 * status. The status tells the rest; inside a stream, where there is none,
 * words do. A failure inside a stream that nothing explains counts as
 * `overloaded`: the request itself had been accepted.
 */
export function classifyError(failure: ProviderFailure): ModelErrorKind {
  const { code = "", type = "", message } = failure;
  const status = failure.status ?? statusIn(code);
  const codes = `${code} ${type}`.toLowerCase();
  const words = `${codes} ${message.toLowerCase()}`;
  if (status === 402 || QUOTA.test(codes)) return "quota";
  // "Too many tokens" of a 429 is about a minute, not about the request.
  if (status === 429) {
    if (/context_length/.test(codes)) return "context_overflow";
    if (failure.limit) {
      return failure.limit === "quota" ? "quota" : "rate_limit";
    }
    return QUOTA.test(words) ? "quota" : "rate_limit";
  }
  if (status === 401) return "auth";
  if (status === 413 || OVERFLOW.some((text) => text.test(words))) {
    return "context_overflow";
  }
  if (FILTER.test(codes) || (status === 400 && FILTER.test(words))) {
    return "content_filter";
  }
  if (QUOTA.test(words) && (status === undefined || status < 500)) {
    return "quota";
  }
  if (status === 403 || AUTH.test(codes)) return "auth";
  if (status === 408 || status === 504 || status === 524) return "timeout";
  if (status !== undefined) return status >= 500 ? "overloaded" : "refused";
  if (AUTH.test(words)) return "auth";
  if (RATE.test(words)) return "rate_limit";
  if (BUSY.test(codes)) return "overloaded";
  return WRONG.test(words) ? "refused" : "overloaded";
}

/** Some gateways put the status of their upstream into the code. */
function statusIn(code: string): number | undefined {
  return /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}
