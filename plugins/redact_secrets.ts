/**
 * Takes what looks like a credential out of results before the model, the
 * terminal and the session file see it; progress of a running tool too.
 *
 *     tau --plugin plugins/redact_secrets.ts
 *
 * If this handler fails, tau withholds the result: a broken filter lets
 * nothing through.
 */
import type { PluginAPI } from "tau";

const SECRETS: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /(?<=\b(?:password|passwd|secret|token|api_?key)["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"']{6,}/gi,
];

export default function (tau: PluginAPI): void {
  tau.on("tool_result", ({ content, details, structuredContent }) => {
    const result = { content, details, structuredContent };
    const clean = redacted(result);
    return JSON.stringify(clean) === JSON.stringify(result) ? undefined : clean;
  });
}

/** The same, with other texts. */
function redacted<Value>(value: Value): Value {
  if (typeof value === "string") {
    return SECRETS.reduce<string>(
      (text, secret) => text.replace(secret, "[redacted]"),
      value,
    ) as Value;
  }
  if (Array.isArray(value)) return value.map(redacted) as Value;
  if (typeof value !== "object" || value === null) return value;
  // The bytes of an image are no words.
  if ("mimeType" in value) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, redacted(one)]),
  ) as Value;
}
