import * as Type from "@sinclair/typebox";
import {
  type BashOperations,
  ExecAbortedError,
  type ExecResult,
  ExecTimeoutError,
} from "../operations/mod.ts";
import {
  type AgentToolResult,
  type CommandSpawn,
  formatSize,
  type Static,
  type ToolContext,
  type ToolDefinition,
  ToolError,
} from "../sdk/mod.ts";
import { type CommandDetails, CommandOutput } from "./command_output.ts";
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

/** The longest that a timer can wait. */
const MAX_TIMEOUT_S = 2147483.647;

/** Linux takes no longer argument. */
const MAX_COMMAND_BYTES = 128 * 1024 - 1;

/** Nobody can answer an editor, a pager or a question. */
const UNATTENDED = {
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
};

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
    async execute(_toolCallId, params, signal, onUpdate, ctx) {
      const limitMs = checkTimeout(params.timeout) ?? timeoutMs;
      operations ??= shell.createOperations();
      const spawn = await spawnOf(params, ctx, {
        cwd,
        exposeSession,
        commandPrefix: shell.commandPrefix,
        spawnHook: options.spawnHook,
      });
      const { outputDir } = options;
      const createOutputFile = operations.createOutputFile?.bind(operations);
      const output = new CommandOutput({
        onUpdate,
        createFile: outputDir !== undefined && createOutputFile
          ? () => createOutputFile(outputDir)
          : undefined,
      });
      const startMs = performance.now();
      let result: ExecResult;
      try {
        result = await operations.exec(spawn.command, spawn.cwd, {
          onData: (chunk) => output.add(chunk),
          signal,
          timeoutMs: limitMs,
          env: spawn.env,
        });
      } catch (error) {
        await output.finish();
        throw toToolError(error, {
          shell,
          output,
          limitMs,
          cwd: spawn.cwd,
        });
      }
      await output.finish();
      return toResult(result, output, performance.now() - startMs);
    },
    renderCall: (args, theme) => renderCommand(shell.prompt, args, theme),
    renderResult: renderCommandResult,
  };
}

function checkTimeout(seconds: number | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new ToolError("Invalid timeout: must be a finite number of seconds");
  }
  if (seconds > MAX_TIMEOUT_S) {
    throw new ToolError(`Invalid timeout: maximum is ${MAX_TIMEOUT_S} seconds`);
  }
  return seconds * 1000;
}

async function spawnOf(
  params: Static<typeof parameters>,
  ctx: ToolContext,
  { commandPrefix, spawnHook, ...tool }: {
    cwd: string;
    exposeSession: boolean;
    commandPrefix: Shell["commandPrefix"];
    spawnHook: ShellToolOptions["spawnHook"];
  },
): Promise<CommandSpawn> {
  const command = commandPrefix === undefined
    ? params.command
    : `${commandPrefix}\n${params.command}`;
  const spawn = {
    command,
    cwd: ctx.cwd || tool.cwd,
    env: {
      ...UNATTENDED,
      ...(tool.exposeSession ? ctx.sessionEnvironment : {}),
    },
  };
  const hooked = spawnHook ? await spawnHook(spawn) : spawn;
  if (hooked.command.includes("\0")) {
    throw new ToolError("Cannot run the command: it holds a NUL character");
  }
  const bytes = new TextEncoder().encode(hooked.command).length;
  if (bytes > MAX_COMMAND_BYTES) {
    throw new ToolError(
      `Cannot run the command: it is ${formatSize(bytes)}, over ${
        formatSize(MAX_COMMAND_BYTES + 1)
      }; write it to a file and run that`,
    );
  }
  return hooked;
}

function toResult(
  { exitCode }: ExecResult,
  output: CommandOutput,
  wallTimeMs: number,
): AgentToolResult<CommandDetails | undefined> {
  if (exitCode === null) {
    throw new ToolError(
      withStatus(output.text, "Command terminated without an exit code"),
    );
  }
  const { text, details } = output;
  const shown = text || "(no output)";
  const failed = exitCode !== 0;
  return {
    content: [{
      type: "text",
      text: failed
        ? withStatus(shown, `Command exited with code ${exitCode}`)
        : shown,
    }],
    details,
    structuredContent: {
      output: output.fullText,
      truncated: details !== undefined,
      ...(details?.fullOutputPath === undefined
        ? {}
        : { full_output_path: details.fullOutputPath }),
      exit_code: exitCode,
      wall_time_seconds: Math.round(wallTimeMs / 100) / 10,
    },
    ...(failed ? { isError: true } : {}),
  };
}

function toToolError(
  error: unknown,
  run: { shell: Shell; output: CommandOutput; limitMs: number; cwd: string },
): unknown {
  const { text } = run.output;
  if (error instanceof ExecAbortedError) {
    return new ToolError(withStatus(text, "Command aborted"), { cause: error });
  }
  if (error instanceof ExecTimeoutError) {
    const status = `Command timed out after ${run.limitMs / 1000} seconds`;
    return new ToolError(withStatus(text, status), { cause: error });
  }
  if (
    error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory
  ) {
    return new ToolError(
      `Working directory does not exist: ${run.cwd}\nCannot execute ${run.shell.name} commands.`,
      { cause: error },
    );
  }
  if (error instanceof Deno.errors.NotSupported) {
    return new ToolError(run.shell.missing, { cause: error });
  }
  return error;
}

function withStatus(text: string, status: string): string {
  return text === "" ? status : `${text.replace(/\n$/, "")}\n\n${status}`;
}
