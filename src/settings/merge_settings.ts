import type { JsonObject, JsonValue } from "../model/content.ts";
import type { JsonSchema } from "../model/tool.ts";
import { validateValue } from "../model/validate_arguments.ts";
import type { LoadedSettings } from "./load_settings.ts";
import { nearestKey } from "../model/nearest_key.ts";
import { readRules } from "./read_rules.ts";
import { type Settings, settingsSchema } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

/** Also keeps `__proto__` out. */
const PROVIDER_NAME = /^[A-Za-z\d][\w.-]{0,63}$/;

/** The settings of some files, checked, those of later files over those of earlier ones. Throws {@linkcode UsageError}. */
export function mergeSettings(
  files: readonly { path: string; value: JsonValue }[],
): LoadedSettings {
  const warnings: string[] = [];
  const rules: LoadedSettings["rules"] = [];
  let merged: JsonObject = {};
  for (const { path, value } of files) {
    merged = merge(merged, checked(value, path));
    rules.push(...readRules((value as Settings).permissions, path));
    for (const { key, nearest } of unknownKeys(settingsSchema, value)) {
      const hint = nearest ? `; did you mean ${quote(nearest)}` : "";
      warnings.push(`Unknown setting ${quote(key)} in ${quote(path)}${hint}`);
    }
  }
  return { settings: merged as Settings, rules, warnings };
}

function checked(value: JsonValue, path: string): JsonObject {
  const [fault, ...more] = validateValue(settingsSchema, value);
  if (fault) {
    const also = more.length > 0 ? ` (and ${more.length} more)` : "";
    throw new UsageError(
      `Wrong setting ${quote(fault.path)} in ${quote(path)}: ${
        fault.message.replace(/^E/, "e")
      }${also}`,
    );
  }
  const { providers = {} } = value as Settings;
  const name = Object.keys(providers).find((name) => !PROVIDER_NAME.test(name));
  if (name === undefined) return value as JsonObject;
  throw new UsageError(
    `Wrong setting ${quote(`providers.${name}`)} in ${
      quote(path)
    }: expected a name of letters, digits, ".", "_" and "-"`,
  );
}

/** Built from entries, so that no key means a prototype. */
function merge(base: JsonObject, over: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const old = merged.get(key);
    merged.set(
      key,
      isObject(old) && isObject(value) ? merge(old, value) : value,
    );
  }
  return Object.fromEntries(merged);
}

/** Keys that no schema names, each with the nearest one that does. */
function* unknownKeys(
  schema: JsonSchema,
  value: JsonValue,
  path = "",
): Iterable<{ key: string; nearest: string | undefined }> {
  const { properties, additionalProperties, items } = schema as {
    properties?: Record<string, JsonSchema>;
    additionalProperties?: JsonSchema;
    items?: JsonSchema;
  };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      if (items) yield* unknownKeys(items, item, `${path}${i}.`);
    }
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const known = properties && Object.hasOwn(properties, key)
        ? properties[key]
        : additionalProperties;
      if (known) yield* unknownKeys(known, member, `${path}${key}.`);
      else if (properties) {
        const nearest = nearestKey(key, Object.keys(properties));
        yield { key: path + key, nearest };
      }
    }
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quote(text: string): string {
  return JSON.stringify(text);
}
