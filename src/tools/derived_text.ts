/** A part of a text, end excluded. */
export interface TextRange {
  start: number;
  end: number;
}

/** A part of a text and what stands in its place. */
export interface ReplacedRange extends TextRange {
  text: string;
}

/** The text with the replacements made; they are in order. */
export function applyReplacements(
  source: string,
  replacements: readonly ReplacedRange[],
): string {
  const parts: string[] = [];
  let place = 0;
  for (const { start, end, text } of replacements) {
    parts.push(source.slice(place, start), text);
    place = end;
  }
  parts.push(source.slice(place));
  return parts.join("");
}

/** Lines of a text, each with its LF. */
export function linesWithEnds(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Counts the LFs of a part of a text. */
export function countNewlines(
  text: string,
  { start, end }: TextRange = { start: 0, end: text.length },
): number {
  let count = 0;
  for (
    let at = text.indexOf("\n", start);
    at !== -1 && at < end;
    at = text.indexOf("\n", at + 1)
  ) count++;
  return count;
}

/**
 * A text that was made from another one by replacements, with the way back: a
 * range of it leads to the range of the source that it came from.
 */
export class DerivedText {
  readonly text: string;
  readonly #source: DerivedText | undefined;
  /** Replaced parts in this text, in order; the source is `shift` units ahead behind each. */
  readonly #changes: (TextRange & { shift: number })[] = [];

  constructor(
    source: DerivedText | string,
    replacements: readonly ReplacedRange[],
  ) {
    const isText = typeof source === "string";
    this.#source = isText ? undefined : source;
    this.text = applyReplacements(isText ? source : source.text, replacements);
    let shift = 0;
    for (const { start, end, text } of replacements) {
      const at = start - shift;
      shift += end - start - text.length;
      this.#changes.push({ start: at, end: at + text.length, shift });
    }
  }

  /** The range of the source; undefined when an end falls inside a replaced part. */
  toSource(range: TextRange): TextRange | undefined {
    // What was taken out right at an end of the range is not in it.
    const start = this.#placeBehind(
      ({ end }) => end <= range.start,
      range.start,
    );
    const end = this.#placeBehind(
      (change) => change.start < range.end && change.end <= range.end,
      range.end,
    );
    if (start === undefined || end === undefined) return undefined;
    const own = { start, end };
    return this.#source ? this.#source.toSource(own) : own;
  }

  /** The place in the source, where it lies behind the changes that `isBefore` tells and in none. */
  #placeBehind(
    isBefore: (change: TextRange) => boolean,
    place: number,
  ): number | undefined {
    let low = 0;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const change = this.#changes[middle];
      if (change && isBefore(change)) low = middle + 1;
      else high = middle;
    }
    const next = this.#changes[low];
    if (next && next.start < place) return undefined;
    return place + (this.#changes[low - 1]?.shift ?? 0);
  }
}

/**
 * A text with every line end as LF. A lone CR ends a line only where the text
 * has no LF at all.
 */
export function withLf(source: string): DerivedText {
  if (!source.includes("\n")) {
    return new DerivedText(source.replaceAll("\r", "\n"), []);
  }
  const replacements: ReplacedRange[] = [];
  for (
    let start = source.indexOf("\r\n");
    start !== -1;
    start = source.indexOf("\r\n", start + 2)
  ) {
    replacements.push({ start, end: start + 2, text: "\n" });
  }
  return new DerivedText(source, replacements);
}

/**
 * A text as one who retypes it would write it: compatibility forms, typographic
 * quotes, dashes and spaces replaced, white space at the end of lines gone.
 * `keepLastSpaces` leaves those at the end of the text, where a line may go on.
 */
export function loosened(
  source: DerivedText,
  options: { keepLastSpaces?: boolean } = {},
): DerivedText {
  const { text } = source;
  const replacements: ReplacedRange[] = [];
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const kept = newline === -1 && options.keepLastSpaces
      ? line
      : line.trimEnd();
    if (!isPlain(kept)) addLooseParts(replacements, kept, start);
    const keptEnd = start + kept.length;
    if (keptEnd < end) replacements.push({ start: keptEnd, end, text: "" });
    start = end + 1;
  }
  return new DerivedText(source, replacements);
}

// A character with its marks; Hangul letters together, since they compose.
const CLUSTERS =
  /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]+|\P{M}\p{M}*|\p{M}+/gu;

function addLooseParts(
  replacements: ReplacedRange[],
  line: string,
  lineStart: number,
): void {
  for (const { 0: cluster, index } of line.matchAll(CLUSTERS)) {
    const text = loosen(cluster);
    const start = lineStart + index;
    const end = start + cluster.length;
    if (text !== cluster) replacements.push({ start, end, text });
  }
}

function loosen(text: string): string {
  return text.normalize("NFKC")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

function isPlain(line: string): boolean {
  // deno-lint-ignore no-control-regex -- all of ASCII
  return /^[\u0000-\u007f]*$/.test(line) || loosen(line) === line;
}
