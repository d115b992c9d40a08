import * as Type from "@sinclair/typebox";
import {
  createLocalSearchOperations,
  type FindOperations,
  joinPath,
} from "../operations/mod.ts";
import {
  type AgentTool,
  type Theme,
  type ToolDefinition,
  ToolError,
} from "../sdk/mod.ts";
import { globMatcher } from "./glob_matcher.ts";
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
import { shownPath } from "./shown_path.ts";
import {
  describeOmissions,
  walk,
  type WalkEntry,
  type WalkOmissions,
} from "./walk.ts";
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

const DEFAULT_LIMIT = 1000;

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
    async execute(_id, { pattern, path = ".", limit }, signal, onUpdate, ctx) {
      const pacer = new Pacer(signal);
      const folder = ctx.cwd || cwd;
      const root = resolvePath(path, { cwd: folder, homeDir: options.homeDir });
      const matches = await entryMatcher(pattern, root);
      const most = resultLimit(limit, DEFAULT_LIMIT);
      const report = progressReporter(onUpdate);
      const omissions: WalkOmissions = { ignored: 0, hidden: 0, unreadable: 0 };
      const lines: string[] = [];
      let seen = 0;
      let limited = false;
      try {
        if (await operations.kindAt(root) !== "directory") {
          throw new ToolError(`Not a directory: ${root}`);
        }
        search: for await (
          const batch of walk(root, { operations, pacer, omissions })
        ) {
          for (const entry of batch) {
            if (!matches(entry)) continue;
            limited = lines.length >= most;
            if (limited) break search;
            const shown = shownPath(entry.path, { root, cwd: folder });
            lines.push(entry.kind === "directory" ? `${shown}/` : shown);
          }
          seen += batch.length;
          report(() =>
            `Looked at ${seen} entries, ${lines.length} of them match`
          );
        }
      } catch (error) {
        throw await explainSearchError(error, {
          path,
          absolutePath: root,
          operations,
        });
      }
      return searchResult<FindDetails>(lines, {
        empty: "No files found matching pattern",
        narrower: "refine pattern, or search a path below",
        limitNotice: limited
          ? `${limitNotice(most, "results")}, or refine pattern`
          : undefined,
        // A search that ended early has not seen all that it leaves out.
        notices: limited ? [] : describeOmissions(omissions),
        details: limited ? { resultLimitReached: most } : {},
      });
    },
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

async function entryMatcher(
  pattern: string,
  root: string,
): Promise<(entry: WalkEntry) => boolean> {
  const onlyFolders = pattern.endsWith("/");
  const glob = pattern.replace(/\/+$/, "");
  const matches = await globMatcher(glob, {
    ignoreCase: glob === glob.toLowerCase(),
  });
  const absolute = glob.startsWith("/");
  // src/** asks for what is below, at any depth: the files.
  const onlyFiles = /(?:^|\/)\*\*$/.test(glob) && !onlyFolders;
  return ({ path, kind }) => {
    if (kind === "directory" ? onlyFiles : onlyFolders) return false;
    return matches(absolute ? joinPath(root, path) : path);
  };
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
