import { decideCommand } from "./decide_command.ts";
import { matchesPath } from "./path_pattern.ts";
import { COMMAND_TOOLS, PATH_TOOLS } from "./built_in_tools.ts";
import type { PermissionRule, RuleEffect } from "./permission_rule.ts";
import type { RuleDecision } from "./rule_decision.ts";
import type { ShellScript } from "./shell_command.ts";
import { UNKNOWN } from "./command_pattern.ts";

/** A tool call as rules see it. */
export interface RuledCall {
  tool: string;
  /** Command of a shell tool. */
  command?: string | undefined;
  /** Path of a path tool: absolute, as the call names it, and with links followed. */
  path?: { written: string; real: string } | undefined;
}

const ORDER: readonly RuleEffect[] = ["deny", "allow", "ask"];

/**
 * The decision of the rules about a call: those that deny are looked at first, then
 * those that allow, then those that ask. Undefined when none is about it.
 */
export async function decideCall(
  rules: readonly PermissionRule[],
  call: RuledCall,
): Promise<RuleDecision | undefined> {
  const own = rules.filter((rule) => rule.tool === call.tool);
  if (own.length === 0) return undefined;
  const { command, path, tool } = call;
  if (COMMAND_TOOLS.includes(tool) && command !== undefined) {
    // Most rules of a shell are about all of it, and need no parser.
    const script = own.some((rule) => rule.pattern !== undefined)
      ? await readCommands(tool, command)
      : { commands: [], writesFile: false };
    return decideCommand(tool === "bash" ? own : own.map(small), script);
  }
  for (const effect of ORDER) {
    for (const rule of own) {
      if (rule.effect !== effect) continue;
      if (rule.pattern === undefined) return { effect, rule };
      if (!PATH_TOOLS.includes(tool) || !path) continue;
      if (isAbout(rule, path)) return { effect, rule, about: path.written };
    }
  }
  return undefined;
}

async function readCommands(
  tool: string,
  command: string,
): Promise<ShellScript> {
  if (tool !== "bash") return readPowerShellCommands(command);
  const { readBashCommands } = await import("./bash_commands.ts");
  return readBashCommands(command);
}

/** PowerShell knows no capitals. */
function small(rule: PermissionRule): PermissionRule {
  return rule.pattern === undefined
    ? rule
    : { ...rule, pattern: rule.pattern.toLowerCase() };
}

/** An allow rule must fit where the path leads; any other also how it is written, and what is above it. */
function isAbout(
  { effect, paths = [] }: PermissionRule,
  { written, real }: { written: string; real: string },
): boolean {
  return effect === "allow"
    ? paths.some((pattern) => matchesPath(pattern, real, { below: false }))
    : paths.some((pattern) =>
      [written, real].some((path) =>
        matchesPath(pattern, path, { below: true })
      )
    );
}

/**
 * The commands of a line of PowerShell, as far as they can be told without its
 * parser: what is more than one plain command is unclear, and its pieces count
 * for what is forbidden only.
 */
function readPowerShellCommands(source: string): ShellScript {
  const isPlain = !/[;|&<>(){}$`\n\r@\[\]'",]/.test(source);
  const pieces = source.split(/[;|&<>(){}=\n\r@]+/);
  return {
    commands: pieces.flatMap((piece) => {
      const words = piece.replaceAll(UNKNOWN, "")
        .toLowerCase().replace(/['"`]/g, "").split(/\s+/)
        .filter((word) => word !== "");
      return words.length === 0
        ? []
        : [{ words, assignments: [], inner: [], innerRuleSuffices: false }];
    }),
    writesFile: false,
    ...(isPlain ? {} : { unclear: "it is more than one plain command" }),
  };
}
