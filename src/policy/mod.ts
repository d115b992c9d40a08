// The permission policy as data and pure decisions on it: roots, protected
// names, and which environment variables children inherit. It does no I/O and
// knows neither tools nor sandboxes.
export { childEnvironment } from "./environment.ts";
export {
  decideRead,
  decideWrite,
  isInside,
  isProtected,
  PROTECTED_NAMES,
} from "./path_policy.ts";
export type { PathPolicy } from "./path_policy.ts";
export { allowsAddress } from "./net_policy.ts";
export type { NetPolicy } from "./net_policy.ts";
export { composePolicy, PROFILES } from "./permission_policy.ts";
export type {
  PermissionPolicy,
  PolicyFacts,
  Profile,
} from "./permission_policy.ts";
export { HOME_SECRETS, SYSTEM_SECRETS } from "./secrets.ts";
export { decideCall } from "./decide_call.ts";
export type { RuledCall } from "./decide_call.ts";
export { deniedPathPatterns } from "./denied_paths.ts";
export type { DeniedPattern } from "./denied_paths.ts";
export {
  absolutePatterns,
  escapePattern,
  matchesPath,
  splitPattern,
} from "./path_pattern.ts";
export {
  COMMAND_LINE,
  COMMAND_TOOLS,
  describeRule,
  parseRule,
  PATH_TOOLS,
  RuleError,
} from "./permission_rule.ts";
export type { PermissionRule, RuleEffect } from "./permission_rule.ts";
export type { RuleDecision } from "./rule_decision.ts";
export { secretForms, secretValues } from "./secret_values.ts";
