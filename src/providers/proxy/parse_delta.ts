import type { AssistantDelta } from "../../model/stream.ts";
import type { JsonSchema } from "../../model/tool.ts";
import { validateValue } from "../../model/validate_arguments.ts";
import { asRecord } from "../json_value.ts";
import { isErrorKind, type ProviderErrors } from "../provider_error.ts";
import { objectSchema } from "./object_schema.ts";

type DeltaType = AssistantDelta["type"];

/** No answer has that many blocks; a proxy that sends more is broken. */
const MAX_BLOCKS = 4096;

/**
 * Checks an event of a proxy: it is a delta already. Undefined for an event of
 * a type that is not known here. Throws a `ModelError` for one that lacks what
 * its type needs.
 */
export function parseDelta(
  event: unknown,
  errors: ProviderErrors,
): AssistantDelta | undefined {
  const type = asRecord(event)?.type;
  if (typeof type !== "string") {
    throw errors.of("stream_cut", "sent an event without a type");
  }
  if (!Object.hasOwn(SCHEMAS, type)) return undefined;
  const [fault] = validateValue(SCHEMAS[type as DeltaType], event);
  if (fault) {
    const { path, message } = fault;
    throw errors.of("stream_cut", `sent a wrong ${type}: ${path}: ${message}`);
  }
  const delta = event as AssistantDelta;
  if (delta.type !== "error" || isErrorKind(delta.errorKind)) return delta;
  // A newer proxy may know more kinds; its message counts all the same.
  const { errorKind: _, ...known } = delta;
  return known;
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

const SCHEMAS: Record<DeltaType, JsonSchema> = {
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
    { reason: { enum: ["error", "aborted"] } },
    { errorMessage: TEXT, usage: USAGE, errorKind: TEXT, retryAfterMs: COUNT },
  ),
};
