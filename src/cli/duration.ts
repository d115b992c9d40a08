const UNIT_MS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Timers hold no more than 2^31 ms. */
const MAX_MS = 500 * 3_600_000;

/** Milliseconds of `90`, `90s`, `1.5m`, `2h`; undefined when it is no such thing, zero, or past 500 hours. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h)?$/.exec(text);
  if (!match) return undefined;
  const ms = Math.round(Number(match[1]) * (UNIT_MS[match[2] ?? "s"] ?? 0));
  return ms > 0 && ms <= MAX_MS ? ms : undefined;
}
