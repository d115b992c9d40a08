import type { AgentToolResult } from "../agent/agent_tool.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { joinPath } from "../operations/lexical_path.ts";
import type { GrepOperations } from "../operations/search_operations.ts";
import { formatSize } from "../sdk/truncate.ts";
import { DEFAULT_LIMITS, type FileToolParameters } from "./builtin.ts";
import { byteOrderMark } from "./decode_text.ts";
import { fileCall } from "./explain_file_error.ts";
import { globMatcher } from "./glob_matcher.ts";
import { LineMatcher } from "./line_matcher.ts";
import { Pacer } from "./pacer.ts";
import {
  limitNotice,
  progressReporter,
  resultLimit,
  searchResult,
  type SearchTruncation,
  shownPath,
} from "./search_result.ts";
import {
  anyLineMatches,
  MAX_FOUND_BYTES,
  MAX_LINE_LENGTH,
  searchText,
  type TextMatches,
  type TextSearch,
} from "./search_text.ts";
import type { CallOptions, PathToolOptions } from "./tool_options.ts";
import { Omissions, walk } from "./walk.ts";

/** Details of a result, for renderers and hosts: what was left out. */
export type GrepDetails = SearchTruncation & {
  matchLimitReached?: number;
  linesTruncated?: boolean;
};

type GrepParameters = FileToolParameters<"grep">;

/** Lines around a match that may be asked for. */
const MAX_CONTEXT = 1000;

/** Bigger files are left out, and named. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Bytes at the start of a file in which a NUL makes it binary. */
const SNIFFED_BYTES = 8192;

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
  const call = { action: "read" as const, path, cwd, homeDir, operations };
  const search = await fileCall(call, async (root) => {
    const report = progressReporter(onUpdate);
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
    details: withoutUndefined({
      matchLimitReached: limitReached ? limit : undefined,
      linesTruncated: text.linesCut || undefined,
    }),
  });
}

function textSearchOf(params: GrepParameters, pacer: Pacer): TextSearch {
  const { pattern, literal, ignoreCase, context = 0 } = params;
  return {
    matcher: new LineMatcher(pattern, { literal, ignoreCase }),
    pacer,
    context: Math.min(MAX_CONTEXT, Math.max(0, Math.floor(context) || 0)),
    linesCut: false,
    linesSkipped: 0,
  };
}

function wantsLineEnd({ pattern, literal }: GrepParameters): boolean {
  return pattern.includes("\n") || !literal && pattern.includes("\\n");
}

async function fileFilter(glob: string): Promise<(path: string) => boolean> {
  const isNegative = glob.startsWith("!");
  const matches = await globMatcher(isNegative ? glob.slice(1) : glob);
  return (path) => matches(path) !== isNegative;
}

/** The place where grep searches. */
interface GrepPlace {
  operations: GrepOperations;
  /** A folder or a file, absolute. */
  root: string;
  /** The place where shown paths begin. */
  cwd: string;
  limit: number;
  /** Filter of paths as seen from the root. */
  matchesGlob: ((path: string) => boolean) | undefined;
  report: (text: () => string) => void;
}

/**
 * One call of grep: goes through files until enough was found. While others may
 * follow, a file gets at most half of the matches that are left, so that one
 * with many does not hide the rest; what remains at the end goes to the first.
 */
class GrepSearch {
  readonly #text: TextSearch;
  readonly #place: GrepPlace;
  #found: (TextMatches & { path: string })[] = [];
  #matches = 0;
  #bytes = 0;
  #omissions = new Omissions();
  #tooBig: string[] = [];
  /** Not all files were looked at. */
  #endedEarly = false;

  constructor(text: TextSearch, place: GrepPlace) {
    this.#text = text;
    this.#place = place;
  }

  /** All that is to be shown. */
  get lines(): string[] {
    return this.#found.flatMap(({ lines }) => lines);
  }

  /** There is a match more than the limit. */
  get limitReached(): boolean {
    return this.#found.some(({ hasMore }) => hasMore);
  }

