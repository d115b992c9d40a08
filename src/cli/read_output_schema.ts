import type { OutputSchema } from "../host/run_record.ts";
import { UsageError } from "../settings/usage_error.ts";
import { checkSchema } from "../model/compile_schema.ts";
import { SchemaError } from "../model/schema_error.ts";
import { readStructuredAnswer } from "../model/structured_answer.ts";

/** The model reads it before each answer. */
const MAX_BYTES = 256 * 1024;

/** The schema of `--output-schema`. Throws {@linkcode UsageError}. */
export async function readOutputSchema(
  path: string,
): Promise<OutputSchema> {
  try {
    const schema: unknown = JSON.parse(await readText(path));
    if (typeof schema !== "object" || schema === null) {
      throw new UsageError("it is no JSON object");
    }
    checkSchema(schema);
    return { schema, read: (answer) => readStructuredAnswer(answer, schema) };
  } catch (error) {
    throw new UsageError(
      `Cannot use the output schema ${JSON.stringify(path)}: ${reason(error)}`,
      { cause: error },
    );
  }
}

async function readText(path: string): Promise<string> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new UsageError("it is not a regular file");
  if (size > MAX_BYTES) throw new UsageError("it is larger than 256 KiB");
  return (await Deno.readTextFile(path)).replace(/^\ufeff/, "");
}

function reason(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "it does not exist";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof SyntaxError) return `not JSON: ${error.message}`;
  if (error instanceof SchemaError) return error.message;
  return error instanceof Error ? error.message : String(error);
}
