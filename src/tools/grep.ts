import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type GrepOperations,
} from "../operations/mod.ts";
import {
  type AgentTool,
  type Static,
  type Theme,
  type ToolDefinition,
} from "../sdk/mod.ts";
import { globMatcher } from "./glob_matcher.ts";
import { LineMatcher } from "./line_matcher.ts";
import { GrepSearch } from "./grep_search.ts";
import { Pacer } from "./pacer.ts";
import { oneLine, renderText } from "./render_file_tool.ts";
import { resolvePath } from "./resolve_path.ts";
import {
  explainSearchError,
  limitNotice,
  progressReporter,
  resultLimit,
  searchResult,
  type SearchTruncation,
} from "./search_result.ts";
import type { TextSearch } from "./search_text.ts";
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

const DEFAULT_LIMIT = 100;

/** Lines around a match that may be asked for. */
const MAX_CONTEXT = 1000;

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
    async execute(_id, params, signal, onUpdate, ctx) {
      const { path = ".", glob } = params;
      const folder = ctx.cwd || cwd;
      const root = resolvePath(path, { cwd: folder, homeDir: options.homeDir });
      const limit = resultLimit(params.limit, DEFAULT_LIMIT);
      const text = textSearchOf(params, new Pacer(signal));
      const search = new GrepSearch(text, {
        operations,
        root,
        cwd: folder,
        limit,
        matchesGlob: glob === undefined ? undefined : await fileFilter(glob),
        report: progressReporter(onUpdate),
      });
      try {
        await search.run();
      } catch (error) {
        throw await explainSearchError(error, {
          path,
          absolutePath: root,
          operations,
        });
      }
      const { lines, limitReached } = search;
      return searchResult<GrepDetails>(lines, {
        empty: "No matches found",
        narrower: "refine pattern, or search a path below",
        limitNotice: limitReached
          ? `${limitNotice(limit, "matches")}, or refine pattern`
          : undefined,
        notices: [
          ...(lines.length === 0 && wantsLineEnd(params)
            ? [
              "Lines are searched one by one, so that no match holds a line end",
            ]
            : []),
          ...search.notices(),
        ],
        details: {
          ...(limitReached ? { matchLimitReached: limit } : {}),
          ...(text.linesCut ? { linesTruncated: true } : {}),
        },
      });
    },
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

function textSearchOf(
  params: Static<typeof parameters>,
  pacer: Pacer,
): TextSearch {
  const { pattern, literal = false, ignoreCase = false, context = 0 } = params;
  return {
    matcher: new LineMatcher({ pattern, literal, ignoreCase }),
    pacer,
    context: Math.min(MAX_CONTEXT, Math.max(0, Math.floor(context) || 0)),
    linesCut: false,
    linesSkipped: 0,
  };
}

function wantsLineEnd(
  { pattern, literal }: Static<typeof parameters>,
): boolean {
  return pattern.includes("\n") || !literal && pattern.includes("\\n");
}

async function fileFilter(glob: string): Promise<(path: string) => boolean> {
  const isNegative = glob.startsWith("!");
  const matches = await globMatcher(isNegative ? glob.slice(1) : glob);
  return (path) => matches(path) !== isNegative;
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
