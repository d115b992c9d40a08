/** Bounds on what the search for a pattern costs. */
export interface RegexCost {
  /** A backtracking search takes about `factor * length ** (degree + 1)` steps. Infinite when they can double with each character. */
  factor: number;
  degree: number;
  /** Steps of a linear search for each character. */
  size: number;
  /** Without look-around and backreferences. */
  regular: boolean;
}

/** The pattern is valid, but larger or deeper than what is worked with. */
export class RegexTooLargeError extends Error {
  override name = "RegexTooLargeError";
}

const MAX_DEPTH = 200;

const ONE_CHARACTER = { factor: 1, degree: 0, size: 1, regular: true };

/**
 * Bounds the cost of a JavaScript regular expression with the `u` flag from its
 * form, rather too high than too low. It must be one that `RegExp` takes: what
 * that refuses is not looked for again.
 */
export function regexCost(source: string): RegexCost {
  return new Parser(source).alternatives();
}

class Parser {
  #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): RegexCost {
    if (++this.#depth > MAX_DEPTH) {
      throw new RegexTooLargeError("too many nested groups");
    }
    let cost = this.#sequence();
    while (this.#take(/\|/y)) {
      const other = this.#sequence();
      cost = {
        factor: cost.factor + other.factor,
        degree: Math.max(cost.degree, other.degree),
        size: cost.size + other.size,
        regular: cost.regular && other.regular,
      };
    }
    this.#depth--;
    return cost;
  }

  #sequence(): RegexCost {
    let cost = ONE_CHARACTER;
    while (this.#at < this.#source.length && !this.#sees(/[|)]/y)) {
      const item = this.#quantified(this.#term());
      cost = {
        factor: cost.factor * item.factor,
        degree: cost.degree + item.degree,
        size: cost.size + item.size,
        regular: cost.regular && item.regular,
      };
    }
    return cost;
  }

  #quantified(item: RegexCost): RegexCost {
    const found = this.#take(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (!found) return item;
    const [text, least, comma, most] = found;
    if (least === undefined) {
      const min = text[0] === "+" ? 1 : 0;
      return repeated(item, min, text[0] === "?" ? 1 : Infinity);
    }
    const max = comma === "" ? least : most === "" ? Infinity : most;
    return repeated(item, Number(least), Number(max));
  }

  #term(): RegexCost {
    if (this.#take(/\(\?<?[=!]/y)) return { ...this.#group(), regular: false };
    if (this.#take(/\((?:\?<[^>]*>|\?[ims-]*:)?/y)) return this.#group();
    if (this.#take(/\\[1-9]\d*|\\k<[^>]*>/y)) {
      return { factor: 1, degree: 1, size: 1, regular: false };
    }
    this.#take(CHARACTER);
    return ONE_CHARACTER;
  }

  #group(): RegexCost {
    const cost = this.alternatives();
    this.#take(/\)/y);
    return cost;
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

/** A class, a property, an escape, an assertion, or a character. */
const CHARACTER = /\[(?:[^\]\\]|\\.)*\]|\\[pPu]\{[^}]*\}|\\.|[^]/uy;

function repeated(item: RegexCost, min: number, max: number): RegexCost {
  const { factor, degree, regular } = item;
  const size = item.size * Math.max(1, max === Infinity ? min : max) + 1;
  const hasChoice = factor > 1 || degree > 0;
  if (max === Infinity) {
    return hasChoice
      ? { factor: Infinity, degree: 0, size, regular }
      : { factor: Math.max(1, min), degree: 1, size, regular };
  }
  const ways = max - min + 1;
  return {
    factor: Math.max(1, max) * Math.max(1, ways * factor ** max),
    degree: degree * max,
    size,
    regular,
  };
}
