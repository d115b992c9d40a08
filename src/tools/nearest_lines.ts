import { truncateLine } from "../sdk/truncate.ts";

const MAX_SEARCHED_LINES = 10_000;
const MAX_COMPARED = 200;
const SHOWN_LINES = 3;
const MIN_LIKENESS = 0.5;

/**
 * A hint for a text that was not found: the lines that are most like its
 * first one. Empty when none is. Looks at a bounded part of the text.
 */
export function nearestLines(text: string, wanted: string): string {
  const line = /\S.*/.exec(wanted)?.[0].trim();
  if (!line) return "";
  const wantedPairs = pairsOf(line.slice(0, MAX_COMPARED));
  const lines = text.split("\n", MAX_SEARCHED_LINES + SHOWN_LINES);
  let best = { index: -1, likeness: 0 };
  for (const [index, candidate] of lines.entries()) {
    if (index === MAX_SEARCHED_LINES || best.likeness === 1) break;
    const start = candidate.slice(0, 2 * MAX_COMPARED).trim();
    const likeness = likenessOf(wantedPairs, start.slice(0, MAX_COMPARED));
    if (likeness >= MIN_LIKENESS && likeness > best.likeness) {
      best = { index, likeness };
    }
  }
  if (best.index === -1) return "";
  const shown = lines.slice(best.index, best.index + SHOWN_LINES)
    .join("\n").slice(0, 2000).split("\n")
    .map((line) => truncateLine(line, MAX_COMPARED).text);
  return `\nThe nearest text starts on line ${best.index + 1}:\n${
    shown.join("\n")
  }`;
}

/** Share of neighbouring letters that two lines have in common, from 0 to 1. */
function likenessOf(wanted: Map<string, number>, line: string): number {
  const pairs = pairsOf(line);
  let shared = 0;
  let total = 0;
  for (const [pair, count] of pairs) {
    shared += Math.min(count, wanted.get(pair) ?? 0);
    total += count;
  }
  for (const count of wanted.values()) total += count;
  return total === 0 ? 0 : 2 * shared / total;
}

function pairsOf(line: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const text = line.replace(/\s+/g, " ");
  // A line of one letter is a pair too.
  for (let i = 0; i < Math.max(1, text.length - 1); i++) {
    const pair = text.slice(i, i + 2);
    if (pair !== "") pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
