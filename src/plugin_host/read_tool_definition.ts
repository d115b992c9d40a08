import { SchemaError } from "../model/schema_error.ts";
import { toWireSchema, type WireSchema } from "../model/wire_schema.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";

/** A plugin's tool, each field read once, with a schema that every provider takes. */
export interface ReadTool {
  definition: AnyToolDefinition;
  /** A second schema for the arguments, beside that of the definition. */
  exactParameters?: unknown;
}

/** A tool cannot be taken; the message says why. */
export class ToolRefusedError extends Error {
  override name = "ToolRefusedError";
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Characters of a description; it is part of every request. */
const MAX_DESCRIPTION = 32 * 1024;

type Fields = Record<string, unknown>;

/** Reads what a plugin registers as a tool; it may be anything. Throws a {@linkcode ToolRefusedError}. */
export function readToolDefinition(value: unknown): ReadTool {
  if (typeof value !== "object" || value === null) {
    throw new ToolRefusedError("A tool is left out: it is not an object");
  }
  const given = value as Fields;
  const { name } = given;
  if (typeof name !== "string" || !NAME.test(name)) {
    throw new ToolRefusedError(
      `The tool ${
        JSON.stringify(name)
      } is left out: a name has 1 to 64 letters, digits, _ and -`,
    );
  }
  const refuse = (why: string) =>
    new ToolRefusedError(`The tool "${name}" is left out: ${why}`);
  const { description, execute, label } = given;
  if (typeof description !== "string" || description.trim() === "") {
    throw refuse("it has no description");
  }
  if (description.length > MAX_DESCRIPTION) {
    throw refuse(
      `its description is longer than ${MAX_DESCRIPTION} characters`,
    );
  }
  if (typeof execute !== "function") {
    throw refuse("its execute is not a function");
  }
  const parameters = wireSchema(
    given.parameters,
    (why) => refuse(`no provider takes its parameters: ${why}`),
  );
  const definition: Fields = {
    name,
    label: typeof label === "string" && label !== "" ? label : name,
    description,
    parameters: parameters.schema,
    execute: (...args: unknown[]) => Reflect.apply(execute, given, args),
  };
  if (given.outputSchema !== undefined) {
    definition.outputSchema = wireSchema(given.outputSchema, (why) =>
      refuse(`its outputSchema is wrong: ${why}`)).schema;
  }
  copyOptional(given, { definition, refuse });
  return {
    definition: definition as unknown as AnyToolDefinition,
    ...(parameters.isLooser
      ? { exactParameters: copyOf(given.parameters) }
      : {}),
  };
}

function wireSchema(
  schema: unknown,
  refuse: (why: string) => ToolRefusedError,
): WireSchema {
  try {
    return toWireSchema(schema);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw refuse(error.message);
  }
}

function copyOptional(
  given: Fields,
  { definition, refuse }: {
    definition: Fields;
    refuse(why: string): ToolRefusedError;
  },
): void {
  const { promptSnippet, promptGuidelines, executionMode, renderShell } = given;
  const checks: [string, unknown, boolean, string][] = [
    [
      "promptSnippet",
      promptSnippet,
      typeof promptSnippet === "string",
      "a text",
    ],
    [
      "promptGuidelines",
      promptGuidelines,
      Array.isArray(promptGuidelines) &&
      promptGuidelines.every((line) => typeof line === "string"),
      "a list of texts",
    ],
    [
      "executionMode",
      executionMode,
      executionMode === "parallel" || executionMode === "sequential",
      "parallel or sequential",
    ],
    [
      "renderShell",
      renderShell,
      renderShell === "default" || renderShell === "self",
      "default or self",
    ],
    [
      "constrainedSampling",
      given.constrainedSampling,
      isConstraint(given.constrainedSampling),
      "false, a json_schema or a grammar",
    ],
  ];
  for (const [field, value, isRight, wanted] of checks) {
    if (value === undefined) continue;
    if (!isRight) throw refuse(`its ${field} is not ${wanted}`);
    definition[field] = copyOf(value);
  }
  for (const field of ["prepareArguments", "renderCall", "renderResult"]) {
    const method = given[field];
    if (method === undefined) continue;
    if (typeof method !== "function") {
      throw refuse(`its ${field} is not a function`);
    }
    definition[field] = (...args: unknown[]) =>
      Reflect.apply(method, given, args);
  }
}

function isConstraint(value: unknown): boolean {
  if (value === false) return true;
  if (typeof value !== "object" || value === null) return false;
  const { type, strict, variants } = value as Fields;
  return (type === "json_schema" &&
    (strict === "prefer" || strict === "require")) ||
    (type === "grammar" && typeof variants === "object" && variants !== null);
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}
