const MAX_LENGTH = 60;

/**
 * The key that was most likely meant: the fewest edits away, at most a third of
 * its length, or `maxEdits`. An edit adds, removes or changes a character, or
 * swaps two neighbours.
 */
export function nearestKey(
  wanted: string,
  known: readonly string[],
  { maxEdits = Infinity }: { maxEdits?: number } = {},
): string | undefined {
  if (wanted.length > MAX_LENGTH) return undefined;
  const near = known
    .map((key) => ({ key, edits: editsBetween(wanted, key) }))
    .filter(({ key, edits }) =>
      edits <= Math.min(maxEdits, Math.max(1, key.length / 3))
    )
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.key;
}

function editsBetween(a: string, b: string): number {
  const [from, to] = [[...a.toLowerCase()], [...b.toLowerCase()]];
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] &&
        from[i - 2] === to[j - 1];
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity,
      ));
    }
    [before, row] = [row, next];
  }
  return row[to.length] ?? 0;
}
