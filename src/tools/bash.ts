import { createLocalBashOperations } from "../operations/local_bash_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import {
  createShellToolDefinition,
  type ShellToolDefinition,
  type ShellToolOptions,
} from "./shell_tool.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the bash tool. */
export interface BashToolOptions extends ShellToolOptions {
  /** Put before each command, on a line of its own. */
  commandPrefix?: string;
  /** Of the default operations. Default: `/bin/bash`, else bash on `PATH`, else sh. */
  shellPath?: string;
}

/** The bash tool of the product. */
export function createBashToolDefinition(
  cwd: string,
  options: BashToolOptions = {},
): ShellToolDefinition {
  const { commandPrefix, shellPath } = options;
  return createShellToolDefinition(cwd, {
    name: "bash",
    title: "bash",
    prompt: "$",
    backgroundHint:
      "A process left in the background (&) lives on when the command returns.",
    missing:
      "Cannot run bash: it is not on PATH; use the powershell tool if it is active",
    createOperations: () => createLocalBashOperations({ shellPath }),
    commandPrefix,
  }, options);
}

/** The bash tool for an agent without a product around it. */
export function createBashTool(
  cwd: string,
  options: BashToolOptions = {},
): AgentTool {
  return standaloneTool(createBashToolDefinition(cwd, options), cwd);
}
