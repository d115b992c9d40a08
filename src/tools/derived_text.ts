/** A part of a text, end excluded. */
export interface TextRange {
  start: number;
  end: number;
}

/**
 * A text that was derived from another one, with the way back: a range of it
 * leads to the range of the source that it came from.
 */
export class DerivedText {
  readonly text: string;
  readonly #pieces: Pieces | undefined;
  readonly #source: DerivedText | undefined;

  /** Without pieces every place is the same in both; with `source` ranges are led back through it. */
  constructor(text: string, pieces?: Pieces, source?: DerivedText) {
    this.text = text;
    this.#pieces = pieces;
    this.#source = source;
  }

  /** The range of the source; undefined when an end falls inside a character that was changed. */
  toSource(range: TextRange): TextRange | undefined {
    const own = this.#pieces ? this.#pieces.toSource(range) : range;
    return own && this.#source ? this.#source.toSource(own) : own;
  }
}

/** Records from where in the source each part of a derived text came, in order. */
export class Pieces {
  readonly #derivedStarts: number[] = [];
  readonly #sourceStarts: number[] = [];
  readonly #sourceEnds: number[] = [];
  readonly #whole: boolean[] = [];
  #derivedLength = 0;

  /** Adds a part that stands in both as it is. */
  copied(source: TextRange): void {
    const length = source.end - source.start;
    if (length === 0) return;
    const last = this.#derivedStarts.length - 1;
    if (
      last >= 0 && !this.#whole[last] && this.#sourceEnds[last] === source.start
    ) {
      this.#sourceEnds[last] = source.end;
      this.#derivedLength += length;
    } else {
      this.#add(source, { length, whole: false });
    }
  }

  /** Adds a replaced part. Ranges may not end inside it. */
  changed(source: TextRange, derivedLength: number): void {
    if (derivedLength > 0) {
      this.#add(source, { length: derivedLength, whole: true });
    }
  }

  toSource({ start, end }: TextRange): TextRange | undefined {
    const first = this.#pieceAt(start);
    const last = this.#pieceAt(end - 1);
    const from = start - (this.#derivedStarts[first] ?? 0);
    const to = (this.#derivedStarts[last + 1] ?? this.#derivedLength) - end;
    if (this.#whole[first] && from > 0 || this.#whole[last] && to > 0) {
      return undefined;
    }
    return {
      start: (this.#sourceStarts[first] ?? 0) + from,
      end: (this.#sourceEnds[last] ?? 0) - to,
    };
  }

  #add(source: TextRange, piece: { length: number; whole: boolean }): void {
    this.#derivedStarts.push(this.#derivedLength);
    this.#sourceStarts.push(source.start);
    this.#sourceEnds.push(source.end);
    this.#whole.push(piece.whole);
    this.#derivedLength += piece.length;
  }

  #pieceAt(place: number): number {
    let low = 0;
    let high = this.#derivedStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#derivedStarts[middle] ?? 0) <= place) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/**
 * A text with every line end as LF. A lone CR ends a line only where the text
 * has no LF at all.
 */
export function withLf(source: string): DerivedText {
  if (!source.includes("\r")) return new DerivedText(source);
  if (!source.includes("\n")) {
    return new DerivedText(source.replaceAll("\r", "\n"));
  }
  const pieces = new Pieces();
  let start = 0;
  for (
    let at = source.indexOf("\r\n");
    at !== -1;
    at = source.indexOf("\r\n", start)
  ) {
    pieces.copied({ start, end: at });
    start = at + 2;
    pieces.changed({ start: at, end: start }, 1);
  }
  pieces.copied({ start, end: source.length });
  return new DerivedText(source.replaceAll("\r\n", "\n"), pieces);
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
  const pieces = new Pieces();
  const derived: string[] = [];
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(start, end);
    const kept = newline === -1 && options.keepLastSpaces
      ? line
      : line.trimEnd();
    if (isPlain(kept)) {
      pieces.copied({ start, end: start + kept.length });
      derived.push(kept);
    } else {
      loosenLine(kept, { start, pieces, derived });
    }
    if (newline === -1) break;
    pieces.copied({ start: newline, end: newline + 1 });
    derived.push("\n");
    start = newline + 1;
  }
  return new DerivedText(derived.join(""), pieces, source);
}

// A character with its marks; Hangul letters together, since they compose.
const CLUSTERS =
  /[\u1100-\u11ff\ua960-\ua97c\uac00-\ud7fb]+|\P{M}\p{M}*|\p{M}+/gu;

function loosenLine(
  line: string,
  { start, pieces, derived }: {
    start: number;
    pieces: Pieces;
    derived: string[];
  },
): void {
  for (const { 0: cluster, index } of line.matchAll(CLUSTERS)) {
    const loose = loosen(cluster);
    const range = { start: start + index, end: start + index + cluster.length };
    if (loose === cluster) pieces.copied(range);
    else pieces.changed(range, loose.length);
    derived.push(loose);
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
