import * as typebox from "@sinclair/typebox";

/** A schema that knows the type of the values that it describes; at run time it is plain JSON Schema. */
export type TSchema = typebox.TSchema;

/** The type of the values that a schema describes: `Static<typeof parameters>`. */
export type Static<Schema extends TSchema> =
  (Schema & { params: [] })["static"];

/** Builds schemas: `Type.Object({ path: Type.String() })`. This is the `Type` of TypeBox (version 0.34), which documents all its members. */
export const Type: (typeof typebox)["Type"] = typebox.Type;
