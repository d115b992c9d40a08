import type { JsonObject, JsonValue } from "../model/content.ts";
import { isObject } from "../model/json_values.ts";
import type { JsonSchema } from "../model/tool.ts";
import { validateValue } from "../model/validate_arguments.ts";
import {
  parseRule,
  type PermissionRule,
  RuleError,
} from "../policy/permission_rule.ts";
import { nearestKey } from "../model/nearest_key.ts";
import { type Settings, settingsSchema } from "./settings.ts";
import { UsageError } from "./usage_error.ts";

/** Settings, and lines for stderr about keys that mean nothing. */
export interface LoadedSettings {
  settings: Settings;
  /** The rules of all files, each with its file. */
  rules: PermissionRule[];
  warnings: string[];
}

const EFFECTS = ["deny", "allow", "ask"] as const;
/** Also keeps `__proto__` out. */
const PROVIDER_NAME = /^[A-Za-z\d][\w.-]{0,63}$/;

/** Checks the settings of some files and puts those of later ones over those of earlier ones. Throws {@linkcode UsageError}. */
export function mergeSettings(
  files: readonly { path: string; value: JsonValue }[],
): LoadedSettings {
  const warnings: string[] = [];
  const rules: PermissionRule[] = [];
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

function readRules(
  permissions: Settings["permissions"],
  path: string,
): PermissionRule[] {
  return EFFECTS.flatMap((effect) =>
    (permissions?.[effect] ?? []).map((text) => {
      try {
        return parseRule(text, { effect, source: path });
      } catch (error) {
        if (!(error instanceof RuleError)) throw error;
        throw new UsageError(
          `Wrong rule ${
            quote(text.slice(0, 200))
          } in "permissions.${effect}" of ${quote(path)}: ${error.message}`,
          { cause: error },
        );
      }
    })
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

function quote(text: string): string {
  return JSON.stringify(text);
}
