import assert from "node:assert/strict";
import { Ajv, type ValidateFunction } from "ajv";
import { runEventSchema } from "../../src/protocol/event_schemas.ts";
import { runResultSchema } from "../../src/protocol/result_schema.ts";
import {
  rpcLineSchema,
  sessionHeaderSchema,
} from "../../src/protocol/schemas.ts";

const ajv = new Ajv({ strict: false });

/** The schema of each kind of line, by its `type`. */
const SCHEMAS = new Map<string, object>(
  [
    sessionHeaderSchema,
    ...runEventSchema.anyOf,
    runResultSchema,
    rpcLineSchema.anyOf[0],
    rpcLineSchema.anyOf[1],
  ].map((schema) => [schema.properties.type.const, schema]),
);

const validators = new Map<string, ValidateFunction>();

/**
 * Fails for a line of JSON that the published schemas do not describe, or that
 * has members which they do not name. Other lines are none of its business.
 */
export function assertKnownLines(stdout: string): void {
  for (const line of stdout.split("\n")) {
    if (!line.startsWith('{"type":"')) continue;
    const value = parse(line);
    if (value) assertKnown(value);
  }
}

/** Fails as {@linkcode assertKnownLines} does. */
export function assertKnown(value: { type: string }): void {
  const { type } = value;
  const schema = SCHEMAS.get(type) ??
    assert.fail(`no schema describes a line of type ${type}`);
  let validate = validators.get(type);
  if (!validate) validators.set(type, validate = ajv.compile(strict(schema)));
  if (validate(value)) return;
  const faults = validate.errors?.map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`
  );
  assert.fail(`${type} does not fit its schema:\n${faults?.join("\n")}`);
}

/** Undefined for a line that was cut. */
function parse(line: string): { type: string } | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The schema without room for members that it does not name. */
function strict(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (_name, part) => {
    if (part?.type !== "object" || !part.properties) return part;
    // Parts that occur twice may not have the same $id.
    const { $id: _id, ...rest } = part;
    return { ...rest, additionalProperties: false };
  });
}
