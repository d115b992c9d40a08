import { decideCommand } from "./decide_command.ts";
import { matchesPath } from "./path_pattern.ts";
import {
  COMMAND_TOOLS,
  PATH_TOOLS,
  type PermissionRule,
  type RuleEffect,
} from "./permission_rule.ts";
import { readPowerShellCommands } from "./powershell_commands.ts";
import type { RuleDecision } from "./rule_decision.ts";
import type { ShellScript } from "./shell_command.ts";

/** A tool call as rules see it. */
export interface RuledCall {
  tool: string;
  /** Of a shell tool. */
  command?: string | undefined;
  /** Of a path tool: absolute, as the call names it, and with links followed. */
  path?: { written: string; real: string } | undefined;
}

const ORDER: readonly RuleEffect[] = ["deny", "allow", "ask"];

/**
 * What the rules say about a call: those that deny are looked at first, then
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

/** What allows must fit where the path leads; what does not, also how it is written, and what is above it. */
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
