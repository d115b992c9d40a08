/**
 * Milliseconds that a response asks to wait: `retry-after-ms`, or
 * `retry-after` in seconds or as an HTTP date. Undefined when it says nothing
 * that can be understood.
 */
export function retryAfterMs(
  headers: Headers,
  now: number = Date.now(),
): number | undefined {
  const exact = positive(headers.get("retry-after-ms"));
  if (exact !== undefined) return exact;
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const seconds = positive(value);
  if (seconds !== undefined) return seconds * 1000;
  // An HTTP date names its month; `Date.parse` alone would take "-5" for a year.
  if (!/[a-z]{3}/i.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function positive(value: string | null): number | undefined {
  if (value === null || !/^\d+(\.\d+)?$/.test(value.trim())) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
