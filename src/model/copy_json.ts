import type { JsonObject, JsonValue } from "./content.ts";
import { setMember } from "./growing_json.ts";

/** How deep a value may be nested that the model or a plugin gave. */
export const MAX_JSON_DEPTH = 1000;

/**
 * A deep copy of what `JSON.stringify` would keep: members that are no JSON
 * are left out, items that are none become `null`. `undefined` for a value
 * that is nested more than {@linkcode MAX_JSON_DEPTH} levels deep, or itself
 * no JSON.
 */
export function copyJson(value: unknown): JsonValue | undefined {
  try {
    return copy(value, 0);
  } catch (error) {
    if (error instanceof TooDeepError) return undefined;
    throw error;
  }
}

class TooDeepError extends RangeError {}

function copy(value: unknown, depth: number): JsonValue | undefined {
  if (value === null) return value;
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return value;
    case "object":
      break;
    default:
      return undefined;
  }
  if (depth === MAX_JSON_DEPTH) throw new TooDeepError();
  if (Array.isArray(value)) {
    return value.map((item) => copy(item, depth + 1) ?? null);
  }
  const object: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const copied = copy(member, depth + 1);
    if (copied !== undefined) setMember(object, name, copied);
  }
  return object;
}
