import type { AgentTool } from "../agent/agent_tool.ts";
import {
  type AnyToolDefinition,
  wrapToolDefinition,
} from "../sdk/tool_definition.ts";

/** A tool that runs in one folder, for an agent without a product around it. */
export function standaloneTool(
  definition: AnyToolDefinition,
  cwd: string,
): AgentTool {
  return wrapToolDefinition(
    definition,
    (_id, signal) => signal ? { cwd, signal } : { cwd },
  );
}
