import type { PluginsAction } from "../invocation.ts";
import type { PluginSurroundings } from "./inspection.ts";

/** `tau plugins list|check|new|types`. Returns the exit code; throws a `UsageError`. */
export async function pluginsCommand(
  action: PluginsAction,
  surroundings: PluginSurroundings,
): Promise<number> {
  const { console } = surroundings;
  switch (action.action) {
    case "list": {
      const { listPlugins } = await import("./list_plugins.ts");
      return await listPlugins(action, surroundings);
    }
    case "check": {
      const { checkPlugin } = await import("./check_plugin.ts");
      return await checkPlugin(action, surroundings);
    }
    case "new": {
      const { newPlugin } = await import("./new_plugin.ts");
      return await newPlugin(action, surroundings);
    }
    case "types": {
      const { DECLARATIONS } = await import("./declarations.ts");
      console.stdout.write(DECLARATIONS);
      return await console.settle(0);
    }
  }
}
