import type { ImageContent } from "../../model/content.ts";
import type { Model } from "../../model/model.ts";
import type { StreamOptions } from "../../model/stream.ts";
import type { Tool } from "../../model/tool.ts";
import { findPreset, presetAtHome } from "../presets.ts";
import {
  STRICT_KEYWORDS,
  type StrictRules,
  strictTools,
} from "../strict_tools.ts";

type Level = NonNullable<StreamOptions["reasoning"]>;

/** The rules of OpenAI's own API. It refuses other words, and a property that is missing in "required". */
const STRICT_RULES: StrictRules = {
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

/** Chooses the tools that are sent as strict, as {@linkcode strictTools} does. */
export function openaiStrictTools(
  model: Model,
  tools: readonly Tool[],
): ReadonlySet<Tool> {
  const rules = presetAtHome(model)?.strictTools ? STRICT_RULES : undefined;
  return strictTools(tools, rules);
}

/** An image as a URL that holds its data. */
export function dataUrl({ mimeType, data }: ImageContent): string {
  return `data:${mimeType};base64,${data}`;
}

/** The reasoning effort of both of OpenAI's formats: the level itself, or the nearest of those that every server knows. */
export function reasoningEffort(model: Model, level: Level): Level {
  if (findPreset(model.provider)?.allReasoningLevels) return level;
  if (level === "minimal" || level === "low") return "low";
  return level === "medium" ? "medium" : "high";
}
