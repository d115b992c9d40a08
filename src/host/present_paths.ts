/** Folders with more names are not listed. */
const MAX_NAMES = 2000;

/**
 * Those of many relative paths that may exist in a folder: it is listed once,
 * since a call for what is not there costs eight times one for what is. Of a
 * very large folder, or one that cannot be listed, all may exist.
 */
export function presentPaths(
  folder: string,
  paths: readonly string[],
): string[] {
  const base = folder === "/" ? "" : folder;
  const names = namesIn(folder);
  return paths
    .filter((path) => names?.has(path.split("/", 1)[0] as string) ?? true)
    .map((path) => `${base}/${path}`);
}

function namesIn(folder: string): Set<string> | undefined {
  const names = new Set<string>();
  try {
    for (const { name } of Deno.readDirSync(folder)) {
      if (names.add(name).size > MAX_NAMES) return undefined;
    }
    return names;
  } catch {
    return undefined;
  }
}
