import { BuildError } from "../build_error.ts";
import { motionRules, paceOf } from "./motion.ts";
import type { PrintedRun } from "./record_demo.ts";
import { plainText, type StyledRun, styledRuns } from "./styled_runs.ts";

/** Room of the view. A character has the advance of common monospace fonts, 0.6 of 14 pixels, or a little more. */
export const GRID = { columnWidth: 8.5, lineHeight: 20, columns: 80, rows: 30 };
const FONT =
  '14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace';
const BASELINE = 15;
const MARGIN = 20;
const TITLE_BAR = 44;
const VIEW_WIDTH = GRID.columns * GRID.columnWidth;
const VIEW_HEIGHT = GRID.rows * GRID.lineHeight;
const WIDTH = VIEW_WIDTH + 2 * MARGIN;
const HEIGHT = TITLE_BAR + VIEW_HEIGHT + MARGIN;

const LIGHT = {
  window: "#ffffff",
  edge: "#c9d1d9",
  text: "#1f2328",
  red: "#cf222e",
  green: "#1a7f37",
  magenta: "#8250df",
  cyan: "#0a6f86",
  grey: "#59636e",
};
const DARK: typeof LIGHT = {
  window: "#161b22",
  edge: "#3d444d",
  text: "#e6edf3",
  red: "#ff8e87",
  green: "#56d364",
  magenta: "#d2a8ff",
  cyan: "#6cd3e6",
  grey: "#a3abb4",
};

/**
 * Draws a command and what it printed as a terminal that moves: an SVG without
 * scripts and without anything from elsewhere. Throws a {@linkcode BuildError}
 * for a line that is too wide.
 */
export function drawPicture({ command, lines }: PrintedRun): string {
  const texts = lines.map(plainText);
  const wide = texts.find((text) => text.length > GRID.columns);
  if (wide !== undefined) {
    throw new BuildError(`Wider than ${GRID.columns} columns: ${wide}`);
  }
  const pageHeight = (lines.length + 1) * GRID.lineHeight;
  const dots = [26, 46, 66].map((x) =>
    `<circle class="dot" cx="${x}" cy="22" r="6"/>`
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title desc">
<title id="title">tau demo in a terminal</title>
<desc id="desc">A recorded model reads a file of a small project, edits it and runs the project's check with tau's real tools. Slowed down for reading.</desc>
<style>
text { font: ${FONT}; }
.bold { font-weight: bold; }
${colorRules(LIGHT)}
@media (prefers-color-scheme: dark) {
${colorRules(DARK)}
}
${motionRules(paceOf(command, texts), GRID)}
</style>
<rect class="window edge" x="0.5" y="0.5" ${
    size(WIDTH - 1, HEIGHT - 1)
  } rx="9.5"/>
${dots.join("\n")}
<svg x="${MARGIN}" y="${TITLE_BAR}" ${size(VIEW_WIDTH, VIEW_HEIGHT)}>
<g class="page">
${drawLine(commandRuns(command), 0)}
<g class="typing">
<rect class="window" ${size(VIEW_WIDTH, GRID.lineHeight)}/>
<rect class="text" ${size(GRID.columnWidth, GRID.lineHeight)}/>
</g>
${lines.map((line, i) => drawLine(styledRuns(line), i + 1)).join("")}
<rect class="window cover" ${size(VIEW_WIDTH, pageHeight)}/>
</g>
</svg>
</svg>
`;
}

function size(width: number, height: number): string {
  return `width="${width}" height="${height}"`;
}

function commandRuns(command: string): StyledRun[] {
  return [
    { text: "$", column: 0, color: "grey", isBold: false },
    { text: command, column: 2, isBold: false },
  ];
}

/** Draws each piece of a line as wide as its columns, whatever the font. */
function drawLine(runs: readonly StyledRun[], row: number): string {
  return runs.map(({ text, column, color = "text", isBold }) => {
    const x = column * GRID.columnWidth;
    const y = row * GRID.lineHeight + BASELINE;
    const width = text.length * GRID.columnWidth;
    const style = isBold ? `${color} bold` : color;
    return `<text class="${style}" x="${x}" y="${y}" textLength="${width}">${
      escaped(text)
    }</text>\n`;
  }).join("");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}

function colorRules({ edge, ...fills }: typeof LIGHT): string {
  const rules = Object.entries(fills).map(([name, fill]) =>
    `.${name} { fill: ${fill}; }`
  );
  return [...rules, `.dot { fill: ${edge}; }`, `.edge { stroke: ${edge}; }`]
    .join("\n");
}
