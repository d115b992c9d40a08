import type { JsonSchema } from "../model/tool.ts";
import { readJsonFile } from "./read_json_file.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";
import type { Settings } from "./settings.ts";

/** Settings, and lines for stderr about what of them means nothing. */
export interface LoadedSettings {
  settings: Settings;
  /** The rules of all files, each with the file that it is from. */
  rules: PermissionRule[];
  warnings: string[];
}

/**
 * The settings of some files, those of later ones over those of earlier ones:
 * objects are merged, all else is replaced. A file that does not exist sets
 * nothing; where there is none at all, nothing is loaded to check it. Rejects
 * with a `UsageError` for a file that cannot be understood.
 */
export async function loadSettings(
  paths: readonly string[],
): Promise<LoadedSettings> {
  const files = paths.flatMap((path) => {
    const value = readJsonFile(path);
    return value === undefined ? [] : [{ path, value }];
  });
  if (files.length === 0) return { settings: {}, rules: [], warnings: [] };
  const { mergeSettings } = await import("./merge_settings.ts");
  return mergeSettings(files);
}

/** JSON Schema of a settings file. */
export async function loadSettingsSchema(): Promise<JsonSchema> {
  return (await import("./settings.ts")).settingsSchema;
}
