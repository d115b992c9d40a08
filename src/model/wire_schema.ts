import { checkSchema } from "./compile_schema.ts";
import { isObject } from "./json_values.ts";
import { SchemaError } from "./schema_error.ts";
import { escapePointer, resolveReference } from "./schema_reference.ts";
import type { JsonSchema } from "./tool.ts";

/** A schema as every wire format takes it. */
export interface WireSchema {
  /** Plain JSON: an object at the top, without a union there and without references. */
  schema: JsonSchema;
  /** It allows more than the original did, which arguments must be checked against too. */
  isLooser: boolean;
}

type Schema = Record<string, unknown>;

/** Levels of a schema once its references are written out. */
const MAX_DEPTH = 32;
/** Characters of it. */
const MAX_LENGTH = 256 * 1024;
/** Schemas in it: references that fan out grow without end. */
const MAX_SCHEMAS = 5000;

/** Keywords whose values are schemas, lists of schemas, and schemas by name. */
const INNER = ["additionalProperties", "items", "not", "additionalItems"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems"];
const MAPS = ["properties", "patternProperties"];

/**
 * The schema of a tool's parameters as every provider takes it, where there is
 * one: references are written out, alternatives at the top are joined. One
 * schema that a provider refuses would make it refuse every request.
 *
 * Throws a {@linkcode SchemaError} that says what stands in the way.
 */
export function toWireSchema(parameters: unknown): WireSchema {
  const schema = plain(parameters);
  checkSchema(schema);
  const written = new ReferenceWriter(schema).write();
  const top = joinTop(written);
  if (JSON.stringify(top.schema).length > MAX_LENGTH) {
    throw new SchemaError("The schema is too long", "#");
  }
  return top;
}

function plain(parameters: unknown): Schema {
  let json: string | undefined;
  try {
    json = JSON.stringify(parameters);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaError(`The schema is not JSON: ${why}`, "#");
  }
  const schema = json === undefined ? undefined : JSON.parse(json);
  if (isObject(schema)) return schema;
  throw new SchemaError("Expected a schema of an object", "#");
}

/** Writes out what references point to. */
class ReferenceWriter {
  readonly #root: Schema;
  /** Schemas that are being written: a reference to one of them has no end. */
  readonly #open = new Set<unknown>();
  #count = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  write(): Schema {
    return this.#write(this.#root, "#", 0) as Schema;
  }

  #write(schema: unknown, path: string, depth: number): unknown {
    if (!isObject(schema)) return schema;
    if (this.#open.has(schema)) {
      throw new SchemaError(
        "The schema contains itself, which not every provider takes",
        path,
      );
    }
    if (depth > MAX_DEPTH || ++this.#count > MAX_SCHEMAS) {
      throw new SchemaError("The schema is too large", path);
    }
    this.#open.add(schema);
    const { $ref, $defs: _, definitions: __, $id: ___, $schema: ____, ...own } =
      schema;
    const inner = (child: unknown, keyword: string) =>
      this.#write(child, `${path}/${keyword}`, depth + 1);
    const written: Schema = {};
    for (const [keyword, value] of Object.entries(own)) {
      written[keyword] = writeInner(keyword, value, inner);
    }
    this.#open.delete(schema);
    if (typeof $ref !== "string") return written;
    this.#open.add(schema);
    const target = this.#write(
      resolveReference(this.#root, $ref),
      `${path}/$ref`,
      depth + 1,
    );
    this.#open.delete(schema);
    return isObject(target) ? both(target, written) : target;
  }
}

function writeInner(
  keyword: string,
  value: unknown,
  inner: (child: unknown, keyword: string) => unknown,
): unknown {
  if (INNER.includes(keyword) && !Array.isArray(value)) {
    return inner(value, keyword);
  }
  const isList = LISTS.includes(keyword) || keyword === "items";
  if (isList && Array.isArray(value)) {
    return value.map((child, i) => inner(child, `${keyword}/${i}`));
  }
  if (!MAPS.includes(keyword) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [
      name,
      inner(child, `${keyword}/${escapePointer(name)}`),
    ]),
  );
}

