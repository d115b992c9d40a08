import type { PluginPlaces } from "../host/run.ts";
import { namedPlugin } from "./named_plugin.ts";
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
    paths: named.map((path) => namedPlugin(path, "load")),
    folders,
    isProjectTrusted,
    ...(set.length === 0 ? {} : { flagValues: Object.fromEntries(set) }),
  };
}

function absolute(path: string): string {
  return path.startsWith("/") || /^[A-Za-z]:/.test(path)
    ? path
    : `${Deno.cwd()}/${path}`;
}
