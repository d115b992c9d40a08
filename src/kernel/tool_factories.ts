import {
  createLocalBashOperations,
  createLocalFileOperations,
  createLocalPowerShellOperations,
  createLocalSearchOperations,
} from "../operations/mod.ts";
import type { ToolFactories } from "../sdk/mod.ts";
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
import type { ToolSetup } from "./compose_tools.ts";
import type { KernelServices } from "./services.ts";

/** Makes the built-in tools as a run has them: on this machine's files within its policy. */
export function createToolFactories(
  { cwd, policy, environment, homeDir, outputDir, bashTimeoutMs }: ToolSetup,
  services: Pick<KernelServices, "killCall" | "onRefused">,
): ToolFactories {
  const { onRefused } = services;
  const files = createLocalFileOperations({ policy, onRefused });
  const children = {
    environment,
    killTree: (marker: string) => services.killCall(marker),
  };
  const search = createLocalSearchOperations({ policy, onRefused });
  const file = { operations: files, stamps: new FileStamps(), homeDir };
  const found = { operations: search, homeDir };
  return {
    createReadToolDefinition: (options) =>
      createReadToolDefinition(cwd, { ...file, ...options }),
    createBashToolDefinition: (options) =>
      createBashToolDefinition(cwd, {
        outputDir,
        ...(bashTimeoutMs === undefined ? {} : { timeoutMs: bashTimeoutMs }),
        ...options,
        operations: options?.operations ?? createLocalBashOperations(children),
      }),
    createEditToolDefinition: (options) =>
      createEditToolDefinition(cwd, { ...file, ...options }),
    createWriteToolDefinition: (options) =>
      createWriteToolDefinition(cwd, { ...file, ...options }),
    createGrepToolDefinition: (options) =>
      createGrepToolDefinition(cwd, { ...found, ...options }),
    createFindToolDefinition: (options) =>
      createFindToolDefinition(cwd, { ...found, ...options }),
    createLsToolDefinition: (options) =>
      createLsToolDefinition(cwd, { ...found, ...options }),
    createPowerShellToolDefinition: (options) =>
      createPowerShellToolDefinition(cwd, {
        outputDir,
        ...options,
        operations: options?.operations ??
          createLocalPowerShellOperations(children),
      }),
  };
}
