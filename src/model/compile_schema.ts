import { isJsonType, isObject, type JsonType } from "./json_values.ts";
import { SchemaError } from "./schema_error.ts";
import { escapePointer, resolveReference } from "./schema_reference.ts";
import { compileRule, type SchemaRule } from "./schema_rule.ts";

/** A schema made ready for walking values. All parts are optional constraints. */
export class SchemaNode {
  /** True for the schema `false`, which nothing fits. */
  isNever = false;
  types: readonly JsonType[] | undefined;
  /** Values of `enum` or `const`. */
  members: readonly unknown[] | undefined;
  rules: SchemaRule[] = [];

  properties: ReadonlyMap<string, SchemaNode> = NONE;
  required: readonly string[] = [];
  patternProperties: readonly { regex: RegExp; node: SchemaNode }[] = [];
  additionalProperties: SchemaNode | undefined;

  prefixItems: readonly SchemaNode[] = [];
  /** For the items after `prefixItems`. */
  items: SchemaNode | undefined;

  reference: SchemaNode | undefined;
  allOf: readonly SchemaNode[] = [];
  anyOf: readonly SchemaNode[] | undefined;
  oneOf: readonly SchemaNode[] | undefined;
  not: SchemaNode | undefined;
}

const NONE: ReadonlyMap<string, SchemaNode> = new Map();

/**
 * Makes a schema ready, once for each schema object: later changes to the
 * object are not seen. Throws a {@linkcode SchemaError}.
 */
export function compileSchema(schema: unknown): SchemaNode {
  if (!isObject(schema)) return new SchemaCompiler(schema).compileRoot();
  let node = compiled.get(schema);
  if (!node) {
    node = new SchemaCompiler(schema).compileRoot();
    compiled.set(schema, node);
  }
  return node;
}

const compiled = new WeakMap<object, SchemaNode>();

const MAX_SCHEMA_DEPTH = 300;

/** Keywords of JSON Schema that constrain values and are not understood here. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  "$dynamicRef",
  "$recursiveRef",
  "contains",
  "dependencies",
  "dependentRequired",
  "dependentSchemas",
  "disallow",
  "divisibleBy",
  "else",
  "extends",
  "if",
  "maxContains",
  "minContains",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

class SchemaCompiler {
  #root: unknown;
  /** By schema object, so that recursion ends. */
  #nodes = new Map<object, SchemaNode>();
  #depth = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  compileRoot(): SchemaNode {
    const node = this.#compile(this.#root, "#");
    refuseLoops(node);
    return node;
  }

  #compile(schema: unknown, path: string): SchemaNode {
    if (typeof schema === "boolean") {
      const node = new SchemaNode();
      node.isNever = !schema;
      return node;
    }
    if (!isObject(schema)) {
      throw new SchemaError("Expected a schema: an object or a boolean", path);
    }
    const known = this.#nodes.get(schema);
    if (known) return known;
    if (this.#depth === MAX_SCHEMA_DEPTH) {
      throw new SchemaError("The schema is nested too deeply", path);
    }
    const node = new SchemaNode();
    this.#nodes.set(schema, node);
    this.#depth++;
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined) continue;
      this.#addKeyword(
        node,
        keyword,
        value,
        `${path}/${escapePointer(keyword)}`,
      );
    }
    this.#addItems(node, schema, path);
    this.#depth--;
    return node;
  }

  #addKeyword(
    node: SchemaNode,
    keyword: string,
    value: unknown,
    path: string,
  ): void {
    switch (keyword) {
      case "type":
        node.types = types(value, path);
        return;
      case "enum":
        if (!Array.isArray(value)) {
          throw new SchemaError("Expected a list", path);
        }
        addMembers(node, value);
        return;
      case "const":
        addMembers(node, [value]);
        return;
      case "required":
        node.required = strings(value, path);
        return;
      case "properties":
        node.properties = new Map(this.#compileMembers(value, path));
        return;
      case "patternProperties":
        node.patternProperties = this.#compileMembers(value, path).map((
          [pattern, node],
        ) => ({ regex: compileRegex(pattern, path), node }));
        return;
      case "additionalProperties":
        node.additionalProperties = this.#compile(value, path);
        return;
      case "$ref":
        node.reference = this.#compileReference(value, path);
        return;
      case "allOf":
        node.allOf = [...node.allOf, ...this.#compileList(value, path)];
        return;
      case "anyOf":
        node.anyOf = this.#compileList(value, path);
        return;
      case "oneOf":
        node.oneOf = this.#compileList(value, path);
        return;
      case "not":
        node.not = this.#compile(value, path);
        return;
      case "$defs":
      case "definitions":
        // Compiled for their faults; a reference finds the same nodes.
        this.#compileMembers(value, path);
        return;
      case "pattern": {
        if (typeof value !== "string") {
          throw new SchemaError("Expected a string", path);
        }
        const regex = compileRegex(value, path);
        node.rules.push({
          passes: (text) => typeof text !== "string" || regex.test(text),
          message: `Expected to match ${value}`,
        });
        return;
      }
    }
    if (UNSUPPORTED.has(keyword)) {
      throw new SchemaError(
        `Schema keyword "${keyword}" is not supported`,
        path,
      );
    }
    const rule = compileRule(keyword, value, path);
    if (rule) node.rules.push(rule);
  }

  /** Both spellings of "these items first, then those". */
  #addItems(
    node: SchemaNode,
    schema: Record<string, unknown>,
    path: string,
  ): void {
    const { items, prefixItems, additionalItems } = schema;
    if (Array.isArray(items)) {
      node.prefixItems = this.#compileList(items, `${path}/items`);
      if (additionalItems !== undefined) {
        node.items = this.#compile(additionalItems, `${path}/additionalItems`);
      }
      return;
    }
    if (prefixItems !== undefined) {
      node.prefixItems = this.#compileList(prefixItems, `${path}/prefixItems`);
    }
    if (items !== undefined) node.items = this.#compile(items, `${path}/items`);
  }

  #compileMembers(value: unknown, path: string): [string, SchemaNode][] {
    if (!isObject(value)) throw new SchemaError("Expected an object", path);
    return Object.entries(value).map(([name, schema]) => [
      name,
      this.#compile(schema, `${path}/${escapePointer(name)}`),
    ]);
  }

  #compileList(value: unknown, path: string): SchemaNode[] {
    if (!Array.isArray(value) || value.length === 0) {
      throw new SchemaError("Expected a list of schemas", path);
    }
    return value.map((schema, i) => this.#compile(schema, `${path}/${i}`));
  }

  #compileReference(reference: unknown, path: string): SchemaNode {
    if (typeof reference !== "string") {
      throw new SchemaError("Expected a string", path);
    }
    const target = resolveReference(this.#root, reference);
    if (target === undefined) {
      throw new SchemaError(`Unresolved reference "${reference}"`, path);
    }
    return this.#compile(target, reference);
  }
}

