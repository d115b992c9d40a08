import { eachGrapheme, graphemesOf } from "./input_line.ts";

// East Asian wide and full-width letters, and pictures.
const WIDE =
  /^[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const PLAIN = /^[ -~]*$/;

/** Columns that a terminal gives to a text without control characters. */
export function textWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return graphemesOf(text).reduce((sum, one) => sum + widthOf(one), 0);
}

/** Lines no wider than `width`, broken at spaces where there are any. The last one may go on. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length * 2 > width) {
    const head = fitting(rest, width);
    if (head.length === rest.length) break;
    const space = head.lastIndexOf(" ");
    const isBetweenWords = rest[head.length] === " ";
    const cut = isBetweenWords || space <= 0 ? head.length : space;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(rest[cut] === " " ? cut + 1 : cut);
  }
  return [...lines, rest];
}

/** As much of the beginning as fits; one character at least. */
function fitting(text: string, width: number): string {
  let columns = 0;
  let end = 0;
  for (const one of eachGrapheme(text.slice(0, width * 16))) {
    columns += widthOf(one);
    if (columns > width && end > 0) break;
    end += one.length;
  }
  return text.slice(0, end);
}

function widthOf(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
