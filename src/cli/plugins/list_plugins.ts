import type { InspectedPlugin } from "../../host/inspect_plugins.ts";
import { pluginsIn } from "../../host/plugins_in.ts";
import { jsonLine, terminalText } from "../terminal_text.ts";
import type { CommandLine } from "../options/command_table.ts";
import type { Surroundings } from "../program.ts";
import { inspection } from "./inspection.ts";

/** A plugin that a run leaves out. */
interface SkippedPlugin {
  state: "skipped";
  path: string;
  message: string;
}

/**
 * `tau plugins list [--json]`: loads the plugins of a run in the current folder
 * and says what became of each. Returns the exit code: 1 when one failed.
 */
export async function listPlugins(
  { json, timeout: timeoutMs }: CommandLine<"plugins">["given"],
  surroundings: Surroundings,
): Promise<number> {
  const { console } = surroundings;
  const { found, places } = await inspection(surroundings, { timeoutMs });
  const all = [...found, ...skippedPlugins(places?.folders ?? [])];
  if (json) console.stdout.write(jsonLine(all));
  else if (all.length > 0) {
    console.stdout.write(
      all.flatMap(linesOf).map((line) => `${terminalText(line)}\n`).join(""),
    );
  } else {
    console.warn(
      `There are no plugins. They are .ts or .js files, or folders with a mod.ts or index.ts, in ${
        places?.folders.join(" or ") ?? "TAU_HOME/plugins"
      }; tau plugins new NAME writes one`,
    );
  }
  const isFine = found.every(({ state }) => state === "loaded");
  return await console.settle(isFine ? 0 : 1);
}

/** Plugins in the project's folder, where no run loads them. */
function skippedPlugins(folders: readonly string[]): SkippedPlugin[] {
  const folder = `${Deno.cwd()}/.tau/plugins`;
  const real = realPath(folder);
  if (folders.some((other) => realPath(other) === real)) return [];
  return pluginsIn(folder).map((path) => ({
    state: "skipped",
    path,
    message: "This project is not trusted; tau trust loads its plugins",
  }));
}

function linesOf(plugin: InspectedPlugin | SkippedPlugin): string[] {
  switch (plugin.state) {
    case "loaded":
      return [
        `loaded   ${plugin.path} in ${Math.round(plugin.ms)} ms`,
        ...contentsOf(plugin),
      ];
    case "failed":
      return [
        `failed   ${placeOf(plugin)}`,
        ...plugin.message.split("\n").map((line) => INDENT + line),
      ];
    case "skipped":
      return [`skipped  ${plugin.path}`, INDENT + plugin.message];
  }
}

const INDENT = "         ";

/** Lines on the tools, commands, flags and events of a plugin. */
export function contentsOf(
  { tools, commands, flags, events, warnings }: InspectedPlugin & {
    state: "loaded";
  },
): string[] {
  const rows: [string, string[]][] = [
    ["tools", tools],
    ["commands", commands.map((name) => `/${name}`)],
    ["flags", flags],
    ["hears", events],
  ];
  return [
    ...rows.filter(([, names]) => names.length > 0)
      .map(([name, names]) => `${INDENT}${name.padEnd(9)} ${names.join(" ")}`),
    ...warnings.map((warning) => INDENT + warning),
  ];
}

/** The place where a plugin failed, as editors and terminals know it. */
export function placeOf(
  { path, file = path, line, column = 1 }: InspectedPlugin & {
    state: "failed";
  },
): string {
  return line === undefined ? file : `${file}:${line}:${column}`;
}

function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path;
  }
}
