import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type GrepOperations,
} from "../operations/search_operations.ts";
import type { AgentTool } from "../agent/agent_tool.ts";
import type { Static } from "../sdk/schema_types.ts";
import type { Theme } from "../sdk/theme.ts";
import type { ToolDefinition } from "../sdk/tool_definition.ts";
import { calling } from "./load_calls.ts";
import { oneLine, renderText } from "./render_file_tool.ts";
import type { SearchTruncation } from "./search_result.ts";
import { standaloneTool } from "./standalone_tool.ts";

/** Settings of the grep tool. */
export interface GrepToolOptions {
  /** Default: this machine's files, without a policy. */
  operations?: GrepOperations;
  /** What `~` stands for. */
  homeDir?: string;
}

/** For renderers and hosts: what was left out. */
export type GrepDetails = SearchTruncation & {
  matchLimitReached?: number;
  linesTruncated?: boolean;
};

/** Matches that are shown where a call asks for no other number. */
export const DEFAULT_LIMIT = 100;

const parameters = Type.Object({
  pattern: Type.String({
    description: "JavaScript regular expression, or text with literal",
  }),
  path: Type.Optional(
    Type.String({
      description: "File or folder to search. Default: the working folder",
    }),
  ),
  glob: Type.Optional(
    Type.String({
      description:
        "Only files that match, such as *.ts or src/**; !*.md leaves out",
    }),
  ),
  ignoreCase: Type.Optional(Type.Boolean({ description: "Default: false" })),
  literal: Type.Optional(
    Type.Boolean({
      description: "Search for the pattern as plain text. Default: false",
    }),
  ),
  context: Type.Optional(
    Type.Number({
      description: "Lines to show before and after each match. Default: 0",
    }),
  ),
  limit: Type.Optional(
    Type.Number({
      description: `Most matches to show. Default: ${DEFAULT_LIMIT}`,
    }),
  ),
});

/** What the model says of a call. */
export type GrepParameters = Static<typeof parameters>;

/** The grep tool as the product knows it. */
export function createGrepToolDefinition(
  cwd: string,
  options: GrepToolOptions = {},
): ToolDefinition<typeof parameters, GrepDetails | undefined> {
  const operations = options.operations ?? createLocalSearchOperations();
  return {
    name: "grep",
    label: "grep",
    description:
      "Search the lines of files for a regular expression, in JavaScript's syntax with the u flag. " +
      "Results are path:line: text, sorted by path. " +
      "Hidden files and what .gitignore leaves out are only counted, unless `path` names them.",
    promptSnippet: "Search in files",
    promptGuidelines: ["Search in files with grep, not with bash."],
    parameters,
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    execute: calling((calls) => calls.grepFiles, cwd, {
      ...options,
      operations,
    }),
    renderCall: (args, theme) => renderGrepCall(args, theme),
    renderResult: renderText,
  };
}

/** The grep tool, ready to run in `cwd`. */
export function createGrepTool(
  cwd: string,
  options: GrepToolOptions = {},
): AgentTool {
  return standaloneTool(createGrepToolDefinition(cwd, options), cwd);
}

function renderGrepCall(
  args: Partial<Static<typeof parameters>>,
  theme: Theme,
): string[] {
  const pattern = args.pattern === undefined
    ? "…"
    : `/${oneLine(args.pattern)}/`;
  const glob = args.glob === undefined ? "" : ` (${oneLine(args.glob)})`;
  return [
    `${theme.fg("toolTitle", theme.bold("grep"))} ${
      theme.fg("accent", pattern)
    } in ${oneLine(args.path ?? ".")}${glob}`,
  ];
}
