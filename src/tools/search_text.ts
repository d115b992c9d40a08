import { DEFAULT_MAX_BYTES, truncateLine } from "../sdk/truncate.ts";
import type { LineMatcher } from "./line_matcher.ts";
import type { Pacer } from "./pacer.ts";
import { readableOutput } from "./readable_output.ts";

/** Longer lines are cut around their match. */
export const MAX_LINE_LENGTH = 500;

/** More than this is never shown. */
export const MAX_FOUND_BYTES = 2 * DEFAULT_MAX_BYTES;

/** Characters of a cut line that are shown before its match. */
const BEFORE_MATCH = 200;

/** The matcher, and counters that grow with each text. */
export interface TextSearch {
  matcher: LineMatcher;
  pacer: Pacer;
  /** Lines shown before and after each match. */
  context: number;
  /** Some shown lines were cut. */
  linesCut: boolean;
  /** Lines that were left out, too long for the pattern. */
  linesSkipped: number;
}

/** Matches in one text. */
export interface TextMatches {
  /** To be shown: `path:line: text`, and `path-line- text` around it. */
  lines: string[];
  /** The size of `lines`, about. */
  bytes: number;
  matches: number;
  /** There is a match more than the limit. */
  hasMore: boolean;
}

/** The place where a line stands in its text. */
interface Line {
  number: number;
  start: number;
  end: number;
}

/**
 * Finds the first `limit` matching lines of a text, and those around them.
 * Stops when they are longer than any result.
 */
export async function searchText(
  text: string,
  search: TextSearch,
  { path, limit }: { path: string; limit: number },
): Promise<TextMatches> {
  const { matcher, context, pacer } = search;
  const found: TextMatches = {
    lines: [],
    bytes: 0,
    matches: 0,
    hasMore: false,
  };
  if (!matcher.mayMatch(text)) return found;
  const before: Line[] = [];
  let after = 0;
  for (const line of linesOf(text)) {
    const content = text.slice(line.start, line.end);
    const at = findInLine(content, search);
    const pause = pacer.pause();
    if (pause) await pause;

    if (at !== -1 && found.matches < limit) {
      for (const earlier of before.splice(0)) show(earlier, "-");
      found.matches++;
      show(line, ":", at);
      after = context;
    } else {
      // The last match still gets the lines behind it.
      found.hasMore ||= at !== -1;
      if (after === 0 && found.hasMore) break;
      if (after > 0) {
        show(line, "-");
        after--;
      } else if (context > 0) {
        before.push(line);
        if (before.length > context) before.shift();
      }
    }
    if (found.bytes > MAX_FOUND_BYTES) break;
  }
  return found;

  function show(line: Line, mark: ":" | "-", at = 0): void {
    const content = text.slice(line.start, line.end);
    const { text: shown, wasCut } = cutAround(content, at);
    search.linesCut ||= wasCut;
    const { text: clean } = readableOutput(shown);
    const whole = `${path}${mark}${line.number}${mark} ${clean}`;
    found.lines.push(whole);
    found.bytes += whole.length + 1;
  }
}

/** True when any line of a text matches. */
export async function anyLineMatches(
  text: string,
  search: TextSearch,
): Promise<boolean> {
  if (!search.matcher.mayMatch(text)) return false;
  for (const { start, end } of linesOf(text)) {
    const line = text.slice(start, end);
    if (findInLine(line, search) !== -1) return true;
    const pause = search.pacer.pause();
    if (pause) await pause;
  }
  return false;
}

function findInLine(line: string, search: TextSearch): number {
  const at = search.matcher.find(line);
  if (at === undefined) search.linesSkipped++;
  return at ?? -1;
}

/** Lines without their ends, which are LF or CRLF; a final one begins no other line. */
function* linesOf(text: string): Generator<Line> {
  let number = 1;
  for (let start = 0; start < text.length; number++) {
    const newline = text.indexOf("\n", start);
    const next = newline === -1 ? text.length : newline;
    const end = text[next - 1] === "\r" && next > start ? next - 1 : next;
    yield { number, start, end };
    start = next + 1;
  }
}

function cutAround(
  line: string,
  at: number,
): { text: string; wasCut: boolean } {
  if (line.length <= MAX_LINE_LENGTH) return { text: line, wasCut: false };
  const latest = line.length - MAX_LINE_LENGTH;
  const start = Math.min(Math.max(0, at - BEFORE_MATCH), latest);
  // The cut may have gone through a pair of surrogates.
  const shown = line.slice(start).replace(/^[\udc00-\udfff]/, "");
  const { text } = truncateLine(shown, MAX_LINE_LENGTH);
  return { text: start === 0 ? text : `[truncated] ...${text}`, wasCut: true };
}
