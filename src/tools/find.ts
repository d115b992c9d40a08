import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type FindOperations,
} from "../operations/search_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { Static } from "../sdk/schema_types.ts";
import type { Theme } from "../sdk/theme.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import { calling } from "./load_calls.ts";
import { oneLine, renderText } from "./render_file_tool.ts";
import type { SearchTruncation } from "./search_result.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the find tool. */
export interface FindToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: FindOperations;
  /** What `~` stands for. */
  homeDir?: string;
}

/** For renderers and hosts: what was left out. */
export type FindDetails = SearchTruncation & { resultLimitReached?: number };

/** Results that are shown where a call asks for no other number. */
export const DEFAULT_LIMIT = 1000;

const parameters = Type.Object({
  pattern: Type.String({
    description:
      "Glob: *.ts matches names at any depth; with a slash (src/**/*.ts) paths from the folder on",
  }),
  path: Type.Optional(
    Type.String({
      description: "Folder to search. Default: the working folder",
    }),
  ),
  limit: Type.Optional(
    Type.Number({
      description: `Most results to show. Default: ${DEFAULT_LIMIT}`,
    }),
  ),
});

/** What the model says of a call. */
export type FindParameters = Static<typeof parameters>;

/** The find tool as the product knows it. */
export function createFindToolDefinition(
  cwd: string,
  options: FindToolOptions = {},
): ToolDefinition<typeof parameters, FindDetails | undefined> {
  const operations = options.operations ?? createLocalSearchOperations();
  return {
    name: "find",
    label: "find",
    description:
      "Find files and folders by a glob. Paths come sorted, folders with a / at their end. " +
      "Hidden files and what .gitignore leaves out are only counted, unless `path` names them. " +
      "A pattern without capital letters matches in any case.",
    promptSnippet: "Find files by a glob",
    promptGuidelines: ["Find files with find, not with bash."],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: calling((calls) => calls.findFiles, cwd, {
      ...options,
      operations,
    }),
    renderCall: (args, theme) => renderFindCall(args, theme),
    renderResult: renderText,
  };
}

/** The find tool, ready to run in `cwd`. */
export function createFindTool(
  cwd: string,
  options: FindToolOptions = {},
): AgentTool {
  return standaloneTool(createFindToolDefinition(cwd, options), cwd);
}

function renderFindCall(
  args: { pattern?: string; path?: string },
  theme: Theme,
): string[] {
  const pattern = oneLine(args.pattern ?? "…");
  const path = oneLine(args.path ?? ".");
  return [
    `${theme.fg("toolTitle", theme.bold("find"))} ${
      theme.fg("accent", pattern)
    } in ${path}`,
  ];
}
