/** Folders with more names are not listed. */
const MAX_NAMES = 2000;

/**
 * Those of many relative paths that may exist in a folder: it and the folders
 * that they lead through are listed once each, since a call for what is not
 * there costs many times one for what is. Of a very large folder, or one that
 * cannot be listed, all may exist.
 */
export function presentPaths(
  folder: string,
  paths: readonly string[],
): string[] {
  const base = folder === "/" ? "" : folder;
  const names = namesIn(folder);
  const deeper = new Map<string, string[]>();
  const present: string[] = [];
  for (const path of paths) {
    const [first = "", ...rest] = path.split("/");
    if (!names || (rest.length === 0 && names.has(first))) {
      present.push(`${base}/${path}`);
    } else if (names.has(first)) {
      deeper.set(first, [...deeper.get(first) ?? [], rest.join("/")]);
    }
  }
  for (const [name, rests] of deeper) {
    present.push(...presentPaths(`${base}/${name}`, rests));
  }
  return present;
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
