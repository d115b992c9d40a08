import { COMMAND_TOOLS, PATH_TOOLS } from "./built_in_tools.ts";
import { commandPatternProblem } from "./command_pattern.ts";
import { pathPatternProblem } from "./path_pattern.ts";

/** The effect of a rule on the calls that it matches. */
export type RuleEffect = "deny" | "allow" | "ask";

/** One line of `permissions` in the settings, or an option of the command line. */
export interface PermissionRule {
  effect: RuleEffect;
  /** As it was written, such as `bash(git status*)`. */
  text: string;
  tool: string;
  /** Which calls; absent: all. */
  pattern?: string;
  /** The settings file, or {@linkcode COMMAND_LINE}. */
  source: string;
  /** The pattern of a path tool as absolute patterns, once its place is known. */
  paths?: string[];
}

/** A rule that cannot be understood or could never hold; the message says what would be right. */
export class RuleError extends Error {
  override name = "RuleError";
}

/** The source of rules that are options. */
export const COMMAND_LINE = "the command line";

const MAX_LENGTH = 1000;
const FORM = /^(?<tool>[\w-]{1,64})(?:\((?<pattern>.*)\))?$/s;

/** Understands `tool` and `tool(pattern)`. Throws {@linkcode RuleError}. */
export function parseRule(
  text: string,
  { effect, source }: Pick<PermissionRule, "effect" | "source">,
): PermissionRule {
  const groups = FORM.exec(text.trim())?.groups;
  if (text.length > MAX_LENGTH || !groups) {
    throw new RuleError(
      'expected tool or tool(pattern), such as "bash(git status*)" or "write(**/*.lock)"',
    );
  }
  const { tool = "", pattern } = groups;
  const known = [...PATH_TOOLS, ...COMMAND_TOOLS];
  const small = tool.toLowerCase();
  if (tool !== small && known.includes(small)) {
    throw new RuleError(
      `names of tools are written small, such as "${
        pattern === undefined ? small : `${small}(${pattern})`
      }"`,
    );
  }
  const rule = { effect, text: text.trim(), tool, source };
  if (pattern === undefined) return rule;
  if (!known.includes(tool)) {
    throw new RuleError(
      `only ${
        known.join(", ")
      } have patterns; a rule for another tool is its name alone, such as "${tool}"`,
    );
  }
  const isCommand = COMMAND_TOOLS.includes(tool);
  const problem = isCommand
    ? commandPatternProblem(pattern)
    : pathPatternProblem(pattern);
  if (problem !== undefined) {
    const example = isCommand ? `${tool}(git status*)` : `${tool}(src/**)`;
    throw new RuleError(`${problem}, such as "${example}"`);
  }
  return isCommand && pattern.trim() === "*"
    ? rule
    : { ...rule, pattern: pattern.trim() };
}

/** A rule for people: what it says, and where it stands. */
export function describeRule(
  { text, source }: Pick<PermissionRule, "text" | "source">,
): string {
  return `"${text}" of ${
    source === COMMAND_LINE ? source : JSON.stringify(source)
  }`;
}
