import type { Model } from "../model/model.ts";
import type { StreamOptions } from "../model/stream.ts";
import { findPreset } from "./presets.ts";
import { STRICT_KEYWORDS, type StrictRules } from "./strict_tools.ts";

type Level = NonNullable<StreamOptions["reasoning"]>;

/** Of OpenAI's own API. Words that it does not list are refused, and a property that is missing in "required" too. */
export const OPENAI_STRICT_RULES: StrictRules = {
  keywords: new Set([
    ...STRICT_KEYWORDS,
    "pattern",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minItems",
    "maxItems",
    "$ref",
    "$defs",
  ]),
  limits: { optional: 0, properties: 5000, enumValues: 1000 },
};

/** The reasoning effort of both of OpenAI's formats: the level itself, or the nearest of those that every server knows. */
export function reasoningEffort(model: Model, level: Level): Level {
  if (findPreset(model.provider)?.allReasoningLevels) return level;
  if (level === "minimal" || level === "low") return "low";
  return level === "medium" ? "medium" : "high";
}
