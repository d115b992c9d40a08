import { compileSchema } from "./compile_schema.ts";

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
