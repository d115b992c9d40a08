import { asArray, asRecord, asText, type JsonRecord } from "./json_value.ts";

/** The details of an error of Google's, beside its status and message. */
export interface GoogleErrorDetails {
  /** A machine-readable word, such as `API_KEY_INVALID`. */
  reason?: string;
  /** `rate` for a limit that passes soon, `quota` for one that is used up. */
  limit?: "rate" | "quota";
  /** Milliseconds to wait. */
  retryAfterMs?: number;
}

const MAX_ENTRIES = 20;

/**
 * Reads the `details` of an error.
 *
 * The message is the same for a limit a minute and one a day ("You exceeded
 * your current quota"); only the id of the quota differs. For a limit a day the
 * server also asks to try again in seconds, which cannot help. A limit of 0
 * means that the account may not use the model at all.
 */
export function googleErrorDetails(error: JsonRecord): GoogleErrorDetails {
  const found: GoogleErrorDetails = {};
  const quotas: string[] = [];
  for (const entry of asArray(error.details).slice(0, MAX_ENTRIES)) {
    const detail = asRecord(entry) ?? {};
    const type = asText(detail["@type"])?.split(".").at(-1);
    if (type === "ErrorInfo") {
      const reason = asText(detail.reason);
      if (reason !== undefined) found.reason = reason;
      quotas.push(asText(asRecord(detail.metadata)?.quota_limit) ?? "");
    } else if (type === "QuotaFailure") {
      for (const item of asArray(detail.violations).slice(0, MAX_ENTRIES)) {
        quotas.push(asText(asRecord(item)?.quotaId) ?? "");
      }
    } else if (type === "RetryInfo") {
      const delay = /^(\d{1,6}(\.\d+)?)s$/.exec(
        asText(detail.retryDelay) ?? "",
      );
      if (delay) found.retryAfterMs = Math.ceil(Number(delay[1]) * 1000);
    }
  }
  const isUsedUp = quotas.some((id) => /PerDay/i.test(id)) ||
    /\blimit: 0\b/.test(asText(error.message) ?? "");
  if (isUsedUp) found.limit = "quota";
  else if (
    found.retryAfterMs !== undefined ||
    quotas.some((id) => /PerMinute/i.test(id))
  ) found.limit = "rate";
  return found;
}
