import type { Declaration } from "../protocol/kernel_protocol.ts";
import { UnknownToolError } from "../session/approvals.ts";
import { checkFlagValues } from "./plugin_flag_values.ts";
import type { RunOptions } from "./run_options.ts";

/** A plugin that the user named cannot be loaded. */
export class NamedPluginError extends Error {
  override name = "NamedPluginError";
}

/**
 * Throws where the user named a tool or an option of a plugin that there is
 * not, or, for a run without a conversation, a plugin that is not loaded.
 * Returns the names that only a plugin which registers them later can have.
 */
export function refuseUnknownNames(
  { tools = [], excludeTools = [], plugins, mode = "print" }: Pick<
    RunOptions,
    "tools" | "excludeTools" | "plugins" | "mode"
  >,
  { declared, toolNames }: {
    declared: Declaration | undefined;
    toolNames: ReadonlySet<string>;
  },
): string[] {
  const { plugins: found = [], flags = [] } = declared ?? {};
  // Who talks to it mends the plugin and loads it anew.
  if (mode === "print" || mode === "json") {
    assertLoaded(plugins?.paths ?? [], found);
  }
  const values = new Map(Object.entries(plugins?.flagValues ?? {}));
  // The option of a plugin that could not be loaded is not unknown.
  if (found.every(({ state }) => state === "loaded")) {
    checkFlagValues(values, new Map(flags.map((flag) => [flag.name, flag])));
  }
  const missing = [...tools, ...excludeTools]
    .filter((name) => !toolNames.has(name));
  const [first] = missing;
  if (first !== undefined && found.length === 0) {
    throw new UnknownToolError(
      `Unknown tool "${first}"; available are ${[...toolNames].join(", ")}`,
    );
  }
  return missing.filter((name) => !excludeTools.includes(name));
}

function assertLoaded(
  paths: readonly string[],
  found: Declaration["plugins"],
): void {
  for (const path of paths) {
    const failed = found.find((plugin) =>
      plugin.state === "failed" && `${plugin.path}/`.startsWith(`${path}/`)
    );
    if (!failed) continue;
    throw new NamedPluginError(
      `Nothing is run without the plugin ${
        JSON.stringify(path)
      }, which --plugin names: ${failed.reason ?? "it is not loaded"}`,
    );
  }
}
