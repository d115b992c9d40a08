import { type TProperties, Type } from "@sinclair/typebox";
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
  additionalProperties?: unknown;
  patternProperties?: Record<string, Schema>;
  anyOf?: readonly Schema[];
  [BOUND]?: { maxLength: number };
}

/** The fields of a message, or of each of its kinds. */
type Fields = Record<string, Schema>;

const KEYWORDS = new Set([
  ...["$id", "title", "description", "type", "const", "enum", "minimum"],
  ...["maximum", "maxItems", "items", "properties", "required"],
  ...["additionalProperties", "patternProperties", "anyOf"],
]);

/**
 * Writes schemas out as plain functions, so that no schema is loaded for a
 * check. Throws for a keyword that it does not know.
 */
export class CheckWriter {
  readonly #declarations: string[] = [];
  readonly #written = new Set<string>();
  readonly #names: ReadonlyMap<string, string>;

  /** `parts` are schemas without an `$id` that stand once, by name. */
  constructor(parts: Record<string, object>) {
    this.#names = new Map(
      Object.entries(parts).map(([name, part]) => [keyOf(part), name]),
    );
  }

  /** The functions that the checks call. */
  get declarations(): string {
    return this.#declarations.join("\n\n");
  }

  /** An expression for the check of a message by its `type`, and by its `kind` where it has several. */
  messages(rows: Record<string, object>): string {
    const checks = Object.entries(rows).map(([type, fields]) =>
      `${type}: ${
        Array.isArray(fields)
          ? this.#alternatives(fields)
          : this.#members("only", fields as Fields)
      }`
    );
    return call("by", `"type"`, `{ ${checks.join(", ")} }`);
  }

  #alternatives(all: readonly Fields[]): string {
    if (!all.every(({ kind }) => kind)) {
      return call(
        "anyOf",
        ...all.map((fields) => this.#members("only", fields)),
      );
    }
    const kinds = all.map(({ kind, ...fields }) =>
      `${kind?.const}: ${
        fields.value
          ? call("answer", this.check(fields.value))
          : this.#members("only", fields)
      }`
    );
    return call("by", `"kind"`, `{ ${kinds.join(", ")} }`);
  }

  /** An expression for the function that is true for a value that fits. */
  check(schema: Schema): string {
    const strange = Object.keys(schema).find((key) => !KEYWORDS.has(key));
    if (strange) throw new Error(`No check for the keyword "${strange}"`);
    const name = schema.$id ?? this.#names.get(keyOf(schema));
    if (name === undefined) return this.#plain(schema);
    if (!this.#written.has(name)) {
      this.#written.add(name);
      this.#declarations.push(`const fits${name} = ${this.#plain(schema)};`);
    }
    return `fits${name}`;
  }

  #plain(schema: Schema): string {
    if (schema.anyOf) return this.#union(schema.anyOf);
    if ("const" in schema) return call("is", JSON.stringify(schema.const));
    if (schema.enum) return call("is", ...schema.enum.map(quote));
    switch (schema.type) {
      case undefined:
        return "isPresent";
      case "string":
        return schema[BOUND] ? call("text", schema[BOUND].maxLength) : "isText";
      case "boolean":
        return "isFlag";
      case "null":
        return "is(null)";
      case "integer":
      case "number":
        return numberCheck(schema);
      case "array":
        return call("list", this.check(schema.items ?? {}), schema.maxItems);
      case "object":
        return this.#object(schema);
    }
    throw new Error(`No check for the type "${schema.type}"`);
  }

  /** Alternatives, looked up by a word where all have one. */
  #union(members: readonly Schema[]): string {
    const word = Object.keys(members[0]?.properties ?? {}).find((name) =>
      members.every(({ $id, properties }) =>
        $id === undefined && typeof properties?.[name]?.const === "string"
      )
    );
    if (word === undefined) {
      return call("anyOf", ...members.map((one) => this.check(one)));
    }
    const checks = members.map((member) => {
      const { [word]: { const: value } = {}, ...properties } =
        member.properties ?? {};
      return `${value}: ${this.#object({ ...member, properties })}`;
    });
    return call("by", quote(word), `{ ${checks.join(", ")} }`);
  }

  #object(schema: Schema): string {
    const { properties, required, patternProperties } = schema;
    const [member] = Object.values(patternProperties ?? {});
    if (member) return call("record", this.check(member));
    if (!properties) return "isObject";
    return this.#members(
      schema.additionalProperties === false ? "only" : "fields",
      properties,
      required,
    );
  }

  #members(
    name: "fields" | "only",
    properties: Fields,
    required?: readonly string[],
  ): string {
    const needed = required ?? Type.Object(properties as TProperties).required;
    const members = Object.entries(properties).map(([name, property]) => {
      const check = this.check(property);
      return `${name}: ${needed?.includes(name) ? check : `maybe(${check})`}`;
    }).filter((member) =>
      name !== "fields" || !member.endsWith(": maybe(isPresent)")
    );
    return call(name, `{ ${members.join(", ")} }`);
  }
}

function numberCheck({ type, minimum, maximum }: Schema): string {
  if (minimum === undefined) return "isNumber";
  if (type === "number") return call("number", minimum, maximum);
  return minimum === 0 && maximum === undefined
    ? "isCount"
    : call("integer", minimum, maximum);
}

function call(name: string, ...given: (string | number | undefined)[]): string {
  return `${name}(${given.filter((one) => one !== undefined).join(", ")})`;
}

/** The same text for schemas that say the same. */
function keyOf(schema: Schema): string {
  return JSON.stringify(
    schema,
    (_key, part: Schema) =>
      part?.[BOUND] ? { ...part, bound: part[BOUND] } : part,
  );
}

function quote(text: string): string {
  return JSON.stringify(text);
}
