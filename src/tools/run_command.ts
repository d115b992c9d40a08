import {
  ExecAbortedError,
  type ExecResult,
  ExecTimeoutError,
} from "../operations/bash_operations.ts";
import { createOutputFile } from "../operations/local_shell_operations.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { CommandSpawn } from "../sdk/tool_factories.ts";
import { formatSize } from "../sdk/truncate.ts";
import {
  type CommandDetails,
  CommandOutput,
  type FinishedOutput,
} from "./command_output.ts";
import {
  type CommandParameters,
  DEFAULT_TIMEOUT_MS,
  type ShellName,
  SHELLS,
} from "./builtin.ts";
import type { CallOptions, ShellToolOptions } from "./tool_options.ts";

/** A call of a shell tool. */
type CommandCall = CallOptions<ShellToolOptions, CommandDetails | undefined>;

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

/** Runs a command for a shell tool. */
export async function runCommand(
  shell: ShellName,
  params: CommandParameters,
  call: CommandCall,
): Promise<AgentToolResult<CommandDetails | undefined>> {
  const { operations, signal, onUpdate } = call;
  const timeoutMs = checkTimeout(params.timeout) ?? call.timeoutMs ??
    DEFAULT_TIMEOUT_MS;
  const { command, cwd, env } = await spawnOf(params, call);
  const { outputDir = temporaryFolder() } = call;
  const running = new CommandOutput(
    onUpdate,
    () =>
      operations.createOutputFile?.(outputDir) ??
        createOutputFile(outputDir, shell),
  );
  const startMs = performance.now();
  let result: ExecResult;
  try {
    result = await operations.exec(command, cwd, {
      onData: (chunk) => running.add(chunk),
      signal,
      timeoutMs,
      timeout: timeoutMs / 1000,
      env,
    });
  } catch (error) {
    const { text } = await running.finish();
    throw toToolError(error, { shell, text, timeoutMs, cwd });
  }
  const output = await running.finish();
  return toResult(result, output, performance.now() - startMs);
}

/** The folder for long outputs of a tool without a session around it: no folder of its own, which would be that of the first user. */
function temporaryFolder(): string {
  try {
    return Deno.env.get("TMPDIR") || "/tmp";
  } catch {
    // Its program may not read the variable.
    return "/tmp";
  }
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
  params: CommandParameters,
  { commandPrefix, cwd, spawnHook, ...call }: CommandCall,
): Promise<CommandSpawn> {
  const command = commandPrefix === undefined
    ? params.command
    : `${commandPrefix}\n${params.command}`;
  const env = { ...UNATTENDED };
  if (call.exposeSessionEnvironment ?? true) {
    Object.assign(env, call.sessionEnvironment);
  }
  const spawn = { command, cwd, env };
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
  { text, details, fullText }: FinishedOutput,
  wallTimeMs: number,
): AgentToolResult<CommandDetails | undefined> {
  if (exitCode === null) {
    throw new ToolError(
      withStatus(text, "Command terminated without an exit code"),
    );
  }
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
      output: fullText,
      truncated: details !== undefined,
      ...withoutUndefined({ full_output_path: details?.fullOutputPath }),
      exit_code: exitCode,
      wall_time_seconds: Math.round(wallTimeMs / 100) / 10,
    },
    ...(failed ? { isError: true } : {}),
  };
}

function toToolError(
  error: unknown,
  { shell, text, timeoutMs, cwd }: {
    shell: ShellName;
    text: string;
    timeoutMs: number;
    cwd: string;
  },
): unknown {
  const status = statusOf(error, timeoutMs);
  const isFolderMissing = error instanceof Deno.errors.NotFound ||
    error instanceof Deno.errors.NotADirectory;
  const explained = status !== undefined
    ? withStatus(text, status)
    : isFolderMissing
    ? `Working directory does not exist: ${cwd}\nCannot execute ${shell} commands.`
    : error instanceof Deno.errors.NotSupported
    ? SHELLS[shell].missing
    : undefined;
  return explained === undefined
    ? error
    : new ToolError(explained, { cause: error });
}

/**
 * Words the end of a command that was stopped. Operations that others wrote may
 * say it by the message of a plain error: `aborted`, or `timeout:` and seconds.
 */
function statusOf(error: unknown, timeoutMs: number): string | undefined {
  const { message = "" } = error instanceof Error ? error : {};
  if (error instanceof ExecAbortedError || message === "aborted") {
    return "Command aborted";
  }
  const seconds = error instanceof ExecTimeoutError
    ? timeoutMs / 1000
    : /^timeout:([\d.]+)$/.exec(message)?.[1];
  return seconds === undefined
    ? undefined
    : `Command timed out after ${seconds} seconds`;
}

function withStatus(text: string, status: string): string {
  return text === "" ? status : `${text.replace(/\n$/, "")}\n\n${status}`;
}
