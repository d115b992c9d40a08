import type { JsonValue } from "./content.ts";
import { cutText } from "./cut_text.ts";
import type { JsonSchema } from "./tool.ts";
import { validateValue } from "./validate_arguments.ts";

/** The value that an answer holds, or what is wrong with it: one line or more, never none. */
export type StructuredAnswer =
  | { value: JsonValue; faults?: undefined }
  | { faults: string[] };

/**
 * Reads an answer that has to be JSON which fits a schema. The JSON stands
 * alone, or in the only fenced block of the text. Throws a
 * {@linkcode SchemaError} for a schema that `checkSchema` would refuse.
 */
export function readStructuredAnswer(
  text: string,
  schema: JsonSchema,
): StructuredAnswer {
  const parsed = parse(text.trim()) ?? parseBlock(text);
  if (!parsed) {
    return { faults: ["Expected JSON, alone or in one fenced block"] };
  }
  const faults = validateValue(schema, parsed.value).map((
    { path, message },
  ) => cutText(`${path}: ${message}`, MAX_FAULT_CHARACTERS));
  return faults.length > 0 ? { faults } : parsed;
}

const MAX_FAULT_CHARACTERS = 1000;

function parse(text: string): { value: JsonValue } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The JSON of the only fenced block; no line of JSON begins with a fence. */
function parseBlock(text: string): { value: JsonValue } | undefined {
  const lines = text.split("\n");
  const fences = lines.flatMap((line, i) => /^\s{0,3}```/.test(line) ? i : []);
  const [open, close] = fences;
  if (open === undefined || close === undefined || fences.length > 2) {
    return undefined;
  }
  return parse(lines.slice(open + 1, close).join("\n"));
}
