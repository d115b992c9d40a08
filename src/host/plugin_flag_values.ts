import { nearestKey } from "../model/nearest_key.ts";
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
      const known = [...flags.keys()];
      const nearest = nearestKey(name, known);
      const hint = nearest !== undefined
        ? `; did you mean ${nearest}`
        : known.length === 0
        ? ", nor any other"
        : `; there are ${known.join(", ")}`;
      throw new PluginFlagError(
        `Wrong value "${name}" for --plugin-flag: no plugin has it${hint}`,
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
