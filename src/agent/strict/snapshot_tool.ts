import { checkSchema } from "../../model/compile_schema.ts";
import { SchemaError } from "../../model/schema_error.ts";
import type { AgentTool } from "../agent_tool.ts";
import { errorText } from "../error_text.ts";
import { isObject, readOwn } from "./read_own.ts";
import { ToolContractError } from "./tool_contract_error.ts";

/** The verdict of a validator on the arguments of a call. */
export type ArgumentsDecision<Value = unknown> =
  | { ok: true; value: Value }
  /** `error` is for the model. */
  | { ok: false; error: string };

/** Facts about its call that a strict tool may know. Frozen. */
export interface StrictToolContext {
  /** The call's signal; the call is given up as soon as it aborts. */
  readonly signal: AbortSignal;
  /** The id of the call. */
  readonly toolCallId: string;
}

/**
 * A tool that judges its arguments itself, for hosts without a loop.
 *
 * `validate` decides synchronously and without effects. `execute` gets what it
 * accepted; its output is data, its throw a failed call.
 */
export interface StrictTool<Value = unknown> {
  /** Name for the model; unique in a registry, and not empty. */
  name: string;
  /** When to use it and how, for the model; not empty. */
  description: string;
  /** Gets a copy of the arguments, any JSON. A throw or a promise fails the call as `TOOL_VALIDATION_FAILED`. */
  validate(args: unknown): ArgumentsDecision<Value>;
  /** Runs one call. What it returns, or its promise resolves to, is shown to the model as text or JSON. */
  execute(value: Value, context: StrictToolContext): unknown;
}

/** A tool that a registry takes. An own `validate` or own `parameters` tell which of the two it is. */
export type RegistrableTool = AgentTool | StrictTool;

const snapshots = new WeakSet<object>();

/** Fields with a meaning here: inherited ones would be lost, or change under the host. */
const FIELDS = [
  "name",
  "description",
  "execute",
  "validate",
  "parameters",
  "label",
  "outputSchema",
  "executionMode",
  "constrainedSampling",
  "prepareArguments",
  "validateArguments",
];

/**
 * A frozen copy of a definition that later changes to the original do not
 * reach; a copy is its own copy. Throws a {@linkcode ToolContractError}.
 *
 * Every own field is read once and kept: functions are wrapped and called on
 * the original, whose own state they may need; all else is kept as its JSON.
 * Inherited fields are refused without calling a getter. An
 * {@linkcode AgentTool} stays one, and its schemas must be such that values
 * can be checked against them.
 */
export function snapshotTool<Value>(
  definition: StrictTool<Value>,
): Readonly<StrictTool<Value>>;
/** A frozen copy of a tool of either kind. */
export function snapshotTool<Definition extends RegistrableTool>(
  definition: Definition,
): Readonly<Definition>;
export function snapshotTool<Definition extends RegistrableTool>(
  definition: Definition,
): Readonly<Definition> {
  if (snapshots.has(definition)) return definition;
  const fields = readFields(definition);
  checkFields(fields);
  const copy: Record<string, unknown> = Object.create(null);
  for (const [field, value] of fields) copy[field] = value;
  snapshots.add(copy);
  return Object.freeze(copy) as unknown as Readonly<Definition>;
}

type Fields = Map<string, unknown>;

function readFields(definition: unknown): Fields {
  const fields: Fields = new Map();
  let field = "";
  try {
    if (!isObject(definition)) throw new TypeError("it is not an object");
    const own = new Set(Reflect.ownKeys(definition));
    for (field of FIELDS) {
      if (own.has(field) || !(field in definition)) continue;
      throw new TypeError("it is inherited, and must be the tool's own");
    }
    for (const key of own) {
      if (typeof key !== "string") continue;
      field = key;
      const value = copyOf(readOwn(definition, field), definition);
      if (value !== undefined) fields.set(field, value);
    }
  } catch (cause) {
    // Getters and proxies run code of the definition's author.
    const where = field === "" ? "definition" : `"${field}"`;
    throw invalid(fields, `has a bad ${where}: ${errorText(cause)}`, cause);
  }
  return fields;
}

function copyOf(value: unknown, definition: object): unknown {
  if (typeof value === "function") {
    return (...args: unknown[]): unknown =>
      Reflect.apply(value, definition, args);
  }
  const json = JSON.stringify(value);
  if (json === undefined) return undefined;
  return JSON.parse(json, (_key, member) => Object.freeze(member));
}

function checkFields(fields: Fields): void {
  for (const field of ["name", "description"]) {
    const value = fields.get(field);
    if (typeof value === "string" && value !== "") continue;
    throw invalid(fields, `needs a "${field}", a text that is not empty`);
  }
  for (
    const field of [
      "execute",
      "validate",
      "prepareArguments",
      "validateArguments",
    ]
  ) {
    const isOptional = field !== "execute" && !fields.has(field);
    if (isOptional || typeof fields.get(field) === "function") continue;
    throw invalid(fields, `needs a function as "${field}"`);
  }
  if (fields.has("validate") === fields.has("parameters")) {
    throw invalid(fields, `needs either "validate" or "parameters"`);
  }
  const mode = fields.get("executionMode") ?? "parallel";
  if (mode !== "parallel" && mode !== "sequential") {
    throw invalid(fields, `has an unknown "executionMode"`);
  }
  for (const field of ["parameters", "outputSchema"]) {
    if (fields.has(field)) checkSchemaField(fields, field);
  }
}

function checkSchemaField(fields: Fields, field: string): void {
  const schema = fields.get(field);
  if (!isObject(schema)) {
    throw invalid(fields, `needs a JSON Schema as "${field}"`);
  }
  try {
    checkSchema(schema);
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    throw invalid(fields, `has bad "${field}": ${cause.message}`, cause);
  }
}

function invalid(
  fields: Fields,
  fault: string,
  cause?: unknown,
): ToolContractError {
  const name = fields.get("name");
  const who = typeof name === "string" ? `Tool "${name}"` : "A tool";
  return new ToolContractError(
    "INVALID_TOOL_DEFINITION",
    `${who} ${fault}`,
    cause === undefined ? {} : { cause },
  );
}
