import type { JsonObject, JsonValue } from "../model/content.ts";

/**
 * A schema as a document of its own: each part that has an `$id` stands once,
 * in `$defs`, and is referred to.
 */
export function schemaDocument(schema: object): JsonObject {
  const definitions: JsonObject = {};
  const refer = (part: JsonValue): JsonValue => {
    if (Array.isArray(part)) return part.map(refer);
    if (typeof part !== "object" || part === null) return part;
    const { $id: name, ...rest } = part;
    if (typeof name !== "string") return mapMembers(part, refer);
    definitions[name] ??= mapMembers(rest, refer);
    return { $ref: `#/$defs/${name}` };
  };
  // TypeBox's own marks are symbols, which JSON leaves out.
  const { $id: _name, ...root }: JsonObject = JSON.parse(
    JSON.stringify(schema),
  );
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...mapMembers(root, refer),
    $defs: definitions,
  };
}

function mapMembers(
  object: JsonObject,
  change: (value: JsonValue) => JsonValue,
): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value)]),
  );
}
