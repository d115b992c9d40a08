import { ToolError } from "../agent/tool_error.ts";
import { regexCost, RegexTooLargeError } from "./regex_cost.ts";

const MAX_PATTERN = 10_000;

/** Steps of a backtracking search in one line: some ten milliseconds. */
const MAX_STEPS = 10_000_000;

/** Steps of a linear search in one line, which are slower: some fifty milliseconds. */
const MAX_LINEAR_STEPS = 500_000;

/** Syntax that means something else, or nothing, without the flag `u`. */
const UNICODE_SYNTAX = /\\[pPu]\{|\\u[dD][89a-fA-F]|[\ud800-\udfff]/;

const SURROGATE_PAIR = /[\ud800-\udbff][\udc00-\udfff]/g;

/**
 * Finds a JavaScript regular expression (flag `u`) in lines without ever
 * hanging. V8's usual search backtracks and cannot be stopped, so it gets only
 * lines on which even its worst case is quick. Longer ones go to its linear
 * search, or are left out: where V8 was not started with
 * `--enable-experimental-regexp-engine`, and for patterns that ignore case,
 * have look-around, backreferences or large counted repetitions, or need `u`.
 *
 * The constructor throws a `ToolError` for an invalid pattern, and for one that
 * could be searched in no line at all.
 */
export class LineMatcher {
  /** The longest line that is searched. */
  readonly maxLineLength: number;
  #regex: RegExp;
  /** The longest line on which backtracking is quick. */
  #maxLength: number;
  #linear: RegExp | undefined;
  /** Tells of a whole text whether it is worth looking at its lines. */
  #wholeText: RegExp | undefined;
  #wholeTextLimit = 0;

  /** With `literal` the pattern is the text itself. */
  constructor(
    pattern: string,
    { literal = false, ignoreCase = false } = {},
  ) {
    if (pattern.length > MAX_PATTERN) {
      throw new ToolError(
        `The pattern is longer than ${MAX_PATTERN} characters`,
      );
    }
    const source = literal
      ? pattern.replace(/[\^$\\.*+?()[\]{}|/]/g, "\\$&")
      : withoutNeedlessEscapes(pattern);
    const flags = ignoreCase ? "iu" : "u";
    try {
      this.#regex = new RegExp(source, flags);
      // What is too large is only found out when it is used.
      this.#regex.test("");
      const { factor, degree, size, regular } = regexCost(source);
      this.#maxLength = Math.floor((MAX_STEPS / factor) ** (1 / (degree + 1)));
      this.maxLineLength = this.#maxLength;
      const maxLinear = Math.floor(MAX_LINEAR_STEPS / size);
      if (regular && !ignoreCase && maxLinear > this.#maxLength) {
        this.#linear = linearRegex(source);
        if (this.#linear) this.maxLineLength = maxLinear;
      }
      // Where ^ and $ mean the ends of the whole text, its lines must be asked.
      const isMultiline = !/\(\?[a-z]*-[a-z]*m/.test(source);
      if (regular && degree === 0 && isMultiline) {
        this.#wholeText = new RegExp(source, flags + "m");
        this.#wholeTextLimit = 5 * MAX_STEPS / factor;
      }
    } catch (error) {
      throw invalidPattern(pattern, error);
    }
    if (this.maxLineLength < 1) {
      throw new ToolError(
        `Cannot search for /${pattern}/: it could take for ever; use fewer repetitions within repetitions, and no look-around or backreferences with them`,
      );
    }
  }

  /** False when no line of the text can match. */
  mayMatch(text: string): boolean {
    if (!this.#wholeText || text.length > this.#wholeTextLimit) return true;
    return this.#wholeText.test(text);
  }

  /** The start of a match, or about that; -1 when there is none; undefined when the line is too long. */
  find(line: string): number | undefined {
    if (line.length <= this.#maxLength) return line.search(this.#regex);
    if (!this.#linear || line.length > this.maxLineLength) return undefined;
    // One character is one, as with the flag `u`.
    return line.replace(SURROGATE_PAIR, "\uffff").search(this.#linear);
  }
}

/** A pattern for V8's linear search; undefined where that cannot search for it. */
function linearRegex(source: string): RegExp | undefined {
  if (UNICODE_SYNTAX.test(source)) return undefined;
  try {
    return new RegExp(source, "l");
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Other dialects let every sign be escaped, this one only those with a meaning. */
function withoutNeedlessEscapes(pattern: string): string {
  return pattern.replace(
    /\\([^])/g,
    (all, escaped: string) =>
      /[!"#%&',:;<=>@_`~ -]/.test(escaped)
        ? `\\x${escaped.charCodeAt(0).toString(16)}`
        : all,
  );
}

function invalidPattern(pattern: string, error: unknown): unknown {
  const invalid = `Invalid regular expression /${pattern}/`;
  if (error instanceof RegexTooLargeError) {
    return new ToolError(`${invalid}: ${error.message}`, { cause: error });
  }
  if (!(error instanceof SyntaxError || error instanceof RangeError)) {
    return error;
  }
  const reason = error.message.slice(error.message.lastIndexOf(": ") + 1)
    .trim();
  return new ToolError(
    `${invalid}: ${reason}. The syntax is that of JavaScript; to search for the text as it is, set literal to true`,
    { cause: error },
  );
}
