import {
  createLocalBashOperations,
  createLocalFileOperations,
  createLocalPowerShellOperations,
  createLocalSearchOperations,
} from "../operations/mod.ts";
import type { RunSetup } from "../protocol/mod.ts";
import type { AnyToolDefinition } from "../sdk/mod.ts";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createFindToolDefinition,
  createGrepToolDefinition,
  createLsToolDefinition,
  createPowerShellToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  FileStamps,
} from "../tools/mod.ts";
import type { KernelServices } from "./services.ts";

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
  services: Pick<KernelServices, "killCall">,
  more: readonly AnyToolDefinition[] = [],
): AnyToolDefinition[] {
  const available = [...more, ...builtInTools(setup, services)];
  return [...new Set(setup.tools)].map((name) => {
    const definition = available.find((tool) => tool.name === name);
    if (definition) return definition;
    const names = available.map((tool) => tool.name).join(", ");
    throw new UnknownToolError(
      `Unknown tool "${name}"; available are ${names}`,
    );
  });
}

function builtInTools(
  { cwd, policy, environment, homeDir, outputDir, bashTimeoutMs }: ToolSetup,
  services: Pick<KernelServices, "killCall">,
): AnyToolDefinition[] {
  const files = createLocalFileOperations({ policy });
  const children = {
    environment,
    killTree: (marker: string) => services.killCall(marker),
  };
  const search = createLocalSearchOperations({ policy });
  const stamps = new FileStamps();
  const file = { operations: files, stamps, homeDir };
  const found = { operations: search, homeDir };
  return [
    createReadToolDefinition(cwd, file),
    createBashToolDefinition(cwd, {
      operations: createLocalBashOperations(children),
      outputDir,
      ...(bashTimeoutMs === undefined ? {} : { timeoutMs: bashTimeoutMs }),
    }),
    createEditToolDefinition(cwd, file),
    createWriteToolDefinition(cwd, file),
    createGrepToolDefinition(cwd, found),
    createFindToolDefinition(cwd, found),
    createLsToolDefinition(cwd, found),
    createPowerShellToolDefinition(cwd, {
      operations: createLocalPowerShellOperations(children),
      outputDir,
    }),
  ];
}
