import type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
} from "../agent/agent_tool.ts";
import {
  createLocalBashOperations,
  createLocalPowerShellOperations,
} from "../operations/local_shell_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import type {
  EditOperations,
  ReadOperations,
  WriteOperations,
} from "../operations/file_operations.ts";
import {
  editOperations,
  grepOperations,
  type PlainEditOperations,
  type PlainGrepOperations,
  type PlainReadOperations,
  type PlainWriteOperations,
  readOperations,
  writeOperations,
} from "../operations/plain_operations.ts";
import {
  createLocalSearchOperations,
  type FindOperations,
  type GrepOperations,
  type LsOperations,
} from "../operations/search_operations.ts";
import type { Static, TSchema } from "../model/schema_types.ts";
import {
  type AnyToolDefinition,
  type ToolDefinition,
  wrapToolDefinition,
} from "../sdk/tool_definition.ts";
import type { ToolContext } from "../sdk/tool_context.ts";
import { FILE_TOOLS, shellTool, type Shown } from "./builtin.ts";
import type {
  CallOptions,
  FileToolOptions,
  PathToolOptions,
  ShellToolOptions,
} from "./tool_options.ts";

type Implementations = typeof import("./implementations.ts");

let implementations: Promise<Implementations> | undefined;

/**
 * Loads the work of the built-in tools. The first call of a tool does, or a
 * program that has time before. It is loaded as a whole, so that the calls of a
 * batch begin in their order.
 */
export function loadImplementations(): Promise<Implementations> {
  return implementations ??= import("./implementations.ts");
}

/** A built-in tool. What a call does not say is as the factory was told. */
export interface BuiltInToolDefinition<
  Params extends TSchema = TSchema,
  Details = unknown,
> extends Omit<ToolDefinition<Params, Details>, "execute"> {
  /** Runs one call. */
  execute(
    toolCallId: string,
    params: Static<Params>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdate<Details>,
    ctx?: Partial<ToolContext>,
  ): Promise<AgentToolResult<Details>>;
}

/**
 * Joins declaration and renderers of a tool with its work, which is loaded
 * late. The first call makes the operations that were not given.
 */
function factory<
  Params extends TSchema,
  Options extends { operations?: unknown },
  Operations,
  Details,
>(
  show: (options: Options) => Shown<Params, Details>,
  operationsOf: (options: Options) => Operations,
  choose: (all: Implementations) => (
    params: Static<Params>,
    call: CallOptions<
      Omit<Options, "operations"> & { operations?: Operations },
      Details
    >,
  ) => Promise<AgentToolResult<Details>>,
): (
  cwd: string,
  options?: Options,
) => BuiltInToolDefinition<Params, Details> {
  return (cwd, options = {} as Options) => {
    let operations: Operations | undefined;
    return {
      ...show(options),
      async execute(_toolCallId, params, signal, onUpdate, ctx) {
        const work = choose(await loadImplementations());
        operations ??= operationsOf(options);
        return await work(params, {
          ...options,
          operations: operations as NonNullable<Operations>,
          cwd: ctx?.cwd || cwd,
          sessionEnvironment: ctx?.sessionEnvironment,
          signal,
          onUpdate,
        });
      },
    };
  };
}

/** Makes the tool, ready to run in one folder, for an agent without a product around it. */
function standalone<Options>(
  createDefinition: (cwd: string, options?: Options) => AnyToolDefinition,
): (cwd: string, options?: Options) => AgentTool {
  return (cwd, options) =>
    wrapToolDefinition(
      createDefinition(cwd, options),
      (_toolCallId, signal) => signal ? { cwd, signal } : { cwd },
    );
}

/** Defines the read tool: text by lines, images, and a name for everything else. */
export const createReadToolDefinition = factory(
  () => FILE_TOOLS.read,
  (
    { operations }: FileToolOptions<ReadOperations | PlainReadOperations> & {
      autoResizeImages?: boolean;
    },
  ) => operations ? readOperations(operations) : createLocalFileOperations(),
  ({ readFile }) => readFile,
);

/** Makes the read tool. */
export const createReadTool = standalone(createReadToolDefinition);

/** Defines the write tool: whole files, in one step. */
export const createWriteToolDefinition = factory(
  () => FILE_TOOLS.write,
  ({ operations }: FileToolOptions<WriteOperations | PlainWriteOperations>) =>
    operations ? writeOperations(operations) : createLocalFileOperations(),
  ({ writeFile }) => writeFile,
);

/** Makes the write tool. */
export const createWriteTool = standalone(createWriteToolDefinition);

/** Defines the edit tool: exact replacements, all of them or none. */
export const createEditToolDefinition = factory(
  () => FILE_TOOLS.edit,
  ({ operations }: FileToolOptions<EditOperations | PlainEditOperations>) =>
    operations ? editOperations(operations) : createLocalFileOperations(),
  ({ editFile }) => editFile,
);

/** Makes the edit tool. */
export const createEditTool = standalone(createEditToolDefinition);

/** Defines the find tool. */
export const createFindToolDefinition = factory(
  () => FILE_TOOLS.find,
  ({ operations }: PathToolOptions<FindOperations>) =>
    operations ?? createLocalSearchOperations(),
  ({ findFiles }) => findFiles,
);

/** Makes the find tool. */
export const createFindTool = standalone(createFindToolDefinition);

/** Defines the grep tool. */
export const createGrepToolDefinition = factory(
  () => FILE_TOOLS.grep,
  ({ operations }: PathToolOptions<GrepOperations | PlainGrepOperations>) =>
    operations ? grepOperations(operations) : createLocalSearchOperations(),
  ({ grepFiles }) => grepFiles,
);

/** Makes the grep tool. */
export const createGrepTool = standalone(createGrepToolDefinition);

/** Defines the ls tool. */
export const createLsToolDefinition = factory(
  () => FILE_TOOLS.ls,
  ({ operations }: PathToolOptions<LsOperations>) =>
    operations ?? createLocalSearchOperations(),
  ({ listFolder }) => listFolder,
);

/** Makes the ls tool. */
export const createLsTool = standalone(createLsToolDefinition);

/** Settings of the bash tool. */
export interface BashToolOptions extends ShellToolOptions {
  /** Shell of the default operations. Default: `/bin/bash`, else bash on `PATH`, else sh. */
  shellPath?: string;
}

/** Defines the bash tool. */
export const createBashToolDefinition = factory(
  (options: BashToolOptions) => shellTool("bash", options),
  ({ operations, shellPath }) =>
    operations ?? createLocalBashOperations({ shellPath }),
  ({ runCommand }) => (params, call) => runCommand("bash", params, call),
);

/** Makes the bash tool. */
export const createBashTool = standalone(createBashToolDefinition);

/** Defines the powershell tool, for every system that has a PowerShell. */
export const createPowerShellToolDefinition = factory(
  (options: ShellToolOptions) => shellTool("powershell", options),
  ({ operations }) => operations ?? createLocalPowerShellOperations(),
  ({ runCommand }) => (params, call) => runCommand("powershell", params, call),
);

/** Makes the powershell tool. */
export const createPowerShellTool = standalone(createPowerShellToolDefinition);
