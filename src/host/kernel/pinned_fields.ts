import type { JsonObject } from "../../model/content.ts";
import { isObject } from "../../model/json_values.ts";
import type { Model } from "../../model/model.ts";

/** Fields of a body that decide which model answers and what the answer costs, by the wire format. */
const PINNED: Record<Model["api"], readonly string[]> = {
  "openai-completions": [
    ...["model", "models", "route", "stream", "stream_options"],
    ...["max_tokens", "max_completion_tokens", "n", "service_tier"],
  ],
  "openai-responses": [
    ...["model", "stream", "max_output_tokens", "background", "service_tier"],
  ],
  "anthropic-messages": ["model", "stream", "max_tokens", "service_tier"],
  "google-generative-ai": [
    ...["generationConfig.maxOutputTokens", "generationConfig.candidateCount"],
  ],
};

/** A body that plugins changed, with the fields put back that are not theirs to change. */
export function withPinned(
  changed: JsonObject,
  original: JsonObject,
  api: Model["api"],
): JsonObject {
  const body = { ...changed };
  for (const path of PINNED[api]) {
    const [name = "", inner] = path.split(".");
    if (inner === undefined) putBack(body, original, name);
    else {
      const given = isObject(original[name]) ? original[name] : {};
      const kept = isObject(body[name]) ? { ...body[name] } : {};
      putBack(kept, given as JsonObject, inner);
      if (Object.keys(kept).length > 0) body[name] = kept as JsonObject;
    }
  }
  return body;
}

function putBack(
  body: Record<string, unknown>,
  original: JsonObject,
  name: string,
): void {
  if (original[name] === undefined) delete body[name];
  else body[name] = original[name];
}
