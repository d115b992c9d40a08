import type { AgentToolResult } from "../agent/agent_tool.ts";
import { globMatcher } from "./glob_matcher.ts";
import {
  DEFAULT_LIMIT,
  type GrepDetails,
  type GrepParameters,
  type GrepToolOptions,
} from "./grep.ts";
import { GrepSearch } from "./grep_search.ts";
import { LineMatcher } from "./line_matcher.ts";
import type { CallOptions } from "./load_calls.ts";
import { Pacer } from "./pacer.ts";
import { resolvePath } from "./resolve_path.ts";
import {
  explainSearchError,
  limitNotice,
  progressReporter,
  resultLimit,
  searchResult,
} from "./search_result.ts";
import type { TextSearch } from "./search_text.ts";

/** Lines around a match that may be asked for. */
const MAX_CONTEXT = 1000;

/** Searches the lines of files for the grep tool. */
export async function grepFiles(
  params: GrepParameters,
  { operations, cwd, homeDir, signal, onUpdate }: CallOptions<
    GrepToolOptions,
    GrepDetails | undefined
  >,
): Promise<AgentToolResult<GrepDetails | undefined>> {
  const { path = ".", glob } = params;
  const root = resolvePath(path, { cwd, homeDir });
  const limit = resultLimit(params.limit, DEFAULT_LIMIT);
  const text = textSearchOf(params, new Pacer(signal));
  const search = new GrepSearch(text, {
    operations,
    root,
    cwd,
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
