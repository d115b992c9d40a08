import type { PluginFlag } from "../sdk/plugin_api.ts";

/** The user set an option that no plugin has, or to what it does not take. */
export class PluginFlagError extends Error {
  override name = "PluginFlagError";
}

/** Throws a {@linkcode PluginFlagError} where a value fits no option of the plugins. */
export function checkFlagValues(
  values: ReadonlyMap<string, string | true>,
  flags: ReadonlyMap<string, PluginFlag>,
): void {
  for (const [name, value] of values) {
    const flag = flags.get(name);
    if (!flag) {
      const known = [...flags.keys()].join(", ");
      throw new PluginFlagError(
        `Wrong value "${name}" for --plugin-flag: no plugin has it${
          known === "" ? ", nor any other" : `; there are ${known}`
        }`,
      );
    }
    if (flag.type === "boolean" && value !== true) {
      throw new PluginFlagError(
        `Wrong value "${name}=${value}" for --plugin-flag: ${name} takes no value`,
      );
    }
    if (flag.type === "string" && value === true) {
      throw new PluginFlagError(
        `Wrong value "${name}" for --plugin-flag: ${name} needs one, as in ${name}=…`,
      );
    }
  }
}
