import type { JsonObject, JsonValue } from "./content.ts";
import { memberNodes, type ValueChecker } from "./check_value.ts";
import type { SchemaNode } from "./compile_schema.ts";
import {
  copyJson,
  hasType,
  isObject,
  isSameJson,
  type JsonType,
  setMember,
  typeName,
} from "./json_values.ts";
import { parseLenientJson } from "./tool_call_arguments.ts";

/**
 * Brings a value closer to its schema where models tend to miss it: `null` for
 * an optional property is dropped, `"20"` becomes a number, `["a"]` written as
 * a string becomes an array, and so on. What fits is left alone, and so is
 * what cannot be converted: the check afterwards tells. Changes the value.
 */
export class ValueConverter {
  readonly #checker: ValueChecker;
  #depth = 0;
  /** Number of arrays around the current value that a conversion put there. */
  #wraps = 0;

  constructor(checker: ValueChecker) {
    this.#checker = checker;
  }

  /** The value that takes the place of a value. */
  convert(node: SchemaNode, value: JsonValue): JsonValue {
    if (!this.#checker.spend() || this.#depth === MAX_DEPTH) return value;
    this.#depth++;
    const converted = this.#convert(node, value);
    this.#depth--;
    return converted;
  }

  #convert(node: SchemaNode, value: JsonValue): JsonValue {
    const { reference, types, members, allOf, anyOf, oneOf } = node;
    if (reference) value = this.convert(reference, value);
    const before = value;
    if (types) value = this.#convertToTypes(types, value);
    if (members) value = convertToMember(members, value);
    const isWrapped = Array.isArray(value) && value[0] === before &&
      !Array.isArray(before);
    if (isWrapped) this.#wraps++;
    if (Array.isArray(value)) this.#convertItems(node, value);
    else if (isObject(value)) this.#convertMembers(node, value);
    if (isWrapped) this.#wraps--;
    for (const part of allOf) value = this.convert(part, value);
    if (anyOf) value = this.#convertToBranch(anyOf, value);
    if (oneOf) value = this.#convertToBranch(oneOf, value);
    return value;
  }

  #convertToTypes(types: readonly JsonType[], value: JsonValue): JsonValue {
    if (types.some((type) => hasType(value, type))) return value;
    for (const type of types) {
      const converted = convertToType(type, value);
      if (hasType(converted, type)) return converted;
    }
    // Last, as it takes anything. A schema of arrays of itself would never end.
    if (types.includes("array") && this.#wraps < MAX_WRAPS) return [value];
    return value;
  }

  #convertMembers(node: SchemaNode, value: JsonObject): void {
    for (const [name, member] of Object.entries(value)) {
      const known = node.properties.get(name);
      if (
        member === null && known && !node.required.includes(name) &&
        !this.#checker.accepts(known, null)
      ) {
        delete value[name];
        continue;
      }
      let converted = member;
      for (const part of memberNodes(node, name)) {
        converted = this.convert(part, converted);
      }
      if (converted !== member) setMember(value, name, converted);
    }
  }

  #convertItems(node: SchemaNode, value: JsonValue[]): void {
    for (const [i, item] of value.entries()) {
      const part = node.prefixItems[i] ?? node.items;
      if (!part) return;
      value[i] = this.convert(part, item);
    }
  }

  /** Converts to the first branch that the outcome fits. */
  #convertToBranch(
    branches: readonly SchemaNode[],
    value: JsonValue,
  ): JsonValue {
    if (branches.some((branch) => this.#checker.accepts(branch, value))) {
      return value;
    }
    for (const branch of branches) {
      const copy = this.#copy(value);
      if (copy === undefined) return value;
      const converted = this.convert(branch, copy);
      if (this.#checker.accepts(branch, converted)) return converted;
    }
    return value;
  }

  #copy(value: JsonValue): JsonValue | undefined {
    return this.#checker.spend() ? copyJson(value) : undefined;
  }
}

/** Most nested calls; see `ValueChecker`. */
const MAX_DEPTH = 400;
const MAX_WRAPS = 8;

function convertToType(type: JsonType, value: JsonValue): JsonValue {
  switch (type) {
    case "string":
      // Not from `null`: a model that writes it means "nothing", not a text.
      return typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : value;
    case "number":
      return toNumber(value);
    case "integer": {
      const number = toNumber(value);
      return typeof number === "number" ? Math.trunc(number) : value;
    }
    case "boolean":
      return toBoolean(value);
    case "null":
      return value === "null" ? null : value;
    case "array":
    case "object":
      return typeof value === "string" ? toContainer(value) : value;
  }
}

function toNumber(value: JsonValue): JsonValue {
  if (value === null) return 0;
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "string") return value;
  const text = value.trim().toLowerCase();
  if (text === "true") return 1;
  if (text === "false") return 0;
  const number = Number(text);
  return Number.isFinite(number) ? number : value;
}

function toBoolean(value: JsonValue): JsonValue {
  if (value === null || value === 0) return false;
  if (value === 1) return true;
  if (typeof value !== "string") return value;
  const text = value.toLowerCase();
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : value;
}

/** An array or object that a model wrote as a string. */
function toContainer(text: string): JsonValue {
  if (!/^\s*[[{]/.test(text)) return text;
  return parseLenientJson(text) ?? text;
}

/** The constant that a value of another type stands for. */
function convertToMember(
  members: readonly unknown[],
  value: JsonValue,
): JsonValue {
  if (members.some((member) => isSameJson(member, value))) return value;
  for (const member of members) {
    const type = typeName(member) as JsonType;
    const converted = convertToType(type, value);
    if (isSameJson(converted, member)) return converted;
  }
  return value;
}
