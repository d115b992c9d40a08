import type { JsonObject, JsonValue } from "./content.ts";

/** A `type` of JSON Schema. */
export type JsonType =
  | "null"
  | "boolean"
  | "integer"
  | "number"
  | "string"
  | "array"
  | "object";

const JSON_TYPES: ReadonlySet<string> = new Set<JsonType>([
  "null",
  "boolean",
  "integer",
  "number",
  "string",
  "array",
  "object",
]);

/** True for the name of a type. */
export function isJsonType(name: string): name is JsonType {
  return JSON_TYPES.has(name);
}

/** The narrowest type that a value has, or what else it is. */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value !== "number") return typeof value;
  if (Number.isInteger(value)) return "integer";
  return Number.isFinite(value) ? "number" : String(value);
}

/** True where a value has a type; an integer is a number too. */
export function hasType(value: unknown, type: JsonType): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null &&
        !Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
  }
}

/** True for values whose JSON says the same, whatever the order of members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const ours = definedMembers(a);
  const theirs = new Map(definedMembers(b));
  return ours.length === theirs.size &&
    ours.every(([name, member]) =>
      theirs.has(name) && isSameJson(member, theirs.get(name))
    );
}

function definedMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

/** JSON with the members of objects in one order. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) {
    return JSON.stringify(value) ?? "null";
  }
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, member]) =>
      `${JSON.stringify(name)}:${canonicalJson(member)}`
    );
  return `{${members.join(",")}}`;
}

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sets an own member, whatever its name. */
export function setMember(
  target: JsonObject,
  key: string,
  value: JsonValue,
): void {
  if (key !== "__proto__") target[key] = value;
  else {
    // An assignment would set the prototype.
    Object.defineProperty(target, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
  }
}

/** Most levels of nesting in a value that the model or a plugin gave. */
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
