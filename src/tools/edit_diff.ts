import {
  FILE_HEADERS_ONLY,
  formatPatch,
  structuredPatch,
  type StructuredPatchHunk,
} from "diff";
import { truncateHead } from "../sdk/truncate.ts";
import {
  applyReplacements,
  countNewlines,
  linesWithEnds,
  type ReplacedRange,
  type TextRange,
} from "./derived_text.ts";

const CONTEXT_LINES = 4;
const MAX_LINE_LENGTH = 500;
const MAX_DIFF_LINES = 400;
const MAX_DIFF_BYTES = 32 * 1024;
const MAX_PATCH_LENGTH = 32 * 1024;
/** Past this many differing lines a window is shown as removed and added as a whole. */
const MAX_EDIT_LENGTH = 500;
const BEFORE_CHANGE = 100;

/** Changes of an edit, for people; plain JSON of bounded size. */
export type EditDiff = {
  /** Lines ` 12 text`, `+12 text`, `-12 text`; skipped runs as `...`; long lines and long diffs cut. */
  diff: string;
  /** As a unified diff that can be applied; absent when it would be too long. */
  patch?: string;
  /** In the new file, counted from 1. */
  firstChangedLine?: number;
};

/** A run of whole lines around replacements that are near each other. */
interface Window extends TextRange {
  replacements: ReplacedRange[];
}

/**
 * Compares a text with what replacements make of it. Looks only at the lines
 * around each, so that the cost follows the change and not the file.
 */
export function diffReplacements(
  source: string,
  replacements: readonly ReplacedRange[],
  { path }: { path: string },
): EditDiff {
  const hunks: StructuredPatchHunk[] = [];
  let cut = false;
  let place = 0;
  let oldLine = 1;
  let added = 0;
  for (const window of windowsOf(source, replacements)) {
    oldLine += countNewlines(source, { start: place, end: window.start });
    place = window.start;
    const { before, after, wasCut } = textsOf(source, window);
    cut ||= wasCut;
    for (const hunk of compare(before, after)) {
      hunks.push({
        ...hunk,
        oldStart: hunk.oldStart + oldLine - 1,
        newStart: hunk.newStart + oldLine - 1 + added,
      });
    }
    added += countNewlines(after) - countNewlines(before);
  }
  oldLine += countNewlines(source, { start: place, end: source.length });
  // What follows a final newline is no line.
  const oldLines = source.endsWith("\n") ? oldLine - 1 : oldLine;
  const first = hunks[0];
  const result: EditDiff = {
    diff: formatLines(hunks, { oldLines, newLines: oldLines + added }),
  };
  if (!first) return result;
  const context = first.lines.findIndex((line) => line[0] !== " ");
  result.firstChangedLine = first.newStart + Math.max(context, 0);
  // A patch with cut lines would apply to nothing.
  if (cut) return result;
  const names = { oldFileName: path, newFileName: path };
  const patch = formatPatch(
    { ...names, oldHeader: "", newHeader: "", hunks },
    FILE_HEADERS_ONLY,
  );
  return patch.length > MAX_PATCH_LENGTH ? result : { ...result, patch };
}

function windowsOf(
  source: string,
  replacements: readonly ReplacedRange[],
): Window[] {
  const windows: Window[] = [];
  for (const replacement of replacements) {
    const start = linesBefore(source, replacement.start);
    const end = linesAfter(source, replacement.end);
    const last = windows.at(-1);
    if (last && start <= last.end) {
      last.end = Math.max(last.end, end);
      last.replacements.push(replacement);
    } else {
      windows.push({ start, end, replacements: [replacement] });
    }
  }
  return windows;
}

/** The start of the line some lines above the one that holds a place. */
function linesBefore(source: string, place: number): number {
  let at = place;
  for (let line = 0; line <= CONTEXT_LINES; line++) {
    if (at === 0) return 0;
    at = source.lastIndexOf("\n", at - 1);
    if (at === -1) return 0;
  }
  return at + 1;
}

/** The end of the line some lines below the one that holds a place. */
function linesAfter(source: string, place: number): number {
  let at = place;
  for (let line = 0; line <= CONTEXT_LINES; line++) {
    const newline = source.indexOf("\n", at);
    if (newline === -1) return source.length;
    at = newline + 1;
  }
  return at;
}

/** A window before and after the replacements, long lines cut around the first change. */
function textsOf(
  source: string,
  window: Window,
): { before: string; after: string; wasCut: boolean } {
  const before = source.slice(window.start, window.end);
  const after = applyReplacements(
    before,
    window.replacements.map(({ start, end, text }) => ({
      start: start - window.start,
      end: end - window.start,
      text,
    })),
  );
  const place = commonLength(before, after);
  const shown = {
    before: cutLines(before, place),
    after: cutLines(after, place),
  };
  const wasCut = shown.before !== before || shown.after !== after;
  return { ...shown, wasCut };
}

/** Length of what two texts begin with alike. */
function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) {
    length++;
  }
  return length;
}

/** Cuts long lines: the one that holds `place` around it, the others at their end. */
function cutLines(text: string, place: number): string {
  let start = 0;
  return text.split("\n").map((line) => {
    const column = place - start;
    start += line.length + 1;
    if (line.length <= MAX_LINE_LENGTH) return line;
    const from = column >= 0 && column <= line.length
      ? Math.max(0, column - BEFORE_CHANGE)
      : 0;
    const to = Math.min(line.length, from + MAX_LINE_LENGTH);
    const head = from > 0 ? `[${from} characters] …` : "";
    const tail = to < line.length ? `… [${line.length - to} characters]` : "";
    // The cut may have gone through a pair of surrogates.
    return head + line.slice(from, to).toWellFormed() + tail;
  }).join("\n");
}

function compare(before: string, after: string): StructuredPatchHunk[] {
  const patch = structuredPatch("", "", before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch) return patch.hunks;
  const removed = linesWithEnds(before);
  const added = linesWithEnds(after);
  return [{
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...marked("-", removed), ...marked("+", added)],
  }];
}

function marked(sign: string, lines: string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n")
      ? sign + line.slice(0, -1)
      : [sign + line, "\\ No newline at end of file"]
  );
}

function formatLines(
  hunks: StructuredPatchHunk[],
  { oldLines, newLines }: { oldLines: number; newLines: number },
): string {
  const width = String(Math.max(oldLines, newLines)).length;
  const skipped = ` ${" ".repeat(width)} ...`;
  const shown: string[] = [];
  let nextOld = 1;
  for (const hunk of hunks) {
    if (hunk.oldStart > nextOld) shown.push(skipped);
    nextOld = hunk.oldStart;
    let nextNew = hunk.newStart;
    for (const line of hunk.lines) {
      const sign = line[0] ?? " ";
      if (sign === "\\") continue;
      const number = sign === "+" ? nextNew : nextOld;
      shown.push(
        `${sign}${String(number).padStart(width)} ${
          line.slice(1).replace(/\r$/, "")
        }`,
      );
      if (sign !== "+") nextOld++;
      if (sign !== "-") nextNew++;
    }
  }
  if (nextOld <= oldLines) shown.push(skipped);
  const { content, outputLines, truncated } = truncateHead(shown.join("\n"), {
    maxLines: MAX_DIFF_LINES,
    maxBytes: MAX_DIFF_BYTES,
  });
  return truncated
    ? `${content}\n${skipped} (${shown.length - outputLines} more lines)`
    : content;
}
