/** An object of unknown fields. */
export type JsonRecord = Record<string, unknown>;

/** The value as an object, or undefined when it is none. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonRecord
    : undefined;
}

/** The value as a string that is not empty, or undefined. */
export function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The value as an array; empty when it is none. */
export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Parsed JSON, or undefined when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a call's arguments, which some servers send as an object; empty when there is none. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return asRecord(value) ? JSON.stringify(value) : "";
}

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
