import type { JsonSchema } from "../../model/tool.ts";

/** The schema of an object that has these properties, and may have more. */
export function objectSchema(
  required: Record<string, JsonSchema>,
  optional: Record<string, JsonSchema> = {},
): JsonSchema {
  return {
    type: "object",
    properties: { ...required, ...optional },
    required: Object.keys(required),
  };
}
