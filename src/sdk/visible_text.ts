// What a terminal acts on or hides: C0 but tab and newline, DEL, C1, marks that
// reorder text, characters without width, and the invisible "tag" letters.
const CONTROL =
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const TAB_WIDTH = 4;

/**
 * Makes text from files, programs and models safe to show on a terminal:
 * control characters and those that reorder or hide text become visible signs
 * (`␛`, `\u202e`), tabs become spaces up to the next stop, the carriage return
 * of a CRLF goes. Newlines stay.
 */
export function visibleText(text: string): string {
  const shown = text.replaceAll("\r\n", "\n").replace(CONTROL, visibleSign);
  return shown.includes("\t") ? expandTabs(shown) : shown;
}

function visibleSign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  if (code <= 0xff) return `\\x${code.toString(16)}`;
  return code <= 0xffff
    ? `\\u${code.toString(16).padStart(4, "0")}`
    : `\\u{${code.toString(16)}}`;
}

function expandTabs(text: string): string {
  let column = 0;
  return text.replace(/[^\t\n]+|\t|\n/g, (run) => {
    if (run === "\n") {
      column = 0;
      return run;
    }
    if (run === "\t") {
      const spaces = TAB_WIDTH - column % TAB_WIDTH;
      column += spaces;
      return " ".repeat(spaces);
    }
    column += run.length;
    return run;
  });
}
