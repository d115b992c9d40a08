import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type LsOperations,
} from "../operations/search_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { Static } from "../sdk/schema_types.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import { calling } from "./load_calls.ts";
import { renderFileCall, renderText } from "./render_file_tool.ts";
import type { SearchTruncation } from "./search_result.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the ls tool. */
export interface LsToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: LsOperations;
  /** What `~` stands for. */
  homeDir?: string;
}

/** For renderers and hosts: what was left out. */
export type LsDetails = SearchTruncation & { entryLimitReached?: number };

/** Entries that are shown where a call asks for no other number. */
export const DEFAULT_LIMIT = 500;

const parameters = Type.Object({
  path: Type.Optional(
    Type.String({ description: "Folder to list. Default: the working folder" }),
  ),
  limit: Type.Optional(
    Type.Number({
      description: `Most entries to show. Default: ${DEFAULT_LIMIT}`,
    }),
  ),
});

/** What the model says of a call. */
export type LsParameters = Static<typeof parameters>;

/** The ls tool as the product knows it. */
export function createLsToolDefinition(
  cwd: string,
  options: LsToolOptions = {},
): ToolDefinition<typeof parameters, LsDetails | undefined> {
  const operations = options.operations ?? createLocalSearchOperations();
  return {
    name: "ls",
    label: "ls",
    description:
      "List a folder: names in alphabetical order, hidden ones too, folders with a / at their end.",
    promptSnippet: "List a folder",
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: calling((calls) => calls.listFolder, cwd, {
      ...options,
      operations,
    }),
    renderCall: (args, theme, context) =>
      renderFileCall({ tool: "ls", path: args.path ?? "." }, theme, context),
    renderResult: renderText,
  };
}

/** The ls tool, ready to run in `cwd`. */
export function createLsTool(
  cwd: string,
  options: LsToolOptions = {},
): AgentTool {
  return standaloneTool(createLsToolDefinition(cwd, options), cwd);
}
