import { BOUND } from "../../src/protocol/message_schemas.ts";

/** A schema as plain data, of the kinds that `src/protocol` uses. */
interface Schema {
  $id?: string;
  type?: string;
  const?: unknown;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean;
  patternProperties?: Record<string, Schema>;
  anyOf?: readonly Schema[];
  [BOUND]?: { maxLength: number };
}

/** A check to write: `is<Name>`, and the type that it shows. */
export interface Check {
  name: string;
  schema: object;
  /** File of the type, as the written file imports it. */
  from: string;
}

/**
 * Writes schemas out as plain functions: a check then costs what it looks at,
 * and no schema is loaded for it. Throws for a keyword that it does not know.
 */
export function writeChecks(checks: readonly Check[]): string {
  const writer = new Writer();
  const functions = checks.map(({ name, schema }) =>
    `/** True for a ${name}. */
export function is${name}(value: unknown): value is ${name} {
  return ${writer.condition(schema, "value")};
}`
  );
  const imports = checks.map(({ name, from }) =>
    `import type { ${name} } from ${JSON.stringify(from)};`
  );
  return [
    "// Written by `deno task checks` from the schemas. A test compares them.",
    imports.join("\n"),
    ...functions,
    ...writer.functions(),
    HELPERS,
  ].join("\n\n");
}

const HELPERS = `type Fields = Record<string, unknown>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length <= maxLength;
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function hasOnly(value: Fields, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
`;

const KEYWORDS = new Set([
  ...["$id", "title", "description", "type", "const", "enum", "minimum"],
  ...["maximum", "maxItems", "items", "properties", "required"],
  ...["additionalProperties", "patternProperties", "anyOf"],
]);

class Writer {
  readonly #named = new Map<string, string>();

  functions(): string[] {
    return [...this.#named.values()];
  }

  /** An expression that is true when `value`, also an expression, fits. */
  condition(schema: Schema, value: string): string {
    const strange = Object.keys(schema).find((key) => !KEYWORDS.has(key));
    if (strange) throw new Error(`No check for the keyword "${strange}"`);
    const { $id: name, ...rest } = schema;
    // Symbols are not among what is spread.
    const body: Schema = { ...rest, [BOUND]: schema[BOUND] };
    if (name === undefined) return this.#plain(body, value);
    if (!this.#named.has(name)) {
      this.#named.set(name, "");
      this.#named.set(
        name,
        `function isPart${name}(value: unknown): boolean {
  return ${this.#plain(body, "value")};
}`,
      );
    }
    return `isPart${name}(${value})`;
  }

  #plain(schema: Schema, value: string): string {
    if (schema.anyOf) return this.#union(schema.anyOf, value);
    if ("const" in schema) {
      return `${value} === ${JSON.stringify(schema.const)}`;
    }
    if (schema.enum) {
      const words = schema.enum.map((word) => `${value} === ${quote(word)}`);
      return `(${all(words, "||")})`;
    }
    switch (schema.type) {
      case undefined:
        return "true";
      case "string":
        return schema[BOUND]
          ? `isText(${value}, ${schema[BOUND].maxLength})`
          : `typeof ${value} === "string"`;
      case "boolean":
        return `typeof ${value} === "boolean"`;
      case "null":
        return `${value} === null`;
      case "integer":
      case "number":
        return this.#number(schema, value);
      case "array":
        return this.#list(schema, value);
      case "object":
        return this.#object(schema, value);
    }
    throw new Error(`No check for the type "${schema.type}"`);
  }

  #number({ type, minimum, maximum }: Schema, value: string): string {
    if (type === "integer" && minimum === 0 && maximum === undefined) {
      return `isCount(${value})`;
    }
    const isKind = type === "integer" ? "isSafeInteger" : "isFinite";
    const number = `(${value} as number)`;
    return all([
      `Number.${isKind}(${value})`,
      ...(minimum === undefined ? [] : [`${number} >= ${minimum}`]),
      ...(maximum === undefined ? [] : [`${number} <= ${maximum}`]),
    ]);
  }

  #list({ items = {}, maxItems }: Schema, value: string): string {
    const list = `isList(${value}, (item) => ${this.condition(items, "item")})`;
    return maxItems === undefined
      ? list
      : all([list, `(${value} as unknown[]).length <= ${maxItems}`]);
  }

  #object(schema: Schema, value: string): string {
    const { properties = {}, required = [], patternProperties } = schema;
    const conditions = [`isObject(${value})`];
    for (const [name, property] of Object.entries(properties)) {
      const member = `${value}.${name}`;
      const condition = this.condition(property, member);
      if (required.includes(name)) {
        conditions.push(
          condition === "true" ? `${member} !== undefined` : condition,
        );
      } else if (condition !== "true") {
        conditions.push(`(${member} === undefined || ${condition})`);
      }
    }
    if (schema.additionalProperties === false) {
      conditions.push(
        `hasOnly(${value}, ${JSON.stringify(Object.keys(properties))})`,
      );
    }
    for (const property of Object.values(patternProperties ?? {})) {
      conditions.push(
        `isList(Object.values(${value}), (item) => ${
          this.condition(property, "item")
        })`,
      );
    }
    return all(conditions);
  }

  /** Alternatives, told apart by a word where all of them have one. */
  #union(members: readonly Schema[], value: string): string {
    return `(${
      all(members.map((member) => this.condition(member, value)), "||")
    })`;
  }
}

function all(conditions: readonly string[], join = "&&"): string {
  return conditions.length === 1
    ? conditions[0] as string
    : conditions.join(` ${join} `);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
