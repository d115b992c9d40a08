import type { PluginFactory } from "../sdk/plugin_api.ts";
import { explainImportError } from "./explain_import_error.ts";
import { PluginLoadError } from "./plugin_diagnostic.ts";

/** Loads a module, whose own modules lie below `root`, and returns its default export. Rejects with a {@linkcode PluginLoadError}. */
export async function importPlugin(
  { entry, root }: { entry: string; root: string },
): Promise<PluginFactory> {
  let exports: Record<string, unknown>;
  try {
    exports = await import(fileUrl(entry));
  } catch (error) {
    throw explainImportError(error, { entry, root });
  }
  const factory = exports.default;
  if (typeof factory === "function") return factory as PluginFactory;
  const wanted =
    "a plugin is a file with `export default function (tau) { … }`";
  throw new PluginLoadError(
    factory === undefined
      ? `There is no default export: ${wanted}`
      : `The default export is no function: ${wanted}`,
    { place: { file: entry } },
  );
}

/** The address of a file; its name may hold what means something in an address. */
function fileUrl(path: string): string {
  const parts = path.split("/").map(encodeURIComponent);
  return `file://${parts.join("/")}`;
}
