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

/** `NAME`, or `NAME=VALUE`. */
function parsePluginFlag(text: string): PluginFlagValue {
  const [, name, value] =
    /^([A-Za-z0-9][\w:-]{0,63})(?:=([^]*))?$/.exec(text) ??
      [];
  if (name === undefined) throw new Error("expected NAME or NAME=VALUE");
  return [name, value ?? true];
}
