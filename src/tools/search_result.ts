import type { AgentToolResult, AgentToolUpdate } from "../agent/agent_tool.ts";
import { joinPath, relativePath } from "../operations/lexical_path.ts";
import {
  DEFAULT_MAX_BYTES,
  formatSize,
  truncateHead,
  type TruncationResult,
} from "../sdk/truncate.ts";

/** The least time between two reports of progress. */
const PROGRESS_MS = 200;

/** The part of the details that all search tools share. */
export type SearchTruncation = {
  /** Present when the result was cut by its size. */
  truncation?: Omit<TruncationResult, "content">;
};

/** A result text of lines, cut by size, and below it what was left out. */
export function searchResult<Details extends SearchTruncation>(
  lines: string[],
  { empty, limitNotice, narrower, notices = [], details }: {
    /** The text when there are no lines. */
    empty: string;
    /** Says that there are more results than the limit. */
    limitNotice?: string | undefined;
    /** Advice on a result that is cut by its size. */
    narrower: string;
    /** More notices for the model. */
    notices?: string[];
    details: Details;
  },
): AgentToolResult<Details | undefined> {
  const { content, ...truncation } = truncateHead(lines.join("\n"), {
    maxLines: Number.MAX_SAFE_INTEGER,
  });
  // A higher limit would not show more of a result that is too big already.
  const cutNotice = truncation.truncated
    ? `${formatSize(DEFAULT_MAX_BYTES)} limit reached; ${narrower}`
    : limitNotice;
  const all = [...(cutNotice === undefined ? [] : [cutNotice]), ...notices];
  const text = lines.length === 0 ? empty : content;
  const cut = truncation.truncated ? { ...details, truncation } : details;
  return {
    content: [{
      type: "text",
      text: all.length > 0 ? `${text}\n\n[${all.join(". ")}]` : text,
    }],
    details: Object.keys(cut).length > 0 ? cut : undefined,
  };
}

/** The number of results to give: a whole one, at least 1. */
export function resultLimit(
  limit: number | undefined,
  standard: number,
): number {
  return limit === undefined || Number.isNaN(limit)
    ? standard
    : Math.max(1, Math.floor(limit));
}

/** Says that a limit was reached, and what would show more. */
export function limitNotice(limit: number, what: string): string {
  return `${limit} ${what} limit reached. Use limit=${limit * 2} for more`;
}

/** Reports progress now and then, whoever calls it how often. */
export function progressReporter<Details>(
  onUpdate: AgentToolUpdate<Details | undefined> | undefined,
): (text: () => string) => void {
  let lastMs = performance.now();
  return (text) => {
    if (!onUpdate || performance.now() - lastMs < PROGRESS_MS) return;
    lastMs = performance.now();
    onUpdate({ content: [{ type: "text", text: text() }] });
  };
}

/**
 * A path as search results name it: from the working folder on when it lies
 * there, so that it can be given to other tools as it is, and quoted when it
 * holds control characters, so that it cannot look like several. `./` keeps a
 * name that begins like a mention, a home folder or a URL from being taken for one.
 */
export function shownPath(
  path: string,
  { root, cwd }: { root: string; cwd: string },
): string {
  const absolute = path === "" ? root : joinPath(root, path);
  const relative = relativePath(cwd, absolute);
  const shown = /^(?:@|~(?:\/|$)|file:\/\/)/.test(relative)
    ? `./${relative}`
    : relative;
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  return /[\x00-\x1f\x7f]/.test(shown) ? JSON.stringify(shown) : shown;
}
