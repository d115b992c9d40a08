import type { JsonObject } from "../model/content.ts";
import { textOf } from "../model/message.ts";
import type { AgentToolResult } from "../agent/agent_tool.ts";
import { ToolError } from "../agent/tool_error.ts";
import type { CommandDetails } from "../tools/command_output.ts";
import { type BashSetup, composeBash } from "./compose_tools.ts";
import type { KernelServices } from "./services.ts";

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

/** Runs commands as the bash tool does, also where that tool is not active, and tells what they print while they run. */
export function composeUserShell(
  setup: BashSetup,
  services: Pick<KernelServices, "killCall">,
): UserShell {
  const bash = composeBash(setup, services);
  const { cwd } = setup;
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
      result = resultOf(
        await bash.execute("shell", { command }, signal, onUpdate, { cwd }),
      );
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      result = {
        output: error.message,
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
