import type { RunOptions } from "../host/run.ts";
import {
  COMMAND_LINE as source,
  parseRule,
  type PermissionRule,
} from "../policy/permission_rule.ts";

/** Options that say which tool calls are made. */
export interface RuleFlags {
  "allow-tool"?: readonly PermissionRule[];
  "deny-tool"?: readonly PermissionRule[];
  "fail-on-denied"?: boolean;
}

/** How they are scanned. */
export const ruleFlags = {
  "allow-tool": {
    kind: "parsed",
    parse: (text: string) => parseRule(text, { effect: "allow", source }),
    optional: true,
    variadic: true,
    brief: "make these calls without asking",
  },
  "deny-tool": {
    kind: "parsed",
    parse: (text: string) => parseRule(text, { effect: "deny", source }),
    optional: true,
    variadic: true,
    brief: "never make these calls",
  },
  "fail-on-denied": {
    kind: "boolean",
    optional: true,
    withNegated: false,
    brief: "end with 30 when anything was denied",
  },
} as const;

/** The rules of a run: those of the command line before those of the settings. */
export function ruleChoice(
  flags: RuleFlags,
  rules: readonly PermissionRule[],
): Pick<RunOptions, "rules" | "failOnDenied"> {
  const { "allow-tool": allowed = [], "deny-tool": denied = [] } = flags;
  return {
    rules: [...denied, ...allowed, ...rules],
    failOnDenied: flags["fail-on-denied"],
  };
}
