import { withoutUndefined } from "../model/without_undefined.ts";
import {
  createLocalBashOperations,
  createLocalPowerShellOperations,
} from "../operations/local_shell_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import { createLocalSearchOperations } from "../operations/search_operations.ts";
import type { RunSetup } from "../protocol/kernel_messages.ts";
import type { AnyToolDefinition } from "../sdk/tool_definition.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import {
  createBashToolDefinition,
  createEditToolDefinition,
  createFindToolDefinition,
  createGrepToolDefinition,
  createLsToolDefinition,
  createPowerShellToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
} from "../tools/factories.ts";
import { FileStamps } from "../tools/file_stamps.ts";
import type { KernelServices } from "./services.ts";

/** A run asked for a tool that does not exist. */
export class UnknownToolError extends Error {
  override name = "UnknownToolError";
}

/** Settings of a run that commands need which are run beside the tools of a session. */
export type BashSetup = Pick<
  RunSetup,
  "cwd" | "environment" | "outputDir" | "bashTimeoutMs"
>;

/** Settings of a run that its tools depend on. */
export type ToolSetup = BashSetup & Pick<RunSetup, "policy" | "homeDir">;

/** Makes the built-in tools as a run has them: on this machine's files within its policy. In the order in which they are told. */
export function createToolFactories(
  { cwd, policy, environment, homeDir, outputDir, bashTimeoutMs }: ToolSetup,
  services: Pick<KernelServices, "killCall" | "onRefused">,
): ToolFactories {
  const access = { policy, onRefused: services.onRefused };
  const file = {
    operations: createLocalFileOperations(access),
    stamps: new FileStamps(),
    homeDir,
  };
  const search = { operations: createLocalSearchOperations(access), homeDir };
  const children = {
    environment,
    killTree: (marker: string) => services.killCall(marker),
  };
  const inRun = <Options extends object>(
    create: (cwd: string, options?: Options) => AnyToolDefinition,
    ofRun: Options,
  ) =>
  (options: Options = {} as Options) =>
    create(cwd, { ...ofRun, ...withoutUndefined(options) });
  return {
    createReadToolDefinition: inRun(createReadToolDefinition, file),
    createBashToolDefinition: inRun(createBashToolDefinition, {
      operations: createLocalBashOperations(children),
      outputDir,
      timeoutMs: bashTimeoutMs,
    }),
    createEditToolDefinition: inRun(createEditToolDefinition, file),
    createWriteToolDefinition: inRun(createWriteToolDefinition, file),
    createGrepToolDefinition: inRun(createGrepToolDefinition, search),
    createFindToolDefinition: inRun(createFindToolDefinition, search),
    createLsToolDefinition: inRun(createLsToolDefinition, search),
    createPowerShellToolDefinition: inRun(createPowerShellToolDefinition, {
      operations: createLocalPowerShellOperations(children),
      outputDir,
    }),
  };
}

/** All tools that a run can have without plugins. */
export function builtInTools(factories: ToolFactories): AnyToolDefinition[] {
  return Object.values(factories).map((create) => create());
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

/** The bash tool for commands that are not the model's, also where that tool is not active. */
export function composeBash(
  { cwd, environment, outputDir, bashTimeoutMs }: BashSetup,
  services: Pick<KernelServices, "killCall">,
): AnyToolDefinition {
  return createBashToolDefinition(cwd, {
    operations: createLocalBashOperations({
      environment,
      killTree: (marker) => services.killCall(marker),
    }),
    outputDir,
    timeoutMs: bashTimeoutMs,
  });
}
