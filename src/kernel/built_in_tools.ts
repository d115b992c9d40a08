import { withoutUndefined } from "../model/without_undefined.ts";
import {
  createLocalBashOperations,
  createLocalPowerShellOperations,
} from "../operations/local_shell_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import { createLocalSearchOperations } from "../operations/search_operations.ts";
import type { KernelSetup } from "../protocol/kernel_messages.ts";
import type { RefusalListener } from "../operations/guarded_paths.ts";
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

/** Settings of a run that its tools depend on. */
export type ToolSetup = Pick<
  KernelSetup,
  | "cwd"
  | "environment"
  | "outputDir"
  | "bashTimeoutMs"
  | "policy"
  | "homeDir"
>;

/** Makes the built-in tools as a run has them: on this machine's files within its policy. In the order in which they are told. */
export function createToolFactories(
  { cwd, policy, environment, homeDir, outputDir, bashTimeoutMs }: ToolSetup,
  services: {
    /** Ends every process that was started with `TAU_CALL=marker` in its environment. */
    killCall(marker: string): Promise<void>;
    /** Hears of each path that a tool was refused. */
    onRefused?: RefusalListener;
  },
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
