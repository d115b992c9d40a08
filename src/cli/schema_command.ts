import { loadSchemas } from "../protocol/load_schemas.ts";
import { schemaDocument } from "../protocol/schema_document.ts";
import { loadSettingsSchema } from "../settings/load_settings.ts";
import type { SchemaName } from "./invocation.ts";
import type { Console } from "./console.ts";

/** `tau schema [name]`: prints the JSON Schema of what tau prints as JSON, or of a settings file. Returns the exit code. */
export async function schemaCommand(
  { name }: { name: SchemaName },
  { console }: { console: Console },
): Promise<number> {
  const schemas = await loadSchemas();
  const schema = {
    line: schemas.outputLineSchema,
    rpc: schemas.rpcLineSchema,
    header: schemas.sessionHeaderSchema,
    event: schemas.runEventSchema,
    result: schemas.runResultSchema,
    settings: await loadSettingsSchema(),
  }[name];
  const document = JSON.stringify(schemaDocument(schema), null, 2);
  console.stdout.write(`${document}\n`);
  return await console.settle(0);
}
