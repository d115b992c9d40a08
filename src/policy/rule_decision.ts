import type { PermissionRule, RuleEffect } from "./permission_rule.ts";

/** The decision of the rules about a call. */
export interface RuleDecision {
  effect: RuleEffect;
  /** Which of them says it. */
  rule: PermissionRule;
  /** The command or path that it is about, or what is not clear. */
  about?: string;
  /** The rule may or may not apply; it shows only when the call runs. */
  isUncertain?: boolean;
}
