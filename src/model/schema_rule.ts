import { canonicalJson } from "./json_values.ts";
import { SchemaError } from "./schema_error.ts";

/** A constraint on a value alone, without its members. */
export interface SchemaRule {
  /** True also for values of a type that the constraint is not about. */
  passes(value: unknown): boolean;
  /** Message about a value that does not pass. */
  message: string;
}

/** The rule that a keyword with a limit stands for; `undefined` for other keywords. */
export function compileRule(
  keyword: string,
  limit: unknown,
  path: string,
): SchemaRule | undefined {
  if (keyword === "uniqueItems") {
    if (typeof limit !== "boolean") {
      throw new SchemaError("Expected a boolean", path);
    }
    return limit ? UNIQUE_ITEMS : undefined;
  }
  const count = COUNT_RULES.get(keyword);
  if (count) {
    if (!Number.isInteger(limit) || (limit as number) < 0) {
      throw new SchemaError("Expected a count", path);
    }
    return count(limit as number);
  }
  const bound = NUMBER_RULES.get(keyword);
  if (!bound) return undefined;
  if (
    !Number.isFinite(limit) ||
    (keyword === "multipleOf" && !(limit as number > 0))
  ) {
    throw new SchemaError("Expected a number", path);
  }
  return bound(limit as number);
}

const UNIQUE_ITEMS: SchemaRule = {
  passes: (value) =>
    !Array.isArray(value) ||
    new Set(value.map(canonicalJson)).size === value.length,
  message: "Expected unique items",
};

type RuleOfLimit = (limit: number) => SchemaRule;

const NUMBER_RULES: ReadonlyMap<string, RuleOfLimit> = new Map([
  ["minimum", numberRule((value, limit) => value >= limit, ">= N")],
  ["maximum", numberRule((value, limit) => value <= limit, "<= N")],
  ["exclusiveMinimum", numberRule((value, limit) => value > limit, "> N")],
  ["exclusiveMaximum", numberRule((value, limit) => value < limit, "< N")],
  ["multipleOf", numberRule(isMultiple, "a multiple of N")],
]);

const COUNT_RULES: ReadonlyMap<string, RuleOfLimit> = new Map([
  ["minLength", countRule(countCharacters, "at least", "characters")],
  ["maxLength", countRule(countCharacters, "at most", "characters")],
  ["minItems", countRule(countItems, "at least", "items")],
  ["maxItems", countRule(countItems, "at most", "items")],
  ["minProperties", countRule(countProperties, "at least", "properties")],
  ["maxProperties", countRule(countProperties, "at most", "properties")],
]);

function numberRule(
  passes: (value: number, limit: number) => boolean,
  wording: string,
): RuleOfLimit {
  return (limit) => ({
    passes: (value) => typeof value !== "number" || passes(value, limit),
    message: `Expected ${wording.replace("N", String(limit))}`,
  });
}

function countRule(
  count: (value: unknown) => number | undefined,
  wording: "at least" | "at most",
  noun: string,
): RuleOfLimit {
  return (limit) => ({
    passes: (value) => {
      const n = count(value);
      if (n === undefined) return true;
      return wording === "at least" ? n >= limit : n <= limit;
    },
    message: `Expected ${wording} ${limit} ${noun}`,
  });
}

/** Decimal fractions have no exact binary form: 0.3 / 0.1 is not quite 3. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  const distance = Math.abs(quotient - Math.round(quotient));
  return distance <= 2 * Number.EPSILON * Math.abs(quotient);
}

/** Code points, as JSON Schema has it. */
function countCharacters(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  let count = value.length;
  for (let i = 0; i < value.length - 1; i++) {
    if ((value.codePointAt(i) as number) > 0xffff) {
      count--;
      i++;
    }
  }
  return count;
}

function countItems(value: unknown): number | undefined {
  return Array.isArray(value) ? value.length : undefined;
}

function countProperties(value: unknown): number | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return undefined;
  }
  return Object.keys(value).length;
}