function types(value: unknown, path: string): JsonType[] {
  const names = typeof value === "string" ? [value] : strings(value, path);
  const unknown = names.find((name) => !isJsonType(name));
  if (unknown !== undefined || names.length === 0) {
    throw new SchemaError(`Unknown type "${unknown ?? ""}"`, path);
  }
  return names.filter(isJsonType);
}

function strings(value: unknown, path: string): string[] {
  if (!Array.isArray(value) || value.some((name) => typeof name !== "string")) {
    throw new SchemaError("Expected a list of strings", path);
  }
  return value;
}

/** Both of `enum` and `const` hold where there are both. */
function addMembers(node: SchemaNode, members: readonly unknown[]): void {
  if (node.members) {
    const part = new SchemaNode();
    part.members = members;
    node.allOf = [...node.allOf, part];
  } else {
    node.members = members;
  }
}

function compileRegex(pattern: string, path: string): RegExp {
  try {
    return new RegExp(pattern, "u");
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new SchemaError(cause.message, path);
  }
}

/** A schema that applies itself to the same value would be walked for ever. */
function refuseLoops(root: SchemaNode): void {
  const finished = new Set<SchemaNode>();
  const inside = new Set<SchemaNode>();
  const visit = (node: SchemaNode): void => {
    if (finished.has(node)) return;
    if (inside.has(node)) {
      throw new SchemaError("The schema applies itself to the same value", "#");
    }
    inside.add(node);
    for (const part of sameValueParts(node)) visit(part);
    inside.delete(node);
    finished.add(node);
  };
  const seen = new Set<SchemaNode>([root]);
  for (const node of seen) {
    visit(node);
    for (const part of sameValueParts(node)) seen.add(part);
    for (const part of node.properties.values()) seen.add(part);
    for (const { node: part } of node.patternProperties) seen.add(part);
    for (const part of node.prefixItems) seen.add(part);
    if (node.additionalProperties) seen.add(node.additionalProperties);
    if (node.items) seen.add(node.items);
  }
}

function sameValueParts(node: SchemaNode): SchemaNode[] {
  const { reference, allOf, anyOf = [], oneOf = [], not } = node;
  const parts = [...allOf, ...anyOf, ...oneOf];
  if (reference) parts.push(reference);
  if (not) parts.push(not);
  return parts;
}

/**
 * Throws a {@linkcode SchemaError} for a schema that values could not be
 * checked against in full.
 *
 * Understood: `true` and `false`; `type` (also a list), `enum`, `const`;
 * `properties`, `required`, `additionalProperties`, `patternProperties`,
 * `minProperties`, `maxProperties`; `items`, `prefixItems` (also in their
 * older forms, a list of `items` and `additionalItems`), `minItems`,
 * `maxItems`, `uniqueItems`; `minLength`, `maxLength`, `pattern`; `minimum`,
 * `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`; `anyOf`,
 * `oneOf`, `allOf`, `not`; `$ref` to a place in the same schema (`#`,
 * `#/$defs/…`) or to an `$id` in it, recursive or not.
 *
 * Annotations are ignored, `format` too, and so are keywords that JSON Schema
 * does not know. Its other keywords would change the meaning and are refused.
 */
export function checkSchema(schema: unknown): void {
  compileSchema(schema);
}
