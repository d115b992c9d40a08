const MAX_LENGTH = 60;

/** The key that was most likely meant: the fewest edits of single characters away, at most a third of its length. */
export function nearestKey(
  wanted: string,
  known: readonly string[],
): string | undefined {
  if (wanted.length > MAX_LENGTH) return undefined;
  const near = known
    .map((key) => ({ key, edits: editsBetween(wanted, key) }))
    .filter(({ key, edits }) => edits <= Math.max(1, key.length / 3))
    .sort((a, b) => a.edits - b.edits);
  return near[0]?.key;
}

function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1]?.toLowerCase() === b[j - 1]?.toLowerCase();
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
      ));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
