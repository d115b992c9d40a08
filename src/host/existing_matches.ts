import {
  deniedPathPatterns,
  type DeniedPattern,
} from "../policy/denied_paths.ts";
import { matchesPath, splitPattern } from "../policy/path_pattern.ts";
import { isInside } from "../policy/path_policy.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";

const MAX_MATCHES = 200;
const MAX_FOLDERS = 5000;
const MAX_MS = 100;

/** Returns the existing paths that rules deny; real paths. */
export interface ExistingMatches {
  read: string[];
  write: string[];
}

/**
 * Files and folders below `cwd`, or below the folder that a pattern names, that
 * rules deny to read or to write: what commands can be kept from, too, since
 * it exists. Of a tree with very much in it only the nearer part is found, and
 * what holds the working folder itself is left out.
 */
export function existingMatches(
  rules: readonly PermissionRule[],
  cwd: string,
): ExistingMatches {
  const found = { read: new Set<string>(), write: new Set<string>() };
  const patterns = deniedPathPatterns(rules);
  if (patterns.length > 0) {
    const endMs = performance.now() + MAX_MS;
    for (const base of basesOf(patterns, cwd)) {
      walk(base, note, endMs);
    }
  }
  return { read: [...found.read], write: [...found.write] };

  /** True when all below a path is dealt with. */
  function note(path: string): boolean {
    const matching = patterns.filter(({ pattern }) =>
      matchesPath(pattern, path, { below: false })
    );
    if (isInside(path, cwd)) return false;
    for (const { access } of matching) {
      if (found[access].size >= MAX_MATCHES) continue;
      try {
        found[access].add(Deno.realPathSync(path));
      } catch {
        // A link to nothing keeps nothing back.
      }
    }
    return matching.some(({ access }) => access === "read");
  }
}

/** Returns the folders in which the patterns' wildcards begin; those that begin everywhere begin at the working folder. */
function basesOf(patterns: readonly DeniedPattern[], cwd: string): Set<string> {
  return new Set(patterns.map(({ pattern }) => {
    const { folder } = splitPattern(pattern);
    return folder === "" || isInside(folder, cwd) ? cwd : folder;
  }));
}

/** Hands each path below `base` to `isDone`, nearer ones first, until that says for a folder that it is. */
function walk(
  base: string,
  isDone: (path: string) => boolean,
  endMs: number,
): void {
  if (isDone(base)) return;
  const folders = [base];
  for (const [count, folder] of folders.entries()) {
    if (count >= MAX_FOLDERS || performance.now() > endMs) return;
    try {
      for (const { name, isDirectory } of Deno.readDirSync(folder)) {
        const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
        if (!isDone(path) && isDirectory) folders.push(path);
      }
    } catch {
      // It is no folder, or nobody may look into it.
    }
  }
}
