import * as Type from "@sinclair/typebox";
import type { WriteOperations } from "../operations/file_operations.ts";
import { createLocalFileOperations } from "../operations/local_file_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { Static } from "../sdk/schema_types.ts";
import { defineTool, type ToolDefinition } from "../sdk/tool_definition.ts";
import type { FileStamps } from "./file_stamps.ts";
import { calling } from "./load_calls.ts";
import { renderFileCall, renderLines, renderText } from "./render_file_tool.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** How the write tool is made. */
export interface WriteToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: WriteOperations;
  /** What `~` stands for. */
  homeDir?: string;
  /** Shared with read and edit; without it no file counts as changed by others. */
  stamps?: FileStamps;
}

const parameters = Type.Object({
  path: Type.String({
    description: "File to write; relative paths start at the working folder",
  }),
  content: Type.String({ description: "The whole content of the file" }),
});

/** What the model says of a call. */
export type WriteParameters = Static<typeof parameters>;

/** The write tool as the product knows it: whole files, in one step. */
export function createWriteToolDefinition(
  cwd: string,
  options: WriteToolOptions = {},
): ToolDefinition<typeof parameters> {
  const operations = options.operations ?? createLocalFileOperations();
  return defineTool<typeof parameters>({
    name: "write",
    label: "Write",
    description:
      "Write a whole file. Makes missing folders and replaces a file that is " +
      "there, unless it was changed by others since it was read.",
    promptSnippet: "Write a whole file",
    promptGuidelines: [
      "Use write for new files and complete rewrites only, edit for changes.",
    ],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: calling((calls) => calls.writeFile, cwd, {
      ...options,
      operations,
    }),
    renderCall: ({ path, content }, theme, context) => [
      ...renderFileCall({ tool: "write", path }, theme, context),
      ...renderLines(content, { expanded: false, theme }),
    ],
    renderResult: renderText,
  });
}

/** The write tool, ready to run in `cwd`. */
export function createWriteTool(
  cwd: string,
  options: WriteToolOptions = {},
): AgentTool {
  return standaloneTool(createWriteToolDefinition(cwd, options), cwd);
}
