/** A schema that cannot be checked against. Raised for whoever wrote the schema. */
export class SchemaError extends Error {
  /** Always `SchemaError`. */
  override name = "SchemaError";
  /** Place in the schema, such as `#/properties/path/if`. */
  readonly path: string;

  /** The path is added to the message. */
  constructor(message: string, path: string) {
    super(`${message} (at ${path})`);
    this.path = path;
  }
}
