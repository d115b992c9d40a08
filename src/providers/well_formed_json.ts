/**
 * JSON without lone surrogates, which servers refuse: half of a character that
 * something cut becomes U+FFFD.
 */
export function wellFormedJson(value: unknown): string {
  const json = JSON.stringify(value);
  // A stringified lone surrogate is an escape; looking for it is far cheaper
  // than a replacer on every string of a long transcript.
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(
    value,
    (_key, item) => typeof item === "string" ? item.toWellFormed() : item,
  );
}
