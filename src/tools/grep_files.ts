import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { GrepOperations } from "../operations/search_operations.ts";
import { DEFAULT_LIMITS, type FileToolParameters } from "./builtin.ts";
import { fileCall } from "./explain_file_error.ts";
import { globMatcher } from "./glob_matcher.ts";
import { GrepSearch } from "./grep_search.ts";
import { LineMatcher } from "./line_matcher.ts";
import { Pacer } from "./pacer.ts";
import {
  limitNotice,
  progressReporter,
  resultLimit,
  searchResult,
  type SearchTruncation,
} from "./search_result.ts";
import type { TextSearch } from "./search_text.ts";
import type { CallOptions, PathToolOptions } from "./tool_options.ts";

/** Details of a result, for renderers and hosts: what was left out. */
export type GrepDetails = SearchTruncation & {
  matchLimitReached?: number;
  linesTruncated?: boolean;
};

type GrepParameters = FileToolParameters<"grep">;

/** Lines around a match that may be asked for. */
const MAX_CONTEXT = 1000;

/** Searches the lines of files for the grep tool. */
export async function grepFiles(
  params: GrepParameters,
  { operations, cwd, homeDir, signal, onUpdate }: CallOptions<
    PathToolOptions<GrepOperations>,
    GrepDetails | undefined
  >,
): Promise<AgentToolResult<GrepDetails | undefined>> {
  const { path = ".", glob } = params;
  const limit = resultLimit(params.limit, DEFAULT_LIMITS.grep);
  const text = textSearchOf(params, new Pacer(signal));
  const matchesGlob = glob === undefined ? undefined : await fileFilter(glob);
  const report = progressReporter(onUpdate);
  const call = { action: "read" as const, path, cwd, homeDir, operations };
  const search = await fileCall(call, async (root) => {
    const place = { operations, root, cwd, limit, matchesGlob, report };
    const search = new GrepSearch(text, place);
    await search.run();
    return search;
  });
  const { lines, limitReached } = search;
  return searchResult<GrepDetails>(lines, {
    empty: "No matches found",
    narrower: "refine pattern, or search a path below",
    limitNotice: limitReached
      ? `${limitNotice(limit, "matches")}, or refine pattern`
      : undefined,
    notices: [
      ...(lines.length === 0 && wantsLineEnd(params)
        ? ["Lines are searched one by one, so that no match holds a line end"]
        : []),
      ...search.notices(),
    ],
    details: {
      ...(limitReached ? { matchLimitReached: limit } : {}),
      ...(text.linesCut ? { linesTruncated: true } : {}),
    },
  });
}

function textSearchOf(
  params: GrepParameters,
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
  { pattern, literal }: GrepParameters,
): boolean {
  return pattern.includes("\n") || !literal && pattern.includes("\\n");
}

async function fileFilter(glob: string): Promise<(path: string) => boolean> {
  const isNegative = glob.startsWith("!");
  const matches = await globMatcher(isNegative ? glob.slice(1) : glob);
  return (path) => matches(path) !== isNegative;
}
