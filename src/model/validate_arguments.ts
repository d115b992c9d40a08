import type { JsonObject, ToolCall } from "./content.ts";
import { type Fault, FaultList, ValueChecker } from "./check_value.ts";
import { compileSchema } from "./compile_schema.ts";
import { ValueConverter } from "./convert_value.ts";
import { copyJson, isObject, typeName } from "./json_values.ts";
import { cutText } from "./cut_text.ts";
import type { JsonSchema, Tool } from "./tool.ts";

/** The arguments of a call do not fit its tool; the message is for the model. */
export class ToolArgumentsError extends Error {
  /** Always `ToolArgumentsError`. */
  override name = "ToolArgumentsError";
}

/** One way in which a value does not fit its schema. */
export interface ValueFault {
  /** Names and indices from the root, dotted, such as `edits.0.newText`; `root` for the value itself. */
  path: string;
  /** Such as `Expected number, got string`. */
  message: string;
}

/**
 * The arguments of a call as the tool wants them: a copy in which `null` of
 * optional properties is dropped and values of a neighbouring type are
 * converted. The call is not changed.
 *
 * `prepared` takes the place of the call's arguments when it is given. Throws
 * a {@linkcode ToolArgumentsError} that lists what does not fit, and a
 * {@linkcode SchemaError} for a schema that `checkSchema` would refuse.
 */
export function validateToolArguments(
  tool: Pick<Tool, "name" | "parameters">,
  toolCall: Pick<ToolCall, "arguments" | "argumentsError">,
  prepared?: unknown,
): JsonObject {
  if (toolCall.argumentsError !== undefined) {
    throw new ToolArgumentsError(
      `Invalid arguments for tool "${tool.name}": ${toolCall.argumentsError}`,
    );
  }
  const node = compileSchema(tool.parameters);
  const received = prepared === undefined ? toolCall.arguments : prepared;
  const copy = copyJson(received);
  const list = new FaultList(MAX_FAULTS);
  if (copy === undefined) {
    list.add(NOT_JSON);
    throw new ToolArgumentsError(explain(tool.name, received, list));
  }
  const checker = new ValueChecker();
  if (isObject(copy) && checker.accepts(node, copy)) return copy;

  const converted = new ValueConverter(checker).convert(node, copy);
  checker.check(node, converted, { path: "", list });
  if (list.faults.length === 0) {
    if (isObject(converted)) return converted;
    const message = `Expected object, got ${typeName(converted)}`;
    list.add({ path: "", message });
  }
  throw new ToolArgumentsError(explain(tool.name, received, list));
}

/**
 * Faults of a value, without any conversion; empty when all
 * does. At most 20 faults are listed. Throws a {@linkcode SchemaError} for a
 * schema that `checkSchema` would refuse.
 */
export function validateValue(
  schema: JsonSchema,
  value: unknown,
): ValueFault[] {
  const node = compileSchema(schema);
  const list = new FaultList(MAX_FAULTS);
  const copy = copyJson(value);
  if (copy === undefined) list.add(NOT_JSON);
  else new ValueChecker().check(node, copy, { path: "", list });
  return list.faults.map(({ path, message }) => ({
    path: path || "root",
    message,
  }));
}

const NOT_JSON: Fault = {
  path: "",
  message: "Expected JSON, not nested too deeply",
};
const MAX_FAULTS = 20;
const MAX_FAULT_CHARACTERS = 1000;
const MAX_RECEIVED_CHARACTERS = 4000;

function explain(
  toolName: string,
  received: unknown,
  { faults, more }: FaultList,
): string {
  const lines = faults.map(({ path, message }) =>
    `  - ${cutText(`${path || "root"}: ${message}`, MAX_FAULT_CHARACTERS)}`
  );
  if (more > 0) lines.push(`  - … and ${more} more`);
  return [
    `Validation failed for tool "${toolName}":`,
    ...lines,
    "",
    "Received arguments:",
    cutText(printed(received), MAX_RECEIVED_CHARACTERS),
  ].join("\n");
}

function printed(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? String(value);
  } catch (error) {
    // What a plugin prepared may hold a loop, or nest past the stack.
    if (error instanceof TypeError || error instanceof RangeError) {
      return "(not JSON)";
    }
    throw error;
  }
}
