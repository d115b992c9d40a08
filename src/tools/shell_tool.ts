import * as Type from "@sinclair/typebox";
import type { BashOperations } from "../operations/bash_operations.ts";
import type { Static } from "../sdk/schema_types.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import type { CommandSpawn } from "../sdk/tool_factories.ts";
import type { CommandDetails } from "./command_output.ts";
import { loadCalls } from "./load_calls.ts";
import { renderCommand, renderCommandResult } from "./render_command.ts";

/** Settings that all shell tools have. */
export interface ShellToolOptions {
  /** Default: this machine, without a scan for processes that left their group. */
  operations?: BashOperations;
  /** Gives commands the variables of the session, such as `TAU_SESSION_ID`. Default true. */
  exposeSessionEnvironment?: boolean;
  /** Changes how a command is started; runs last. */
  spawnHook?: (spawn: CommandSpawn) => CommandSpawn | Promise<CommandSpawn>;
  /** Of commands that name no timeout. Default 600 s. */
  timeoutMs?: number;
  /** Folder for outputs that are longer than the model gets to see. Default: they are not kept. */
  outputDir?: string;
}

/** What sets one shell tool apart from another. */
export interface Shell {
  /** Of the tool. */
  name: string;
  /** For the model: "bash". */
  title: string;
  /** What stands before a rendered command. */
  prompt: string;
  /** Of the description: how processes outlive a command. */
  backgroundHint: string;
  /** What to say where the operations find no such shell. */
  missing: string;
  /** Makes the default operations, when the first command runs. */
  createOperations(): BashOperations;
  /** Put before each command, on a line of its own. */
  commandPrefix?: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 600_000;

const outputSchema = Type.Object({
  output: Type.String(),
  truncated: Type.Boolean(),
  full_output_path: Type.Optional(Type.String()),
  exit_code: Type.Integer(),
  wall_time_seconds: Type.Number(),
});

const parameters = Type.Object({
  command: Type.String({ description: "The command to run" }),
  timeout: Type.Optional(
    Type.Number({ description: "Seconds after which the command is killed" }),
  ),
});

/** What the model says of a call. */
export type CommandParameters = Static<typeof parameters>;

/** The definition of a shell tool. */
export type ShellToolDefinition = ToolDefinition<
  typeof parameters,
  CommandDetails | undefined
>;

/** A tool that runs commands in a shell: all that does not depend on which shell it is. */
export function createShellToolDefinition(
  cwd: string,
  shell: Shell,
  options: ShellToolOptions,
): ShellToolDefinition {
  const exposeSession = options.exposeSessionEnvironment ?? true;
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let operations = options.operations;
  return {
    name: shell.name,
    label: shell.name,
    description:
      `Run a command in ${shell.title} and return what it prints on stdout and stderr, the last 2000 lines or 50KB of it. ` +
      "Every call starts a new shell in the working folder: cd and variables do not last from call to call. " +
      "stdin is empty and there is no terminal. " +
      `The command and all that it started are killed after ${
        timeoutMs / 1000
      } seconds, or after \`timeout\` seconds. ` +
      shell.backgroundHint,
    promptSnippet: `Run ${shell.title} commands`,
    promptGuidelines: [
      "Nobody can answer a command's questions: pass flags such as --yes, and messages as arguments.",
      ...(exposeSession
        ? [
          "Commands can read which session and model they run for from TAU_SESSION_ID, TAU_SESSION_FILE, TAU_PROVIDER, TAU_MODEL and TAU_REASONING_LEVEL.",
        ]
        : []),
    ],
    parameters,
    outputSchema,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    async execute(_id, params, signal, onUpdate, ctx) {
      const { runCommand } = await loadCalls();
      operations ??= shell.createOperations();
      return await runCommand(params, {
        ...options,
        operations,
        shell,
        timeoutMs,
        cwd: ctx.cwd || cwd,
        sessionEnvironment: exposeSession ? ctx.sessionEnvironment : undefined,
        signal,
        onUpdate,
      });
    },
    renderCall: (args, theme) => renderCommand(shell.prompt, args, theme),
    renderResult: renderCommandResult,
  };
}