  /** Searches the root. */
  async run(): Promise<void> {
    const { operations, root, limit } = this.#place;
    if (await operations.kindAt(root) !== "directory") {
      await this.#searchFile("", limit);
      return;
    }
    await this.#searchFolder();
    if (this.#endedEarly) return;
    for (const file of this.#found.filter(({ hasMore }) => hasMore)) {
      const room = limit - this.#matches;
      if (room > 0) await this.#tryFile(file.path, file.matches + room);
    }
  }

  /** Sentences on files and lines that were not searched, or not shown. */
  notices(): string[] {
    const { linesCut, linesSkipped, matcher } = this.#text;
    const [firstTooBig] = this.#tooBig;
    const notices: string[] = [];
    if (linesCut) {
      notices.push(
        `Some lines truncated to ${MAX_LINE_LENGTH} chars. Use read tool to see full lines`,
      );
    }
    if (firstTooBig !== undefined) {
      const others = this.#tooBig.length - 1;
      const more = others > 0 ? ` and ${others} more` : "";
      const size = formatSize(MAX_FILE_BYTES);
      notices.push(
        `${firstTooBig}${more} not searched, over ${size}; use bash: grep`,
      );
    }
    if (linesSkipped > 0) {
      notices.push(
        `${linesSkipped} lines over ${matcher.maxLineLength} chars not searched, too long for this pattern; use bash: grep -P`,
      );
    }
    // What a search that ended early leaves out is not known.
    return this.#endedEarly
      ? notices
      : [...notices, ...this.#omissions.sentences()];
  }

  async #searchFolder(): Promise<void> {
    const { operations, root, limit, matchesGlob, report } = this.#place;
    const { pacer } = this.#text;
    const omissions = this.#omissions;
    let files = 0;
    for await (const batch of walk(root, { operations, pacer, omissions })) {
      for (const { path, kind } of batch) {
        if (kind !== "file" || matchesGlob?.(path) === false) continue;
        const room = limit - this.#matches;
        await this.#tryFile(path, Math.ceil(room / 2));
        files++;
        this.#endedEarly = room === 0 && this.limitReached ||
          this.#bytes > MAX_FOUND_BYTES;
        if (this.#endedEarly) return;
        const pause = pacer.pause();
        if (pause) await pause;
      }
      report(() => `Searched ${files} files, ${this.#matches} matches`);
    }
  }

  async #tryFile(path: string, limit: number): Promise<void> {
    try {
      await this.#searchFile(path, limit);
    } catch (error) {
      await this.#omissions.noteUnreadable(path, error);
    }
  }

  /** Finds up to `limit` matches in a file, given as seen from the root (empty for the root itself), in place of those known. */
  async #searchFile(path: string, limit: number): Promise<void> {
    const { operations, root, cwd } = this.#place;
    const absolute = joinPath(root, path);
    const bytes = await operations.readFile(absolute, MAX_FILE_BYTES);
    const shown = shownPath(path, { root, cwd });
    if (bytes === undefined) {
      this.#tooBig.push(shown);
      return;
    }
    const found = await this.#searchBytes(bytes, { path: shown, limit });
    if (found.matches === 0 && !found.hasMore) return;
    const known = this.#found.findIndex((file) => file.path === path);
    const at = known === -1 ? this.#found.length : known;
    this.#matches += found.matches - (this.#found[at]?.matches ?? 0);
    this.#bytes += found.bytes - (this.#found[at]?.bytes ?? 0);
    this.#found[at] = { path, ...found };
  }

  async #searchBytes(
    bytes: Uint8Array,
    options: { path: string; limit: number },
  ): Promise<TextMatches> {
    const encoding = byteOrderMark(bytes) ?? "utf-8";
    // To read, decode and look through a big file takes a while each.
    await this.#text.pacer.pause();
    const text = new TextDecoder(encoding).decode(bytes);
    await this.#text.pacer.pause();
    const isBinary = encoding === "utf-8" &&
      bytes.subarray(0, SNIFFED_BYTES).includes(0);
    if (!isBinary) return await searchText(text, this.#text, options);
    const matches = await anyLineMatches(text, this.#text);
    const line = `Binary file ${options.path} matches`;
    return matches && options.limit > 0
      ? { lines: [line], bytes: line.length, matches: 1, hasMore: false }
      : { lines: [], bytes: 0, matches: 0, hasMore: matches };
  }
}
