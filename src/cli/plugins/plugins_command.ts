import type { CommandLine } from "../options/command_table.ts";
import type { Surroundings } from "../program.ts";

/** `tau plugins list|check|new|types`. Returns the exit code; throws a `UsageError`. */
export async function pluginsCommand(
  { words: [action, word = ""], given }: CommandLine<"plugins">,
  surroundings: Surroundings,
): Promise<number> {
  switch (action) {
    case "check": {
      const { checkPlugin } = await import("./check_plugin.ts");
      return await checkPlugin(word, given, surroundings);
    }
    case "new": {
      const { newPlugin } = await import("./new_plugin.ts");
      return await newPlugin(word, given, surroundings);
    }
    case "types": {
      const { readDeclarations } = await import("./declarations.ts");
      const { console } = surroundings;
      console.stdout.write(await readDeclarations());
      return await console.settle(0);
    }
    default: {
      const { listPlugins } = await import("./list_plugins.ts");
      return await listPlugins(given, surroundings);
    }
  }
}
