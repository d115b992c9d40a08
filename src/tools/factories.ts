import type { AgentTool, AgentToolResult } from "../agent/agent_tool.ts";
import type { BashOperations } from "../operations/bash_operations.ts";
import {
  createLocalBashOperations,
  createLocalPowerShellOperations,
} from "../operations/local_shell_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import { createLocalSearchOperations } from "../operations/search_operations.ts";
import type { Static, TSchema } from "../sdk/schema_types.ts";
import {
  type AnyToolDefinition,
  type ToolDefinition,
  wrapToolDefinition,
} from "../sdk/tool_definition.ts";
import {
  FILE_TOOLS,
  shellDeclaration,
  type ShellName,
  SHELLS,
} from "./builtin.ts";
import type { CommandDetails } from "./command_output.ts";
import type { EditDiff } from "./edit_diff.ts";
import {
  oneLine,
  renderCommand,
  renderCommandResult,
  renderDiff,
  renderFileCall,
  renderLines,
  renderText,
} from "./render.ts";
import type { CallOptions, ShellToolOptions } from "./tool_options.ts";

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

/** Makes the definition of a tool for a working folder. */
type Factory<Params extends TSchema, Options, Details> = (
  cwd: string,
  options?: Options,
) => ToolDefinition<Params, Details>;

/** Everything of a definition but `execute`. */
type Shown<Params extends TSchema, Details> = Omit<
  ToolDefinition<Params, Details>,
  "execute"
>;

/** Joins declaration and renderers of a tool with its work, which is loaded late. */
function factory<
  Params extends TSchema,
  Options extends { operations?: unknown },
  Details,
