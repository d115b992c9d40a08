import type { PermissionRule, RuleEffect } from "./permission_rule.ts";

/** What the rules say about a call. */
export interface RuleDecision {
  effect: RuleEffect;
  /** Which of them says it. */
  rule: PermissionRule;
  /** The command or path that it is about, or what is not clear. */
  about?: string;
  /** The rule might be about the call, which cannot be told before it runs. */
  isDoubt?: boolean;
}
