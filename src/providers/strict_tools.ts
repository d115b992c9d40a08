import { ModelError } from "../model/model_error.ts";
import type { Tool } from "../model/tool.ts";
import { asArray, asRecord, type JsonRecord } from "./json_value.ts";

/** Counts over the schemas of all strict tools of a request. */
interface StrictSize {
  tools: number;
  properties: number;
  /** Properties that need not be there. */
  optional: number;
  /** Values of more than one type. */
  unions: number;
  enumValues: number;
}

/** A provider's rules for strict tools, whose arguments it forces into their schema. */
export interface StrictRules {
  /** Words that a schema may use; with any other the request is refused. */
  keywords: ReadonlySet<string>;
  /** The most that a request may have; no limit when absent. Limits of one tool are kept by all together. */
  limits: Partial<StrictSize>;
}

/** Words that every provider with strict tools knows. */
export const STRICT_KEYWORDS = [
  "type",
  "title",
  "description",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "format",
] as const;

const FORMATS: ReadonlySet<unknown> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Levels of a schema, its own included. */
const MAX_DEPTH = 10;

/**
 * Chooses the tools that are sent as strict: each whose `constrainedSampling`
 * asks for it and that the rules allow, beginning with those that require it.
 * Without rules there is none. Throws a `ModelError` of kind `refused` for a
 * tool that requires it and cannot be strict.
 */
export function strictTools(
  tools: readonly Tool[],
  rules: StrictRules | undefined,
): ReadonlySet<Tool> {
  const strict = new Set<Tool>();
  let total = NOTHING;
  for (const wanted of ["require", "prefer"]) {
    // The usual case, which should cost nothing.
    if (!rules && wanted === "prefer") break;
    for (const tool of tools) {
      const { constrainedSampling: wish, parameters, name } = tool;
      if (!wish || wish.type !== "json_schema" || wish.strict !== wanted) {
        continue;
      }
      try {
        if (!rules) {
          throw new NotStrictError("the model is not known to offer them");
        }
        total = add(total, { size: measure(parameters, rules), rules });
        strict.add(tool);
      } catch (error) {
        if (!(error instanceof NotStrictError)) throw error;
        if (wanted === "prefer") continue;
        throw new ModelError(
          "refused",
          `Tool "${name}" requires strict arguments: ${error.message}`,
          { cause: error },
        );
      }
    }
  }
  return strict;
}

/** A tool cannot be strict; the message says why. */
class NotStrictError extends Error {}

const NOTHING: StrictSize = {
  tools: 0,
  properties: 0,
  optional: 0,
  unions: 0,
  enumValues: 0,
};

/** Names of the counts in messages. */
const WORDS: Record<keyof StrictSize, string> = {
  tools: "strict tools",
  properties: "properties",
  optional: "optional properties",
  unions: "properties of more than one type",
  enumValues: "values of enums",
};

function add(
  total: StrictSize,
  { size, rules }: { size: StrictSize; rules: StrictRules },
): StrictSize {
  const sum = { ...total };
  for (const part of Object.keys(WORDS) as (keyof StrictSize)[]) {
    sum[part] += size[part];
    const most = rules.limits[part] ?? Infinity;
    if (sum[part] > most) {
      throw new NotStrictError(`at most ${most} ${WORDS[part]} are allowed`);
    }
  }
  return sum;
}

function measure(parameters: unknown, rules: StrictRules): StrictSize {
  const size = { ...NOTHING, tools: 1 };
  const root = asRecord(parameters);
  if (root?.type !== "object" || root.anyOf !== undefined) {
    throw new NotStrictError("the schema must be of an object and no union");
  }
  walk(root, { rules, size, path: "", depth: 1 });
  return size;
}

interface Place {
  rules: StrictRules;
  /** Grows with each schema. */
  size: StrictSize;
  /** The path of the value that the schema describes, for messages. */
  path: string;
  depth: number;
}

function walk(value: unknown, place: Place): void {
  const { rules, size, path, depth } = place;
  const where = path === "" ? "the schema" : `"${path}"`;
  const schema = asRecord(value);
  if (!schema) throw new NotStrictError(`${where} is not a schema`);
  if (depth > MAX_DEPTH) {
    throw new NotStrictError(`${where} is deeper than ${MAX_DEPTH} levels`);
  }
  for (const [word, said] of Object.entries(schema)) {
    // JSON leaves it out.
    if (said === undefined) continue;
    if (!rules.keywords.has(word)) {
      throw new NotStrictError(`${where} has "${word}"`);
    }
  }
  const { type, enum: values, anyOf, format, $ref } = schema;
  if (type === undefined && anyOf === undefined && $ref === undefined) {
    throw new NotStrictError(`${where} has no "type"`);
  }
  if (format !== undefined && !FORMATS.has(format)) {
    throw new NotStrictError(`${where} has an unknown "format"`);
  }
  for (const one of [schema.const, ...asArray(values)]) {
    if (typeof one === "object" && one !== null) {
      throw new NotStrictError(
        `${where} has a constant that is not a plain value`,
      );
    }
  }
  size.enumValues += asArray(values).length;
  if (anyOf !== undefined || Array.isArray(type)) size.unions++;

  const inner = (child: unknown, path: string) =>
    walk(child, { ...place, path, depth: depth + 1 });
  const types = Array.isArray(type) ? type : [type];
  if (types.includes("object")) walkObject(schema, { where, place, inner });
  if (types.includes("array")) inner(schema.items, `${path}[]`);
  for (const branch of asArray(anyOf)) inner(branch, path);
  for (
    const [name, definition] of Object.entries(asRecord(schema.$defs) ?? {})
  ) {
    inner(definition, `$defs.${name}`);
  }
}

function walkObject(
  schema: JsonRecord,
  { where, place, inner }: {
    where: string;
    place: Place;
    inner(child: unknown, path: string): void;
  },
): void {
  const { size, path } = place;
  if (schema.additionalProperties !== false) {
    throw new NotStrictError(`${where} needs "additionalProperties": false`);
  }
  const properties = asRecord(schema.properties);
  if (!properties) throw new NotStrictError(`${where} has no "properties"`);
  const required = new Set(asArray(schema.required));
  for (const [name, property] of Object.entries(properties)) {
    size.properties++;
    if (!required.delete(name)) size.optional++;
    inner(property, path === "" ? name : `${path}.${name}`);
  }
  if (required.size > 0) {
    throw new NotStrictError(`${where} requires what it does not describe`);
  }
}
