/**
 * JSON Schema as plain data. TypeBox schemas are assignable to it. Which
 * keywords are understood is said at `checkSchema`.
 */
// deno-lint-ignore no-empty-interface -- TypeBox's schemas have no index signature
export interface JsonSchema {}

/**
 * Degree to which a provider should force the arguments into the schema while sampling.
 *
 * Where the provider is not known to do it for this schema, `prefer` sends the
 * tool without force, and `require` ends the request in an error of kind
 * `refused`. A `grammar` is sent by no format yet: it is about free text, and
 * arguments are an object. `false` never forces.
 */
export type ConstrainedSampling =
  | false
  | { type: "json_schema"; strict: "prefer" | "require" }
  | {
    type: "grammar";
    variants: { openai_lark?: string; openai_regex?: string };
  };

/** A tool as the model knows it. */
export interface Tool<Parameters extends JsonSchema = JsonSchema> {
  /** Unique within a request; letters, digits, `_` and `-`, at most 64. */
  name: string;
  /** When to use it and how, for the model. */
  description: string;
  /** Schema of an object: the arguments. */
  parameters: Parameters;
  /** Default: the provider decides. */
  constrainedSampling?: ConstrainedSampling;
}
