// Characters that a terminal acts on or hides: C0 but tab and newline, DEL, C1, marks that
// reorder text, characters without width, and the invisible "tag" letters.
const CONTROL =
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

// Colours of the foreground, bold, dim, italic, underlined, reversed, and their
// ends. Not conceal, blinking or backgrounds, which could hide what is written.
const STYLE_CODE =
  "(?:[0-47]|2[2-47]|3[0-79]|9[0-7]|38;5;\\d{1,3}|38;2(?:;\\d{1,3}){3})";
const STYLE = new RegExp(
  `\\u001b\\[(?:${STYLE_CODE}(?:;${STYLE_CODE})*)?m`,
  "g",
);

/** Ends every style. */
const RESET = "\u001b[0m";

/**
 * Makes text from elsewhere safe to print on a terminal: control characters
 * and those that reorder or hide text become visible signs. Newlines and tabs
 * stay, the carriage return of a CRLF goes.
 */
export function terminalText(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROL, visibleSign);
}

/** As {@linkcode terminalText}, but keeps colours, and ends them with the line. */
export function styledLine(line: string): string {
  let safe = "";
  let end = 0;
  for (const { 0: style, index } of line.matchAll(STYLE)) {
    safe += terminalText(line.slice(end, index)) + style;
    end = index + style.length;
  }
  safe += terminalText(line.slice(end));
  return end > 0 && !safe.endsWith(RESET) ? safe + RESET : safe;
}

/**
 * A line of JSON. What a terminal would act on is escaped in it, and what some
 * readers take for the end of a line; it means the same.
 */
export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(CONTROL, jsonEscape)}\n`;
}

/** Rows of cells as lines, each column as wide as its widest cell, up to `maxWidth`; `right` are columns of numbers. */
export function columns(
  rows: readonly (readonly string[])[],
  { right = [], maxWidth = Infinity }: {
    right?: readonly number[];
    maxWidth?: number;
  } = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    // The last cell of a row is not padded.
    for (const [column, { length }] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(
        widths[column] ?? 0,
        Math.min(length, maxWidth),
      );
    }
  }
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return right.includes(column) ? cell.padStart(width) : cell.padEnd(width);
    });
    return `${cells.join("  ").trimEnd()}\n`;
  }).join("");
}

/** True where lines for a stream may have colours. */
export function useColor(
  isTerminal: boolean,
  env: Record<string, string>,
): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTerminal && env.TERM !== "dumb";
}

function visibleSign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return code <= 0xff ? `\\x${code.toString(16)}` : `\\u{${code.toString(16)}}`;
}

function jsonEscape(character: string): string {
  return character.split("").map((unit) =>
    `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
  ).join("");
}
