import { ToolError } from "../agent/tool_error.ts";
import { truncateLine } from "../sdk/truncate.ts";
import {
  countNewlines,
  type DerivedText,
  linesWithEnds,
  loosened,
  type ReplacedRange,
  type TextRange,
  withLf,
} from "./derived_text.ts";

const MAX_OCCURRENCES = 1000;
const SHOWN_LINES = 10;
const MAX_SEARCHED_LINES = 10_000;
const MAX_COMPARED = 200;
const SHOWN_NEAREST = 3;
const MIN_LIKENESS = 0.5;

/** One replacement, as the model asks for it. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** A replacement in a text; ranges of one file do not overlap. */
export interface Replacement extends ReplacedRange {
  /** Found only after white space, quotes and dashes were evened out. */
  loose: boolean;
}

/**
 * Finds where edits apply in a text, all in the text as it is, in its order.
 * Line ends do not matter for finding. Lines at both ends of an edit that stay as
 * they are keep their own, and the new lines get those of the line that they
 * start in. Throws a `ToolError`, worded for the model, unless every
 * edit applies to exactly one place.
 */
export function matchEdits(
  source: string,
  edits: readonly Edit[],
  options: { path: string },
): Replacement[] {
  const words = wording(options.path, edits.length);
  if (edits.length === 0) {
    throw new ToolError(
      "Edit tool input is invalid. edits must contain at least one replacement.",
    );
  }
  const space = withLf(source);
  const ownNewline = source.includes("\n") ? "\r\n" : /\r\n?/g;
  let loose: DerivedText | undefined;
  const matches = edits.map((edit, index) => {
    checkEdit(edit, words.name(index), options.path);
    const wanted = edit.oldText.replaceAll(ownNewline, "\n");
    let found = occurrences(space, wanted);
    const isLoose = found.length === 0;
    if (isLoose) {
      loose ??= loosened(space);
      found = looseOccurrences(loose, wanted);
    }
    const [range] = found;
    if (!range) {
      throw new ToolError(
        words.notFound(index) + nearestLines(space.text, wanted),
      );
    }
    if (found.length > 1) {
      throw new ToolError(
        words.notUnique(index, found.length) + placesOf(found, source),
      );
    }
    const text = withNewlines(edit.newText, source, range);
    return { ...range, text, loose: isLoose, index };
  });
  matches.sort((a, b) => a.start - b.start);
  for (let i = 1; i < matches.length; i++) {
    const [before, after] = [matches[i - 1], matches[i]];
    if (before && after && after.start < before.end) {
      const [first, second] = [before.index, after.index].sort((a, b) => a - b);
      throw new ToolError(
        `edits[${first}] and edits[${second}] overlap in ${options.path}. Merge them into one edit or target disjoint regions.`,
      );
    }
  }
  return matches.map(({ index: _, ...replacement }) => replacement);
}

function checkEdit(edit: Edit, name: string, path: string): void {
  const prefix = name === "" ? "" : `${name}.`;
  if (edit.oldText === "") {
    throw new ToolError(`${prefix}oldText must not be empty in ${path}.`);
  }
  // A lone surrogate has no bytes in UTF-8, and would cut a character in two.
  for (const key of ["oldText", "newText"] as const) {
    if (!edit[key].isWellFormed()) {
      throw new ToolError(
        `${prefix}${key} holds half a surrogate pair, which is not text.`,
      );
    }
  }
}

/** Every place of a text, those that overlap included, as ranges of the source. */
function occurrences(space: DerivedText, wanted: string): TextRange[] {
  const found: TextRange[] = [];
  for (
    let at = space.text.indexOf(wanted);
    at !== -1 && found.length < MAX_OCCURRENCES;
    at = space.text.indexOf(wanted, at + 1)
  ) {
    const range = space.toSource({ start: at, end: at + wanted.length });
    if (range) found.push(range);
  }
  return found;
}

/** Spaces at the end of the wanted text may be the middle of a line, or what was trimmed. */
function looseOccurrences(space: DerivedText, wanted: string): TextRange[] {
  const source = withLf(wanted);
  for (const keepLastSpaces of [true, false]) {
    const { text } = loosened(source, { keepLastSpaces });
    const found = text === "" ? [] : occurrences(space, text);
    if (found.length > 0) return found;
  }
  return [];
}

/** The line end of the line that holds a place, else of the one before; undefined in a text of one line. */
function newlineAt(
  source: string,
  place: number,
): "\n" | "\r\n" | "\r" | undefined {
  const next = source.indexOf("\n", place);
  const newline = next !== -1 ? next : source.lastIndexOf("\n", place);
  if (newline !== -1) return source[newline - 1] === "\r" ? "\r\n" : "\n";
  return source.includes("\r") ? "\r" : undefined;
}

