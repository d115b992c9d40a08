import type { InspectedPlugin } from "../../host/inspect_plugins.ts";
import { ENTRY_WANTED, pluginModule } from "../../settings/plugin_entry.ts";
import { UsageError } from "../../settings/usage_error.ts";
import type { CommandLine } from "../options/command_table.ts";
import { namedPlugin } from "../options/run_options.ts";
import type { Surroundings } from "../program.ts";
import { jsonLine, terminalText } from "../terminal_text.ts";
import { checkTypes, type TypeCheck } from "./check_types.ts";
import { inspection } from "./inspection.ts";
import { contentsOf, placeOf } from "./list_plugins.ts";

/**
 * `tau plugins check FILE [--json]`: loads one plugin, calls none of its
 * handlers, and checks its types where Deno is there to do it. Returns the exit
 * code: 1 when anything is wrong. Throws a {@linkcode UsageError}.
 */
export async function checkPlugin(
  file: string,
  { json, timeout: timeoutMs }: CommandLine<"plugins">["given"],
  surroundings: Surroundings,
): Promise<number> {
  const { console } = surroundings;
  const path = namedPlugin(file, "check");
  const { found } = await inspection(surroundings, {
    paths: [path],
    timeoutMs,
  });
  // One that was loaded may have failed a moment later.
  const plugin = found.find(({ state }) => state === "failed") ?? found[0];
  if (!plugin) {
    throw new UsageError(
      `Cannot check ${
        JSON.stringify(file)
      }: a run would not load it (give a .ts or .js file, or a folder with ${ENTRY_WANTED})`,
    );
  }
  const isLoaded = plugin.state === "loaded";
  const types: TypeCheck = isLoaded
    ? await checkTypes(pluginModule(path) ?? path)
    : { problems: [], unchecked: "It was not loaded" };
  const isFine = isLoaded && plugin.warnings.length === 0 &&
    types.problems.length === 0;
  if (json) console.stdout.write(jsonLine({ ...plugin, types }));
  else {
    console.stdout.write(
      linesOf(plugin, types).map((line) => `${terminalText(line)}\n`).join(""),
    );
  }
  return await console.settle(isFine ? 0 : 1);
}

function linesOf(plugin: InspectedPlugin, types: TypeCheck): string[] {
  if (plugin.state === "failed") {
    return [`${placeOf(plugin)}: ${plugin.message}`];
  }
  const { path, ms, warnings } = plugin;
  const problems = [
    ...warnings.map((warning) => `${path}: ${warning}`),
    ...types.problems.map(({ file, line, column, message }) =>
      `${file}:${line}:${column}: ${message}`
    ),
  ];
  if (problems.length > 0) return problems;
  const { unchecked } = types;
  return [
    `loaded   ${path} in ${Math.round(ms)} ms`,
    ...contentsOf(plugin),
    unchecked === undefined
      ? "         types are right"
      : `         types are not checked: ${unchecked}`,
  ];
}
