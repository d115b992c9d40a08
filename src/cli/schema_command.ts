import { schemaDocument } from "../protocol/schema_document.ts";
import type { CommandLine } from "./options/command_table.ts";
import type { Surroundings } from "./program.ts";

type DocumentName = keyof typeof import("../protocol/schemas.ts").documents;

/** `tau schema [name]`: prints the JSON Schema of what tau prints as JSON, or of a settings file. Returns the exit code. */
export async function schemaCommand(
  { words: [name = ""] }: CommandLine<"schema">,
  { console }: Surroundings,
): Promise<number> {
  const schema = name === "settings"
    ? (await import("../settings/settings.ts")).settingsSchema
    : (await import("../protocol/schemas.ts")).documents[name as DocumentName];
  const document = JSON.stringify(schemaDocument(schema), null, 2);
  console.stdout.write(`${document}\n`);
  return await console.settle(0);
}
