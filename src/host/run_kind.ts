import {
  COMMAND_TOOLS,
  DEFAULT_TOOLS,
  READING_TOOLS,
} from "../policy/built_in_tools.ts";
import type { RunOptions } from "./run_options.ts";

/** True for a run of which anything may start programs. */
export function runsCommands(options: RunOptions): boolean {
  const { goals, mode = "print" } = options;
  // In a conversation the user may run some, too.
  const isConversation = mode === "tui" || mode === "rpc";
  return goals?.check !== undefined || isConversation ||
    activeTools(options).some((name) => COMMAND_TOOLS.includes(name));
}

/** Names of the tools that are active at first. */
export function activeTools(
  { tools, excludeTools = [], permissions }: RunOptions,
): string[] {
  const chosen = tools ??
    (permissions?.profile === "read-only" ? READING_TOOLS : DEFAULT_TOOLS);
  return chosen.filter((name) => !excludeTools.includes(name));
}

/** Returns the line that says why commands are not confined; undefined where they are, or where there are none. */
export function unconfinedLine(
  options: RunOptions,
  reason: string | undefined,
): string | undefined {
  return reason === undefined || !runsCommands(options)
    ? undefined
    : `tau: Commands are not confined: ${reason}`;
}
