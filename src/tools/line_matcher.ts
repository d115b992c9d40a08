import { ToolError } from "../agent/tool_error.ts";
import { LinearRegex } from "./linear_regex.ts";
import type { Pacer } from "./pacer.ts";
import { parseRegex, RegexTooLargeError } from "./regex_syntax.ts";
import { regexCost } from "./regex_cost.ts";

/** What is looked for in lines. */
export interface LinePattern {
  pattern: string;
  /** The pattern is the text itself. */
  literal: boolean;
  ignoreCase: boolean;
}

const MAX_PATTERN = 10_000;

/** Steps that the engine's own search may take in one line: some ten milliseconds. */
const MAX_STEPS = 10_000_000;

/** Positions visited before others get a turn. */
const STEPS_A_TURN = 1_000_000;

/**
 * Finds a JavaScript regular expression (flag `u`) in lines without ever
 * hanging. The engine's own search backtracks and cannot be stopped, and its
 * linear one takes neither `u` nor `i`; so it only gets lines on which even its
 * worst case is quick. All others are read by {@linkcode LinearRegex}, or left
 * out when the pattern needs look-around or backreferences.
 *
 * The constructor throws a `ToolError` for an invalid pattern, and for one that
 * could be searched in no line at all.
 */
export class LineMatcher {
  #regex: RegExp;
  /** Absent when the pattern needs backtracking, or is too large. */
  #linear: LinearRegex | undefined;
  /** Tells of a whole text whether it is worth looking at its lines. */
  #wholeText: RegExp | undefined;
  #wholeTextLimit = 0;
  /** Longer lines are not given to the engine. */
  #maxLength: number;

  constructor(options: LinePattern) {
    const { pattern, literal, ignoreCase } = options;
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
      const node = parseRegex(source, { ignoreCase, dotAll: false });
      const { factor, degree, regular } = regexCost(node);
      this.#maxLength = Math.floor((MAX_STEPS / factor) ** (1 / (degree + 1)));
      if (regular) this.#linear = linearOrNothing(source, ignoreCase);
      // Where ^ and $ mean the ends of the whole text, its lines must be asked.
      const isMultiline = !/\(\?[a-z]*-[a-z]*m/.test(source);
      if (regular && degree === 0 && isMultiline) {
        this.#wholeText = new RegExp(source, flags + "m");
        this.#wholeTextLimit = 5 * MAX_STEPS / factor;
      }
    } catch (error) {
      throw invalidPattern(pattern, error);
    }
    if (this.#maxLength < 1 && this.#linear === undefined) {
      throw new ToolError(
        `Cannot search for /${pattern}/: it could take for ever; use fewer repetitions within repetitions, and no look-around or backreferences with them`,
      );
    }
  }

  /** The longest line that is searched, when longer ones are left out. */
  get maxLineLength(): number {
    return this.#linear === undefined ? this.#maxLength : Infinity;
  }

  /** False when no line of the text can match. */
  mayMatch(text: string): boolean {
    if (!this.#wholeText || text.length > this.#wholeTextLimit) return true;
    return this.#wholeText.test(text);
  }

  /** Where a match begins, or about where; -1 when there is none; undefined when the line is one for {@linkcode findInLong}. */
  find(line: string): number | undefined {
    return line.length > this.#maxLength ? undefined : line.search(this.#regex);
  }

  /** As {@linkcode find}, for any line; undefined when the line is left out. */
  async findInLong(line: string, pacer: Pacer): Promise<number | undefined> {
    const linear = this.#linear;
    if (!linear) return undefined;
    const units = Math.max(16, Math.floor(STEPS_A_TURN / linear.size));
    const cursor = linear.begin();
    while (true) {
      const end = linear.advance(line, cursor, units);
      if (end !== undefined) return end;
      await pacer.pause();
    }
  }
}

function linearOrNothing(
  source: string,
  ignoreCase: boolean,
): LinearRegex | undefined {
  try {
    return new LinearRegex(source, { ignoreCase });
  } catch (error) {
    if (error instanceof RegexTooLargeError) return undefined;
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
  if (error instanceof RegexTooLargeError) {
    return new ToolError(
      `Invalid regular expression /${pattern}/: ${error.message}`,
      {
        cause: error,
      },
    );
  }
  if (!(error instanceof SyntaxError || error instanceof RangeError)) {
    return error;
  }
  const reason = error.message.slice(error.message.lastIndexOf(": ") + 1)
    .trim();
  return new ToolError(
    `Invalid regular expression /${pattern}/: ${reason}. The syntax is that of JavaScript; to search for the text as it is, set literal to true`,
    { cause: error },
  );
}