>(
  shown: Shown<Params, Details>,
  createOperations: () => NonNullable<Options["operations"]>,
  choose: (all: Implementations) => (
    params: Static<Params>,
    call: CallOptions<Options, Details>,
  ) => Promise<AgentToolResult<Details>>,
): Factory<Params, Options, Details> {
  return (cwd, options = {} as Options) => {
    const operations = options.operations ?? createOperations();
    return {
      renderResult: renderText,
      ...shown,
      async execute(_toolCallId, params, signal, onUpdate, ctx) {
        const work = choose(await loadImplementations());
        return await work(params, {
          ...options,
          operations: operations as NonNullable<Options["operations"]>,
          cwd: ctx.cwd || cwd,
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
  {
    ...FILE_TOOLS.read,
    renderCall: ({ path, offset, limit }, theme, context) =>
      renderFileCall(
        { tool: "read", path, suffix: lineRange(offset, limit) },
        theme,
        context,
      ),
  },
  createLocalFileOperations,
  ({ readFile }) => readFile,
);

/** Makes the read tool. */
export const createReadTool = standalone(createReadToolDefinition);

/** Defines the write tool: whole files, in one step. */
export const createWriteToolDefinition = factory(
  {
    ...FILE_TOOLS.write,
    renderCall: ({ path, content }, theme, context) => [
      ...renderFileCall({ tool: "write", path }, theme, context),
      ...renderLines(content, { expanded: false, theme }),
    ],
  },
  createLocalFileOperations,
  ({ writeFile }) => writeFile,
);

/** Makes the write tool. */
export const createWriteTool = standalone(createWriteToolDefinition);

/** Defines the edit tool: exact replacements, all of them or none. */
export const createEditToolDefinition = factory(
  {
    ...FILE_TOOLS.edit,
    renderCall: ({ path }, theme, context) =>
      renderFileCall({ tool: "edit", path }, theme, context),
    renderResult: (result: AgentToolResult<EditDiff>, options, theme) =>
      result.details?.diff && !result.isError
        ? renderDiff(result.details.diff, options, theme)
        : renderText(result, options, theme),
  },
  createLocalFileOperations,
  ({ editFile }) => editFile,
);

/** Makes the edit tool. */
export const createEditTool = standalone(createEditToolDefinition);

/** Defines the find tool. */
export const createFindToolDefinition = factory(
  {
    ...FILE_TOOLS.find,
    renderCall: ({ pattern = "…", path = "." }, theme) => [
      `${theme.fg("toolTitle", theme.bold("find"))} ${
        theme.fg("accent", oneLine(pattern))
      } in ${oneLine(path)}`,
    ],
  },
  createLocalSearchOperations,
  ({ findFiles }) => findFiles,
);

/** Makes the find tool. */
export const createFindTool = standalone(createFindToolDefinition);

/** Defines the grep tool. */
export const createGrepToolDefinition = factory(
  {
    ...FILE_TOOLS.grep,
    renderCall: ({ pattern, path = ".", glob }, theme) => [
      `${theme.fg("toolTitle", theme.bold("grep"))} ${
        theme.fg(
          "accent",
          pattern === undefined ? "…" : `/${oneLine(pattern)}/`,
        )
      } in ${oneLine(path)}${glob === undefined ? "" : ` (${oneLine(glob)})`}`,
    ],
  },
  createLocalSearchOperations,
  ({ grepFiles }) => grepFiles,
);

/** Makes the grep tool. */
export const createGrepTool = standalone(createGrepToolDefinition);

/** Defines the ls tool. */
export const createLsToolDefinition = factory(
  {
    ...FILE_TOOLS.ls,
    renderCall: ({ path = "." }, theme, context) =>
      renderFileCall({ tool: "ls", path }, theme, context),
  },
  createLocalSearchOperations,
  ({ listFolder }) => listFolder,
);

/** Makes the ls tool. */
export const createLsTool = standalone(createLsToolDefinition);

/** Settings of the bash tool. */
export interface BashToolOptions extends ShellToolOptions {
  /** Shell of the default operations. Default: `/bin/bash`, else bash on `PATH`, else sh. */
  shellPath?: string;
}

const DEFAULT_TIMEOUT_MS = 600_000;

/** The definition of a shell tool. */
type ShellToolDefinition = ToolDefinition<
  ReturnType<typeof shellDeclaration>["parameters"],
  CommandDetails | undefined
>;

function shellFactory<Options extends ShellToolOptions>(
  shell: ShellName,
  createOperations: (options: Options) => BashOperations,
): (cwd: string, options?: Options) => ShellToolDefinition {
  return (cwd, options = {} as Options) => {
    const exposeSession = options.exposeSessionEnvironment ?? true;
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    let operations = options.operations;
    return {
      ...shellDeclaration(shell, { timeoutMs, exposeSession }),
      async execute(_toolCallId, params, signal, onUpdate, ctx) {
        const { runCommand } = await loadImplementations();
        // The first command looks for the shell.
        operations ??= createOperations(options);
        return await runCommand(params, {
          ...options,
          operations,
          shell,
          timeoutMs,
          cwd: ctx.cwd || cwd,
          sessionEnvironment: exposeSession
            ? ctx.sessionEnvironment
            : undefined,
          signal,
          onUpdate,
        });
      },
      renderCall: (args, theme) =>
        renderCommand(SHELLS[shell].prompt, args, theme),
      renderResult: renderCommandResult,
    };
  };
}

/** Defines the bash tool. */
export const createBashToolDefinition = shellFactory(
  "bash",
  ({ shellPath }: BashToolOptions) => createLocalBashOperations({ shellPath }),
);

/** Makes the bash tool. */
export const createBashTool = standalone(createBashToolDefinition);

/** Defines the powershell tool, for every system that has a PowerShell. */
export const createPowerShellToolDefinition = shellFactory(
  "powershell",
  (_options: ShellToolOptions) => createLocalPowerShellOperations(),
);

/** Makes the powershell tool. */
export const createPowerShellTool = standalone(createPowerShellToolDefinition);

/** The lines of a call as `:5-7`; what has arrived of the arguments may be anything. */
function lineRange(offset: unknown, limit: unknown): string {
  const first = typeof offset === "number" ? offset : 1;
  if (typeof limit === "number") return `:${first}-${first + limit - 1}`;
  return typeof offset === "number" ? `:${first}` : "";
}
