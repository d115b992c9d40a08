import type { PowerShellOperations } from "../operations/bash_operations.ts";
import { createLocalPowerShellOperations } from "../operations/local_powershell_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import {
  createShellToolDefinition,
  type ShellToolDefinition,
  type ShellToolOptions,
} from "./shell_tool.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the powershell tool. */
export interface PowerShellToolOptions extends ShellToolOptions {
  /** Default: this machine, without a scan for processes that left their group. */
  operations?: PowerShellOperations;
}

/** The powershell tool of the product, for every system that has a PowerShell. */
export function createPowerShellToolDefinition(
  cwd: string,
  options: PowerShellToolOptions = {},
): ShellToolDefinition {
  return createShellToolDefinition(cwd, {
    name: "powershell",
    title: "PowerShell",
    prompt: "PS>",
    backgroundHint:
      "Jobs end with the command; what Start-Process starts lives on.",
    missing:
      "Cannot run PowerShell: neither pwsh nor powershell is on PATH; use the bash tool, or have PowerShell 7 installed",
    createOperations: () => createLocalPowerShellOperations(),
  }, options);
}

/** The powershell tool for an agent without a product around it. */
export function createPowerShellTool(
  cwd: string,
  options: PowerShellToolOptions = {},
): AgentTool {
  return standaloneTool(createPowerShellToolDefinition(cwd, options), cwd);
}
