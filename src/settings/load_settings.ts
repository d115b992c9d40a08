import type { LoadedSettings } from "./merge_settings.ts";
import { readJsonFile } from "./read_json_file.ts";

/**
 * Reads the settings of some files, those of later ones over those of earlier
 * ones: objects are merged, all else is replaced. A file that does not exist
 * sets nothing; where there is none at all, nothing is loaded to check it.
 * Rejects with a `UsageError` for a file that cannot be understood.
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
