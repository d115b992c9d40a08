import { isObject } from "../../model/json_values.ts";

/** Keywords whose check costs no more than the value is long. */
const PLAIN = new Set([
  ...["type", "properties", "required", "items", "enum", "const"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["multipleOf", "minLength", "maxLength", "minItems", "maxItems"],
  ...["minProperties", "maxProperties", "additionalProperties"],
  ...["title", "description", "default", "examples", "$id", "$schema"],
  ...["$comment", "format", "readOnly", "writeOnly", "deprecated"],
]);

/** Nodes of a schema that the host looks at. */
const MAX_NODES = 2000;

/**
 * True for a schema that the host checks values against itself, though others
 * wrote it: no pattern, no reference and no alternatives, so that a check costs
 * no more than the value is long.
 */
export function isPlainSchema(schema: unknown): boolean {
  const open: unknown[] = [schema];
  for (let nodes = 0; open.length > 0; nodes++) {
    if (nodes > MAX_NODES) return false;
    const node = open.pop();
    if (typeof node === "boolean") continue;
    if (!isObject(node)) return false;
    if (!Object.keys(node).every((name) => PLAIN.has(name))) return false;
    const { properties, items, additionalProperties } = node;
    if (isObject(properties)) open.push(...Object.values(properties));
    if (items !== undefined) open.push(items);
    if (additionalProperties !== undefined) open.push(additionalProperties);
  }
  return true;
}
