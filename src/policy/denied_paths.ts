import { matchesPath } from "./path_pattern.ts";
import { describeRule, type PermissionRule } from "./permission_rule.ts";

/** Paths that no file tool touches, whatever a call is named. */
export interface DeniedPattern {
  access: "read" | "write";
  /** Absolute, without braces; it stands for all below what it matches, too. */
  pattern: string;
  /** The rule and where it stands, for people. */
  rule: string;
}

/** Patterns that rules which deny `read` or `write` forbid to all file tools. The rules know their place. */
export function deniedPathPatterns(
  rules: readonly PermissionRule[],
): DeniedPattern[] {
  return rules.flatMap((rule) => {
    const { effect, tool, pattern, paths = [] } = rule;
    if (effect !== "deny") return [];
    if (tool !== "read" && tool !== "write") return [];
    const patterns = pattern === undefined ? ["/**"] : paths;
    return patterns.map((pattern) => ({
      access: tool,
      pattern,
      rule: describeRule(rule),
    }));
  });
}

/** The first pattern that denies this access to a real path. */
export function deniedBy(
  patterns: readonly DeniedPattern[] | undefined,
  access: DeniedPattern["access"],
  realPath: string,
): DeniedPattern | undefined {
  return patterns?.find((denied) =>
    denied.access === access &&
    matchesPath(denied.pattern, realPath, { below: true })
  );
}
