import { BuildError } from "../build_error.ts";

/** Colours of text that the picture knows. */
type Color = "red" | "green" | "magenta" | "cyan" | "grey";

/** Their codes in a terminal. */
const COLORS: Record<string, Color> = {
  31: "red",
  32: "green",
  35: "magenta",
  36: "cyan",
  90: "grey",
};

/** Words in one style, with one space between them: more of them would not be shown everywhere. */
export interface StyledRun {
  text: string;
  /** First column. */
  column: number;
  color?: Color;
  isBold: boolean;
}

type Style = Pick<StyledRun, "color" | "isBold">;

// deno-lint-ignore no-control-regex -- the codes of styles begin with it
const CODE = /\u001b\[([\d;]*)m/g;
const WORDS = /\S+(?: \S+)*/g;

/** Splits a line where its style changes, and at wider spaces. */
export function styledRuns(line: string): StyledRun[] {
  const runs: StyledRun[] = [];
  let style: Style = { isBold: false };
  let column = 0;
  // Text and codes take turns.
  for (const [i, part] of line.split(CODE).entries()) {
    if (i % 2 === 1) {
      style = styleAfter(style, part);
      continue;
    }
    for (const { 0: text, index } of part.matchAll(WORDS)) {
      runs.push({ text, column: column + index, ...style });
    }
    column += part.length;
  }
  return runs;
}

/** The same line without styles. */
export function plainText(line: string): string {
  return line.replace(CODE, "");
}

function styleAfter(style: Style, code: string): Style {
  if (code === "0") return { isBold: false };
  if (code === "1" || code === "22") {
    return { ...style, isBold: code === "1" };
  }
  if (code === "39") return { isBold: style.isBold };
  const color = COLORS[code];
  if (!color) throw new BuildError(`The picture has no style for code ${code}`);
  return { ...style, color };
}
