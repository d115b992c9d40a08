import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import type { KernelServices } from "./services.ts";
import { createToolFactories } from "./tool_factories.ts";

/** A run asked for a tool that does not exist. */
export class UnknownToolError extends Error {
  override name = "UnknownToolError";
}

/** What the tools of a run depend on. */
export type ToolSetup = Pick<
  RunSetup,
  | "cwd"
  | "policy"
  | "environment"
  | "homeDir"
  | "outputDir"
  | "tools"
  | "bashTimeoutMs"
>;

/** The tools that a run asked for, in its order, on local operations; one of `more` stands before a built-in one of the same name. */
export function composeTools(
  setup: ToolSetup,
  services: Pick<KernelServices, "killCall" | "onRefused">,
  more: readonly AnyToolDefinition[] = [],
): AnyToolDefinition[] {
  const builtIn = builtInTools(createToolFactories(setup, services));
  return chooseTools(setup.tools, [...more, ...builtIn]);
}

/** The tools of these names, each once; of two with one name the first. */
export function chooseTools(
  names: readonly string[],
  available: readonly AnyToolDefinition[],
): AnyToolDefinition[] {
  return [...new Set(names)].map((name) => {
    const definition = available.find((tool) => tool.name === name);
    if (definition) return definition;
    const known = new Set(available.map((tool) => tool.name));
    throw new UnknownToolError(
      `Unknown tool "${name}"; available are ${[...known].join(", ")}`,
    );
  });
}

/** All that a run can have without plugins. */
export function builtInTools(factories: ToolFactories): AnyToolDefinition[] {
  return [
    factories.createReadToolDefinition(),
    factories.createBashToolDefinition(),
    factories.createEditToolDefinition(),
    factories.createWriteToolDefinition(),
    factories.createGrepToolDefinition(),
    factories.createFindToolDefinition(),
    factories.createLsToolDefinition(),
    factories.createPowerShellToolDefinition(),
  ];
}
