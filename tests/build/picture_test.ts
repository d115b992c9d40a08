import assert from "node:assert/strict";
import { BuildError } from "../../build/build_error.ts";
import { drawPicture, GRID } from "../../build/picture/draw_picture.ts";
import { recordDemo } from "../../build/picture/record_demo.ts";

const ROOT = new URL("../../", import.meta.url);
const SVG = await Deno.readTextFile(new URL("docs/demo.svg", ROOT));

Deno.test("docs/demo.svg shows each line that tau demo prints, and nothing else", async () => {
  const run = await recordDemo(ROOT);
  const printed = run.lines.map((line) =>
    // deno-lint-ignore no-control-regex -- the codes of styles begin with it
    line.replace(/\u001b\[\d+m/g, "").trimEnd()
  );
  const anew = "the demo has changed: run deno task picture";
  assert.deepEqual(
    shownLines(SVG),
    [`$ ${run.command}`, ...printed],
    anew,
  );
  assert.equal(drawPicture(run), SVG, anew);
});

Deno.test("docs/demo.svg needs nothing but itself, names no path and is small", () => {
  const namespace = 'xmlns="http://www.w3.org/2000/svg"';
  assert.equal(SVG.split(namespace).length, 2);
  assert.doesNotMatch(
    SVG.replace(namespace, ""),
    /<script|\son\w+=|href|foreignObject|<image|<!|@import|url\(|:\/\//i,
  );
  assert.doesNotMatch(shownLines(SVG).join("\n"), /(^|[\s"'=:])[/~]\w/m);
  assert.match(
    SVG,
    /<title id="title">.+<\/title>\n<desc id="desc">.+<\/desc>/,
  );
  assert(new TextEncoder().encode(SVG).length < 60_000);
});

Deno.test("docs/demo.svg has text of contrast 4.5 or more in light and in dark", () => {
  const [light = "", rest = ""] = SVG.split(
    "@media (prefers-color-scheme: dark) {",
  );
  const [dark = ""] = rest.split("\n}\n");
  const classes = new Set(
    Array.from(SVG.matchAll(/<text class="(\w+)/g), ([, name = ""]) => name),
  );
  assert(classes.size >= 5, "it has the colours of a terminal");
  for (const scheme of [light, dark]) {
    const fills = fillsOf(scheme);
    for (const name of classes) {
      const contrast = contrastOf(fills[name], fills.window);
      assert(contrast >= 4.5, `${name}: ${contrast}`);
    }
  }
  assert.notEqual(fillsOf(light).window, fillsOf(dark).window);
});

Deno.test("docs/demo.svg keeps each piece of text within the window, whatever the font", () => {
  const pieces = [...SVG.matchAll(/<text [^>]*x="([\d.]+)"[^>]*>/g)];
  assert(pieces.length > 50);
  for (const [piece, x] of pieces) {
    const width = /textLength="([\d.]+)"/.exec(piece)?.[1];
    assert(Number(x) + Number(width) <= GRID.columns * GRID.columnWidth, piece);
  }
});

Deno.test("docs/demo.svg moves for 15 to 25 s, begins and rests with its end, and stands there where motion is not wanted", () => {
  const rules =
    /^\.(\w+) \{ transform: (.+); \}\n@media \(prefers-reduced-motion: no-preference\) \{\n\.\1 \{ animation: \1 (\d+)ms step-end -(\d+)ms infinite; \}\n\}\n@keyframes \1 \{\n((?:.+%.+\n)+)\}$/gm;
  const moving = [...SVG.matchAll(rules)];
  assert.deepEqual(moving.map(([, name]) => name), ["page", "cover", "typing"]);
  assert.equal(SVG.split("animation").length - 1, moving.length);
  for (const [, , atEnd, loopMs, firstMs, steps = ""] of moving) {
    assert(Number(loopMs) >= 15_000 && Number(loopMs) <= 25_000);
    const moves = Array.from(
      steps.matchAll(/^([\d.]+)% \{ transform: (.+); \}$/gm),
      ([, percent, to]) => ({ ms: Number(percent) * Number(loopMs) / 100, to }),
    );
    assert.deepEqual(moves.toSorted((a, b) => a.ms - b.ms), moves);
    assert.equal(moves.at(-1)?.to, atEnd);
    assert(Number(loopMs) - (moves.at(-1)?.ms ?? 0) >= 4000);
    assert(Number(firstMs) > (moves.at(-1)?.ms ?? 0), "begins with its end");
  }
});

Deno.test("drawPicture() fails on a line that is too wide and on a style that it does not know", () => {
  const draw = (line: string) => drawPicture({ command: "c", lines: [line] });
  assert.deepEqual(shownLines(draw("w".repeat(80))), ["$ c", "w".repeat(80)]);
  assert.throws(() => draw("w".repeat(81)), BuildError);
  assert.deepEqual(shownLines(draw("a  \u001b[31m<b>\u001b[39m &")), [
    "$ c",
    "a  <b> &",
  ]);
  for (const code of ["44", "38;5;245", ""]) {
    assert.throws(() => draw(`\u001b[${code}mblue`), BuildError);
  }
});

/** The text of a picture, line by line. */
function shownLines(svg: string): string[] {
  const lines: string[] = [];
  const piece = /<text [^>]*x="([\d.]+)" y="(\d+)"[^>]*>([^<]*)<\/text>/g;
  for (const [, x, y, text = ""] of svg.matchAll(piece)) {
    const row = Math.floor(Number(y) / GRID.lineHeight);
    while (lines.length <= row) lines.push("");
    lines[row] = lines[row]?.padEnd(Number(x) / GRID.columnWidth) +
      text.replaceAll("&lt;", "<").replaceAll("&gt;", ">")
        .replaceAll("&amp;", "&");
  }
  return lines;
}

function fillsOf(css: string): Record<string, string> {
  return Object.fromEntries(
    Array.from(
      css.matchAll(/^\.(\w+) \{ fill: #(\w{6}); \}$/gm),
      ([, name = "", color = ""]) => [name, color],
    ),
  );
}

/** Contrast of two colours as WCAG 2 defines it. */
function contrastOf(one = "", other = ""): number {
  const [dim = 0, bright = 0] = [luminance(one), luminance(other)]
    .sort((a, b) => a - b);
  return (bright + 0.05) / (dim + 0.05);
}

function luminance(color: string): number {
  const [red = NaN, green = NaN, blue = NaN] = [0, 2, 4].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
