import type { ModelErrorKind } from "../model/model_error.ts";
import type { AssistantDelta } from "../model/stream.ts";
import type { JsonSchema } from "../model/tool.ts";
import { validateValue } from "../model/validate_arguments.ts";
import { objectSchema } from "./object_schema.ts";

type DeltaType = AssistantDelta["type"];

/** No answer has that many blocks; a proxy that goes on is broken. */
const MAX_BLOCKS = 4096;

/**
 * The step that an event of a proxy stands for, undefined for an event of a
 * type that is not known here. Throws for one that lacks what its type needs.
 */
export function parseDelta(value: unknown): AssistantDelta | undefined {
  const type = typeof value === "object" && value !== null && "type" in value
    ? value.type
    : undefined;
  if (typeof type !== "string") throw new Error("an event without a type");
  const schema = SCHEMAS.get(type);
  if (!schema) return undefined;
  const [fault] = validateValue(schema, value);
  if (fault) {
    throw new Error(`a wrong ${type}: ${fault.path}: ${fault.message}`);
  }
  const delta = value as AssistantDelta;
  if (delta.type !== "error" || isKind(delta.errorKind)) return delta;
  // A newer proxy may know more kinds; its message counts all the same.
  const { errorKind: _, ...known } = delta;
  return known;
}

/** True for the step that ends a response. */
export function isLast(delta: AssistantDelta | undefined): boolean {
  return delta?.type === "done" || delta?.type === "error";
}

const TEXT = { type: "string" };
const COUNT = { type: "number", minimum: 0 };
const FLAG = { type: "boolean" };
const COSTS = {
  input: COUNT,
  output: COUNT,
  cacheRead: COUNT,
  cacheWrite: COUNT,
};
const COST = objectSchema({ ...COSTS, total: COUNT });
const USAGE = objectSchema(
  { ...COSTS, totalTokens: COUNT, cost: COST },
  { reasoning: COUNT },
);
const RESPONSE = { responseId: TEXT, responseModel: TEXT };
const BLOCK = {
  contentIndex: { type: "integer", minimum: 0, maximum: MAX_BLOCKS - 1 },
};

const OF_TYPE: Record<DeltaType, JsonSchema> = {
  start: objectSchema({}, RESPONSE),
  text_start: objectSchema(BLOCK),
  text_delta: objectSchema({ ...BLOCK, delta: TEXT }),
  text_end: objectSchema(BLOCK, { contentSignature: TEXT }),
  thinking_start: objectSchema(BLOCK, { redacted: FLAG }),
  thinking_delta: objectSchema({ ...BLOCK, delta: TEXT }),
  thinking_end: objectSchema(BLOCK, { contentSignature: TEXT }),
  toolcall_start: objectSchema({ ...BLOCK, id: TEXT, toolName: TEXT }),
  toolcall_delta: objectSchema({ ...BLOCK, delta: TEXT }),
  toolcall_end: objectSchema(BLOCK, { thoughtSignature: TEXT }),
  done: objectSchema(
    { reason: { enum: ["stop", "length", "toolUse"] }, usage: USAGE },
    { ...RESPONSE, rawStopReason: TEXT },
  ),
  error: objectSchema(
    { reason: { enum: ["error", "aborted"] }, errorMessage: TEXT },
    { usage: USAGE, errorKind: TEXT, retryAfterMs: COUNT },
  ),
};

const SCHEMAS: ReadonlyMap<string, JsonSchema> = new Map(
  Object.entries(OF_TYPE),
);

const KINDS: Record<ModelErrorKind, true> = {
  auth: true,
  rate_limit: true,
  overloaded: true,
  unreachable: true,
  timeout: true,
  stream_cut: true,
  refused: true,
  context_overflow: true,
  quota: true,
  content_filter: true,
  replay_miss: true,
};

function isKind(kind: string | undefined): boolean {
  return kind === undefined || Object.hasOwn(KINDS, kind);
}
