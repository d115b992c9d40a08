import { ToolError } from "../agent/tool_error.ts";
import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import type { JsonObject } from "../model/content.ts";
import { textOf } from "../model/message.ts";
import type { CommandDetails } from "../tools/command_output.ts";
import type { KernelPeer } from "./kernel/kernel_peer.ts";
import type { CheckRunner } from "../session/check_goal.ts";

/** Runs a command with the built-in bash tool of a kernel. */
export type BashRunner = (
  command: string,
  call: {
    id: string;
    signal?: AbortSignal | undefined;
    onUpdate?: AgentToolUpdate;
  },
) => Promise<AgentToolResult>;

/** Runs a command with the built-in bash tool of this kernel. */
export function callBash(
  peer: KernelPeer,
  ...[command, { id, signal, onUpdate }]: Parameters<BashRunner>
): ReturnType<BashRunner> {
  return peer.call({
    from: "built_in",
    tool: "bash",
    toolCallId: id,
    args: { command },
  }, { signal, onUpdate });
}

/** Options of a command of the user. */
export interface UserShellCall {
  signal: AbortSignal;
  /** Hears what the command prints, and in the end how it ended, piece by piece. */
  onText(delta: string): void;
}

/** Outcome of a command of the user. */
export type UserShellResult = JsonObject & {
  /** The end of what it printed, and how it ended. */
  output: string;
  /** Null where nobody knows. */
  exitCode: number | null;
  cancelled: boolean;
  truncated: boolean;
};

/** Runs a command of the user. Rejects only for what is no fault of the command. */
export type UserShell = (
  command: string,
  call: UserShellCall,
) => Promise<UserShellResult>;

/** Characters by which two texts are known to overlap. */
const OVERLAP = 200;

/** Runs commands of the user as the bash tool does, also where that tool is not active, and tells what they print while they run. */
export function userShell(bash: BashRunner): UserShell {
  return async (command, { signal, onText }) => {
    let told = "";
    const tell = (text: string) => {
      const delta = addedText(told, text);
      told = text;
      if (delta !== "") onText(delta);
    };
    const onUpdate = ({ content }: AgentToolResult) => tell(textOf(content));
    let result: UserShellResult;
    try {
      result = resultOf(await bash(command, { id: "shell", signal, onUpdate }));
    } catch (error) {
      if (!signal.aborted && !(error instanceof ToolError)) throw error;
      result = {
        output: error instanceof Error ? error.message : String(error),
        exitCode: null,
        cancelled: signal.aborted,
        truncated: false,
      };
    }
    tell(result.output);
    return result;
  };
}

/**
 * Runs checks as the bash tool runs commands, also where that tool is not
 * active: same environment and time limit, and its output is cut alike.
 */
export function checkRunner(bash: BashRunner): CheckRunner {
  return async (command, signal) => {
    try {
      const { content, isError } = await bash(command, { id: "check", signal });
      return { passed: isError !== true, output: textOf(content) };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof ToolError)) throw error;
      return { passed: false, output: error.message };
    }
  };
}

/**
 * What a later text says more than an earlier one. Both are the end of the
 * same output, and the beginning of the later one may be cut off.
 */
export function addedText(before: string, after: string): string {
  if (after.startsWith(before)) return after.slice(before.length);
  const end = before.slice(-OVERLAP);
  const at = after.lastIndexOf(end);
  if (at !== -1) return after.slice(at + end.length);
  const newline = before.endsWith("\n") ? "" : "\n";
  return `${newline}…\n${after}`;
}

function resultOf(
  { content, structuredContent, details }: AgentToolResult,
): UserShellResult {
  const { exit_code: exitCode } = (structuredContent ?? {}) as JsonObject;
  const { truncation, fullOutputPath } = (details ?? {}) as NonNullable<
    CommandDetails
  >;
  return {
    output: textOf(content),
    exitCode: typeof exitCode === "number" ? exitCode : null,
    cancelled: false,
    truncated: truncation !== undefined,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
  };
}
