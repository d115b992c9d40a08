import {
  type AgentTool,
  type AnyToolDefinition,
  wrapToolDefinition,
} from "../sdk/mod.ts";

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
