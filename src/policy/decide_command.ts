import { matchesText, mayMatchText } from "./command_pattern.ts";
import type { PermissionRule } from "./permission_rule.ts";
import type { RuleDecision } from "./rule_decision.ts";
import {
  commandText,
  type ShellCommand,
  type ShellScript,
  shownCommand,
  spellings,
  withInner,
} from "./shell_command.ts";

/**
 * The decision of the rules of a shell about a line. One command that is denied
 * denies it, all of them must be allowed for it to be; what is not clear is
 * asked about where a rule might be about it. Undefined when no rule is.
 */
export function decideCommand(
  rules: readonly PermissionRule[],
  script: ShellScript,
): RuleDecision | undefined {
  const all = [...withInner(script.commands)];
  const ofEffect = (effect: PermissionRule["effect"]) =>
    rules.filter((rule) => rule.effect === effect);
  const denies = ofEffect("deny");
  const asks = ofEffect("ask");
  const denied = firstMatch(denies, all, matchesText);
  if (denied) return denied;

  const allows = ofEffect("allow");
  const anything = allows.find((rule) => rule.pattern === undefined);
  if (anything) return { effect: "allow", rule: anything };
  const doubtful = firstMatch(denies, all, mayMatchText);
  const isClear = script.unclear === undefined && !doubtful;
  if (isClear && !script.writesFile && script.commands.length > 0) {
    const covering = script.commands.map((command) => covered(command, allows));
    const [first] = covering;
    if (first && covering.every((rule) => rule !== undefined)) {
      return { effect: "allow", rule: first };
    }
  }

  if (doubtful) return { ...doubtful, effect: "ask", isUncertain: true };
  const asked = firstMatch(asks, all, mayMatchText);
  if (asked) return asked;
  const dodged = denies[0] ?? asks[0];
  return script.unclear !== undefined && dodged
    ? { effect: "ask", rule: dodged, about: script.unclear, isUncertain: true }
    : undefined;
}

function firstMatch(
  rules: readonly PermissionRule[],
  commands: readonly ShellCommand[],
  matches: (pattern: string, text: string) => boolean,
): RuleDecision | undefined {
  for (const rule of rules) {
    const { effect, pattern } = rule;
    if (pattern === undefined) return { effect, rule };
    const command = commands.find((command) =>
      spellings(command).some((text) => matches(pattern, text))
    );
    if (command) return { effect, rule, about: shownCommand(command) };
  }
  return undefined;
}

/** The rule that allows a command with all that it runs. */
function covered(
  command: ShellCommand,
  allows: readonly PermissionRule[],
): PermissionRule | undefined {
  const text = commandText(command);
  const own = allows.find(({ pattern = "*" }) => matchesText(pattern, text));
  const { inner } = command;
  if (inner.length === 0) return own;
  const rules = inner.map((one) =>
    covered(one, allows) ?? (own && names(own, one) ? own : undefined)
  );
  return rules.every((rule) => rule !== undefined)
    ? own ?? (command.innerRuleSuffices ? rules[0] : undefined)
    : undefined;
}

/** True when a rule speaks of what is run in words, as `sudo git status*` does, and not by its `*`. */
function names(
  { pattern = "" }: PermissionRule,
  { words }: ShellCommand,
): boolean {
  const [plain = ""] = pattern.split("*", 1);
  return plain.trimEnd().split(/\s+/).includes(words[0] ?? "");
}
