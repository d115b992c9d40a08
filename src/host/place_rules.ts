import {
  absolutePatterns,
  escapePattern,
  splitPattern,
} from "../policy/path_pattern.ts";
import { PATH_TOOLS } from "../policy/built_in_tools.ts";
import type { PermissionRule } from "../policy/permission_rule.ts";

/**
 * Rules with their patterns of paths made absolute. A pattern that begins in a
 * folder behind a link counts for where the link leads, too.
 */
export function placeRules(
  rules: readonly PermissionRule[],
  place: { cwd: string; homeDir?: string | undefined },
): PermissionRule[] {
  return rules.map((rule) => {
    const { tool, pattern } = rule;
    if (pattern === undefined || !PATH_TOOLS.includes(tool)) return rule;
    const paths = absolutePatterns(pattern, place);
    return { ...rule, paths: [...new Set([...paths, ...paths.map(followed)])] };
  });
}

function followed(pattern: string): string {
  const { folder, rest } = splitPattern(pattern);
  if (folder === "") return pattern;
  try {
    const real = Deno.realPathSync(folder);
    return `${escapePattern(real === "/" && rest !== "" ? "" : real)}${rest}`;
  } catch {
    // It is not there yet, or nobody may look at it.
    return pattern;
  }
}
