import type { PluginPlaces } from "../host/mod.ts";
import { UsageError } from "../settings/mod.ts";
import { parseFileName } from "./option_values.ts";

/** Options that say which plugins are loaded. */
export interface PluginFlags {
  plugin?: readonly string[];
  "no-plugins"?: boolean;
  "plugin-flag"?: readonly PluginFlagValue[];
}

/** A plugin's option, and what it is set to. */
type PluginFlagValue = [name: string, value: string | true];

/** How they are scanned. */
export const pluginFlags = {
  plugin: {
    kind: "parsed",
    parse: parseFileName,
    optional: true,
    variadic: true,
    brief: "load this plugin",
  },
  "no-plugins": {
    kind: "boolean",
    optional: true,
    withNegated: false,
    brief: "look for no plugins",
  },
  "plugin-flag": {
    kind: "parsed",
    parse: parsePluginFlag,
    optional: true,
    variadic: true,
    brief: "set an option of a plugin",
  },
} as const;

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

/** `NAME`, or `NAME=VALUE`. */
function parsePluginFlag(text: string): PluginFlagValue {
  const [, name, value] =
    /^([A-Za-z0-9][\w:-]{0,63})(?:=([^]*))?$/.exec(text) ??
      [];
  if (name === undefined) throw new Error("expected NAME or NAME=VALUE");
  return [name, value ?? true];
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
