import type { Declaration } from "../protocol/kernel_protocol.ts";
import { UnknownToolError } from "../session/approvals.ts";
import { checkFlagValues } from "./plugin_flag_values.ts";
import type { RunOptions } from "./run_options.ts";

/**
 * Throws where the user named a tool or an option of a plugin that there is
 * not. Returns the names that only a plugin which registers them later can
 * have.
 */
export function refuseUnknownNames(
  { tools = [], excludeTools = [], plugins }: Pick<
    RunOptions,
    "tools" | "excludeTools" | "plugins"
  >,
  { declared, toolNames }: {
    declared: Declaration | undefined;
    toolNames: ReadonlySet<string>;
  },
): string[] {
  const { plugins: found = [], flags = [] } = declared ?? {};
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