/** The new text of a range with the line ends of the file. */
function withNewlines(text: string, source: string, range: TextRange): string {
  if (!source.includes("\r\n")) {
    const newline = newlineAt(source, range.start);
    return newline ? withNewline(text, newline) : text;
  }
  const before = linesWithEnds(source.slice(range.start, range.end));
  const lines = linesWithEnds(text.replaceAll("\r\n", "\n"));
  const most = Math.min(before.length, lines.length);
  const isKept = (old: string | undefined, line: string | undefined) =>
    old?.replace(/\r\n$/, "\n") === line;
  let first = 0;
  while (first < most && isKept(before[first], lines[first])) first++;
  let last = 0;
  while (
    last < most - first && isKept(before.at(-1 - last), lines.at(-1 - last))
  ) last++;
  const head = before.slice(0, first).join("");
  const changed = lines.slice(first, lines.length - last).join("");
  const newline = newlineAt(source, range.start + head.length) ?? "\n";
  const tail = before.slice(before.length - last).join("");
  return head + withNewline(changed, newline) + tail;
}

function withNewline(text: string, newline: string): string {
  const lines = text.replaceAll("\r\n", "\n");
  return newline === "\n" ? lines : lines.replaceAll("\n", newline);
}

function placesOf(found: TextRange[], source: string): string {
  const lines = [
    ...new Set(
      found.slice(0, SHOWN_LINES).map(({ start }) =>
        1 + countNewlines(source, { start: 0, end: start })
      ),
    ),
  ];
  const more = found.length > SHOWN_LINES ? ", …" : "";
  return ` They start on ${lines.length > 1 || more ? "lines" : "line"} ${
    lines.join(", ")
  }${more}.`;
}

/** The error texts, which differ for a single edit. */
function wording(path: string, count: number): {
  name(index: number): string;
  notFound(index: number): string;
  notUnique(index: number, found: number): string;
} {
  const single = count === 1;
  const name = (index: number) => single ? "" : `edits[${index}]`;
  return {
    name,
    notFound: (index) => {
      const [text, old] = single
        ? ["the exact text", "old text"]
        : [name(index), "oldText"];
      return `Could not find ${text} in ${path}. The ${old} must match exactly including all whitespace and newlines.`;
    },
    notUnique: (index, found) => {
      const times = found >= MAX_OCCURRENCES ? `${found} or more` : found;
      const [text, old] = single
        ? ["the text", "The text"]
        : [name(index), "Each oldText"];
      return `Found ${times} occurrences of ${text} in ${path}. ${old} must be unique. Please provide more context to make it unique.`;
    },
  };
}

/**
 * A hint for a text that was not found: the lines that are most like its
 * first one. Empty when none is. Looks at a bounded part of the text.
 */
function nearestLines(text: string, wanted: string): string {
  const line = /\S.*/.exec(wanted)?.[0].trim();
  if (!line) return "";
  const wantedPairs = pairsOf(line.slice(0, MAX_COMPARED));
  const lines = text.split("\n", MAX_SEARCHED_LINES + SHOWN_NEAREST);
  let best = { index: -1, likeness: 0 };
  for (const [index, candidate] of lines.entries()) {
    if (index === MAX_SEARCHED_LINES || best.likeness === 1) break;
    const start = candidate.slice(0, 2 * MAX_COMPARED).trim();
    const likeness = likenessOf(wantedPairs, start.slice(0, MAX_COMPARED));
    if (likeness >= MIN_LIKENESS && likeness > best.likeness) {
      best = { index, likeness };
    }
  }
  if (best.index === -1) return "";
  const shown = lines.slice(best.index, best.index + SHOWN_NEAREST)
    .join("\n").slice(0, 2000).split("\n")
    .map((line) => truncateLine(line, MAX_COMPARED).text);
  return `\nThe nearest text starts on line ${best.index + 1}:\n${
    shown.join("\n")
  }`;
}

/** Share of neighbouring letters that two lines have in common, from 0 to 1. */
function likenessOf(wanted: Map<string, number>, line: string): number {
  const pairs = pairsOf(line);
  let shared = 0;
  let total = 0;
  for (const [pair, count] of pairs) {
    shared += Math.min(count, wanted.get(pair) ?? 0);
    total += count;
  }
  for (const count of wanted.values()) total += count;
  return total === 0 ? 0 : 2 * shared / total;
}

function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const text = line.replace(/\s+/g, " ");
  // A line of one letter is a pair too.
  for (let i = 0; i < Math.max(1, text.length - 1); i++) {
    const pair = text.slice(i, i + 2);
    if (pair !== "") pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
