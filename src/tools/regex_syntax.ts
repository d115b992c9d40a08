/** Flags that a part of a pattern is matched with. */
export interface RegexFlags {
  ignoreCase: boolean;
  dotAll: boolean;
}

/** What is asked of a place between two characters. */
export type AssertionKind = "start" | "end" | "boundary" | "noBoundary";

/** A part of a pattern. */
export type RegexNode =
  /** One code point out of a set, as written: `a`, `.`, `[^b-d]`, `\p{Lu}`. */
  | { type: "set"; source: string; flags: RegexFlags }
  | { type: "assertion"; kind: AssertionKind; flags: RegexFlags }
  | { type: "sequence"; items: RegexNode[] }
  | { type: "alternatives"; items: RegexNode[] }
  | { type: "repeat"; item: RegexNode; min: number; max: number }
  /** What no automaton can match. */
  | { type: "lookaround"; item: RegexNode }
  | { type: "backreference" };

/** The pattern is valid, but larger or deeper than what is worked with. */
export class RegexTooLargeError extends Error {
  override name = "RegexTooLargeError";
}

const MAX_DEPTH = 200;

/**
 * Parses a JavaScript regular expression with the `u` flag. It must be one
 * that `RegExp` takes: what that refuses is not looked for again.
 */
export function parseRegex(source: string, flags: RegexFlags): RegexNode {
  return new Parser(source).alternatives(flags);
}

class Parser {
  #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(flags: RegexFlags): RegexNode {
    if (++this.#depth > MAX_DEPTH) {
      throw new RegexTooLargeError("too many nested groups");
    }
    const items = [this.#sequence(flags)];
    while (this.#take(/\|/y)) items.push(this.#sequence(flags));
    this.#depth--;
    return items.length === 1
      ? items[0] as RegexNode
      : { type: "alternatives", items };
  }

  #sequence(flags: RegexFlags): RegexNode {
    const items: RegexNode[] = [];
    while (this.#at < this.#source.length && !this.#sees(/[|)]/y)) {
      items.push(this.#quantified(this.#term(flags)));
    }
    return { type: "sequence", items };
  }

  #quantified(item: RegexNode): RegexNode {
    const found = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!found) return item;
    const [text, least, comma, most] = found;
    if (least === undefined) {
      const min = text[0] === "+" ? 1 : 0;
      return { type: "repeat", item, min, max: text[0] === "?" ? 1 : Infinity };
    }
    const min = Number(least);
    const max = comma === "" ? min : most === "" ? Infinity : Number(most);
    return { type: "repeat", item, min, max };
  }

  #term(flags: RegexFlags): RegexNode {
    if (this.#take(/\(\?<?[=!]/y)) {
      return { type: "lookaround", item: this.#group(flags) };
    }
    const modifiers = this.#take(/\(\?([ims]*)-?([ims]*):/y);
    if (modifiers) {
      const [all, on = "", off = ""] = modifiers;
      // Without a minus both parts would be one.
      return this.#group(
        all.includes("-")
          ? changed(flags, on, off)
          : changed(flags, on + off, ""),
      );
    }
    if (this.#take(/\((?:\?<[^>]*>)?/y)) return this.#group(flags);
    const assertion = this.#take(/\^|\$|\\[bB]/y);
    if (assertion) {
      const kind = ASSERTIONS[assertion[0]] as AssertionKind;
      return { type: "assertion", kind, flags };
    }
    if (this.#take(/\\[1-9]\d*|\\k<[^>]*>/y)) return { type: "backreference" };
    const [source] = this.#take(SET) as [string];
    return { type: "set", source, flags };
  }

  #group(flags: RegexFlags): RegexNode {
    const item = this.alternatives(flags);
    this.#take(/\)/y);
    return item;
  }

  #sees(expected: RegExp): boolean {
    expected.lastIndex = this.#at;
    return expected.test(this.#source);
  }

  /** Goes past `expected` when it stands here. */
  #take(expected: RegExp): RegExpExecArray | null {
    expected.lastIndex = this.#at;
    const found = expected.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }
}

const ASSERTIONS: Record<string, AssertionKind> = {
  "^": "start",
  "$": "end",
  "\\b": "boundary",
  "\\B": "noBoundary",
};

/** A class, a property, an escape (a surrogate pair is one), or a character. */
const SET =
  /\[(?:[^\]\\]|\\.)*\]|\\[pPu]\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|[^]/uy;

function changed(flags: RegexFlags, on: string, off: string): RegexFlags {
  const apply = (letter: string, before: boolean) =>
    on.includes(letter) || before && !off.includes(letter);
  return {
    ignoreCase: apply("i", flags.ignoreCase),
    dotAll: apply("s", flags.dotAll),
  };
}
