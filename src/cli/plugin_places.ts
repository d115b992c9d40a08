import type { PluginPlaces } from "../host/mod.ts";
import { UsageError } from "../settings/mod.ts";
import type { PluginFlags } from "./plugin_flags.ts";

/** Where the plugins of a run are: those that are named, then the trusted project's, then the user's. Throws a {@linkcode UsageError}. */
export function pluginPlaces(
  { plugin: named = [], "no-plugins": noPlugins, "plugin-flag": set = [] }:
    PluginFlags,
  { project, home, isProjectTrusted }: {
    /** The `.tau` of a trusted project. */
    project: string | undefined;
    home: string | undefined;
    isProjectTrusted: boolean;
  },
): PluginPlaces | undefined {
  const folders = noPlugins ? [] : [project, home]
    .filter((folder) => folder !== undefined)
    .map((folder) => absolute(`${folder}/plugins`));
  if (named.length + folders.length + set.length === 0) return undefined;
  return {
    paths: named.map(existing),
    folders,
    isProjectTrusted,
    ...(set.length === 0 ? {} : { flagValues: Object.fromEntries(set) }),
  };
}

/** The path of what was named; a name that is wrong is a mistake on the command line, not in a plugin. */
function existing(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound
      ? "it does not exist"
      : cause instanceof Error
      ? cause.message
      : String(cause);
    throw new UsageError(
      `Cannot load the plugin ${JSON.stringify(path)}: ${why}`,
      { cause },
    );
  }
}

function absolute(path: string): string {
  return path.startsWith("/") || /^[A-Za-z]:/.test(path)
    ? path
    : `${Deno.cwd()}/${path}`;
}
