import { schemaDocument } from "../protocol/schema_document.ts";
import { loadSettingsSchema } from "../settings/load_settings.ts";
import type { SchemaName } from "./invocation.ts";
import type { Console } from "./console.ts";

/** `tau schema [name]`: prints the JSON Schema of what tau prints as JSON, or of a settings file. Returns the exit code. */
export async function schemaCommand(
  { name }: { name: SchemaName },
  { console }: { console: Console },
): Promise<number> {
  const schema = name === "settings"
    ? await loadSettingsSchema()
    : (await import("../protocol/schemas.ts")).documents[name];
  const document = JSON.stringify(schemaDocument(schema), null, 2);
  console.stdout.write(`${document}\n`);
  return await console.settle(0);
}