/** A reference with other words beside it means both; where they speak of the same, in two schemas. */
function both(target: Schema, own: Schema): Schema {
  const isClash = Object.keys(own).some((keyword) =>
    keyword in target && !["description", "title", "default"].includes(keyword)
  );
  return isClash ? { allOf: [target, own] } : { ...target, ...own };
}

/** The schema with an object and nothing else at its top. */
function joinTop(schema: Schema): WireSchema {
  const { anyOf, oneOf, allOf, not, enum: _, const: __, ...own } = schema;
  const unions = [anyOf, oneOf].filter(Array.isArray) as unknown[][];
  const every = Array.isArray(allOf) ? allOf : [];
  const isLooser = unions.length > 0 || every.length > 0 ||
    not !== undefined || "enum" in schema || "const" in schema;
  let joined = objectOf(own, "#");
  for (const [i, part] of every.entries()) {
    joined = meet(joined, objectOf(part, `#/allOf/${i}`));
  }
  for (const union of unions) {
    const branches = union.map((branch, i) =>
      objectOf(branch, `#/${union === anyOf ? "anyOf" : "oneOf"}/${i}`)
    );
    joined = meet(joined, branches.reduce(join));
  }
  return {
    schema: {
      ...(isLooser ? {} : own),
      ...(typeof own.description === "string"
        ? { description: own.description }
        : {}),
      ...fieldsOf(joined),
    },
    isLooser,
  };
}

/** Facts about an object. */
interface ObjectSchema {
  properties: Map<string, unknown[]>;
  required: Set<string>;
}

function objectOf(value: unknown, path: string): ObjectSchema {
  if (!isObject(value)) {
    throw new SchemaError("Expected a schema of an object", path);
  }
  const { type, properties, required } = value;
  const types = Array.isArray(type) ? type : [type ?? "object"];
  if (!types.includes("object")) {
    throw new SchemaError(
      `Expected a schema of an object, got one of ${types.join(" or ")}`,
      path,
    );
  }
  const nested = ["anyOf", "oneOf", "allOf"].find((word) => word in value);
  if (nested !== undefined) {
    throw new SchemaError(
      "Alternatives inside alternatives are not taken by every provider",
      `${path}/${nested}`,
    );
  }
  return {
    properties: new Map(
      Object.entries(isObject(properties) ? properties : {})
        .map(([name, schema]) => [name, [schema]]),
    ),
    required: new Set(Array.isArray(required) ? required as string[] : []),
  };
}

/** Joins two schemas: a value fits one of the two. */
function join(a: ObjectSchema, b: ObjectSchema): ObjectSchema {
  return {
    properties: union(a.properties, b.properties),
    required: a.required.intersection(b.required),
  };
}

/** Joins two schemas: a value fits both, where no property is in the two of them; else a little more. */
function meet(a: ObjectSchema, b: ObjectSchema): ObjectSchema {
  return {
    properties: union(a.properties, b.properties),
    required: a.required.union(b.required),
  };
}

function union(
  a: Map<string, unknown[]>,
  b: Map<string, unknown[]>,
): Map<string, unknown[]> {
  const all = new Map(a);
  for (const [name, schemas] of b) {
    all.set(name, [...(all.get(name) ?? []), ...schemas]);
  }
  return all;
}

function fieldsOf({ properties, required }: ObjectSchema): Schema {
  const fields: [string, unknown][] = [];
  for (const [name, schemas] of properties) {
    const distinct = new Map(schemas.map((one) => [JSON.stringify(one), one]));
    const all = [...distinct.values()];
    fields.push([name, all.length === 1 ? all[0] : { anyOf: all }]);
  }
  return {
    type: "object",
    properties: Object.fromEntries(fields),
    ...(required.size > 0 ? { required: [...required] } : {}),
  };
}
