import { createLocalBashOperations } from "../operations/local_bash_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import { createLocalPowerShellOperations } from "../operations/local_powershell_operations.ts";
import { createLocalSearchOperations } from "../operations/search_operations.ts";
import type { ToolFactories } from "../sdk/tool_factories.ts";
import { createBashToolDefinition } from "../tools/bash.ts";
import { createEditToolDefinition } from "../tools/edit.ts";
import { FileStamps } from "../tools/file_stamps.ts";
import { createFindToolDefinition } from "../tools/find.ts";
import { createGrepToolDefinition } from "../tools/grep.ts";
import { createLsToolDefinition } from "../tools/ls.ts";
import { createPowerShellToolDefinition } from "../tools/powershell.ts";
import { createReadToolDefinition } from "../tools/read.ts";
import { createWriteToolDefinition } from "../tools/write.ts";
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
