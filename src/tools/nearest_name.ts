const MAX_LENGTH = 100;

/**
 * The name of a list that is most like a wanted one, by edits of single
 * characters without regard to case; undefined when none is near. Among equals
 * the first in code-unit order.
 */
export function nearestName(
  wanted: string,
  names: Iterable<string>,
): string | undefined {
  if (wanted.length > MAX_LENGTH) return undefined;
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const lower = wanted.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) > limit || name === wanted) {
      continue;
    }
    const distance = editDistance(lower, name.toLowerCase());
    if (distance > limit) continue;
    if (
      !best || distance < best.distance ||
      distance === best.distance && name < best.name
    ) {
      best = { name, distance };
    }
  }
  return best?.name;
}

/** Levenshtein's: insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      ));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
