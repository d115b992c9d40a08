import {
  type AnyToolDefinition,
  wrapToolDefinition,
} from "../../src/sdk/tool_definition.ts";
import type { ServedTool } from "../../src/session/tool_server.ts";

/** The tool as a session has it. */
export function served(definition: AnyToolDefinition): ServedTool {
  const { promptSnippet = "", promptGuidelines = [] } = definition;
  const tool = wrapToolDefinition(definition, () => ({ cwd: "/" }));
  return { tool, promptSnippet, promptGuidelines };
}
