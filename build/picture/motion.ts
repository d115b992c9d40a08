/** When things are seen, in milliseconds from the start of the loop. */
export interface Pace {
  /** When each character of the command is typed. */
  typedMs: number[];
  /** When each line appears. */
  lineMs: number[];
  loopMs: number;
}

const BEFORE_TYPING_MS = 600;
const TYPING_MS = 50;
const ENTER_MS = 500;
const LINE_MS = 60;
const PAUSE_MS = 350;
const READING_MS_PER_CHARACTER = 7;
const END_MS = 4500;
/** The part of the rest at the end that is seen first: an empty window says nothing. */
const FIRST_MS = 2000;

/**
 * A pace at which the run can be followed: lines come in the order in which
 * they were printed, and before an empty line there is time to read those that
 * came after the last one. The true times of a run, half a second in all, play
 * no part, so that each run gives the same picture.
 */
export function paceOf(command: string, lines: readonly string[]): Pace {
  let ms = BEFORE_TYPING_MS;
  const typedMs = Array.from(command, () => ms += TYPING_MS);
  ms += ENTER_MS;
  let unread = 0;
  const lineMs = lines.map((line) => {
    ms += line === "" ? PAUSE_MS + unread * READING_MS_PER_CHARACTER : LINE_MS;
    unread = line === "" ? 0 : unread + line.length;
    return ms;
  });
  return { typedMs, lineMs, loopMs: ms + END_MS };
}

/** Sizes that things move by, in pixels, and how many lines are in view. */
export interface Grid {
  columnWidth: number;
  lineHeight: number;
  columns: number;
  rows: number;
}

/**
 * CSS that moves three elements: `page` holds all lines, the command first,
 * and goes up when they are more than the view has room for; `cover` lies on
 * the lines to come, `typing` on what is not typed yet. Each stands at its end
 * where motion is not wanted.
 */
export function motionRules(
  { typedMs, lineMs, loopMs }: Pace,
  { columnWidth, lineHeight, columns, rows }: Grid,
): string {
  const right = (count: number) => `translateX(${count * columnWidth}px)`;
  const down = (count: number) => `translateY(${count * lineHeight}px)`;
  const page: Move[] = [{ ms: 0, to: down(0) }];
  const cover: Move[] = [{ ms: 0, to: down(1) }];
  const typing: Move[] = [{ ms: 0, to: right(2) }];
  for (const [i, ms] of typedMs.entries()) {
    typing.push({ ms, to: right(i + 3) });
  }
  typing.push({ ms: lineMs[0] ?? loopMs, to: right(columns) });
  for (const [i, ms] of lineMs.entries()) {
    const shown = i + 2;
    cover.push({ ms, to: down(shown) });
    if (shown > rows) page.push({ ms, to: down(rows - shown) });
  }
  return Object.entries({ page, cover, typing })
    .map(([name, moves]) => rulesOf(name, moves, loopMs)).join("\n");
}

interface Move {
  ms: number;
  /** As CSS has it. */
  to: string;
}

function rulesOf(name: string, moves: Move[], loopMs: number): string {
  const steps = moves.map(({ ms, to }) =>
    `${(ms / loopMs * 100).toFixed(3)}% { transform: ${to}; }`
  );
  return `.${name} { transform: ${moves.at(-1)?.to}; }
@media (prefers-reduced-motion: no-preference) {
.${name} { animation: ${name} ${loopMs}ms step-end ${
    FIRST_MS - loopMs
  }ms infinite; }
}
@keyframes ${name} {
${steps.join("\n")}
}`;
}
