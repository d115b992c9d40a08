import { COMMAND_TOOLS, PATH_TOOLS } from "../policy/built_in_tools.ts";
import {
  describeRule,
  type PermissionRule,
} from "../policy/permission_rule.ts";
import type { PluginDialog, PluginDialogAnswer } from "../sdk/plugin_ui.ts";
import type { Approval, ApprovalQuestion } from "./rule_gate.ts";

/** A run asked for a tool that does not exist. */
export class UnknownToolError extends Error {
  override name = "UnknownToolError";
}

/** Asks the user. Undefined when nobody answers, or the signal aborts. */
export type Ask = (
  dialog: PluginDialog,
  signal?: AbortSignal,
) => Promise<PluginDialogAnswer>;

/** Characters of a call that are shown, of both of its ends. */
const MAX_SHOWN = 8000;

/** Answers of the user to a call. */
const ANSWERS: ReadonlyMap<unknown, Approval> = new Map([
  ["Yes, this once", "yes"],
  ["Yes, for this session", "always"],
  ["No", "no"],
]);

/** Throws an {@linkcode UnknownToolError} for a rule that misspells a tool. A rule for any other name holds as soon as there is a tool of that name. */
export function refuseMisspelt(
  rules: readonly PermissionRule[],
  tools: readonly { name: string }[],
): void {
  const builtIn = [...PATH_TOOLS, ...COMMAND_TOOLS];
  for (const rule of rules) {
    const { tool } = rule;
    if (builtIn.includes(tool) || tools.some(({ name }) => name === tool)) {
      continue;
    }
    const meant = builtIn.find((name) => name.length > 2 && isNear(name, tool));
    if (meant === undefined) continue;
    throw new UnknownToolError(
      `Wrong rule ${
        describeRule(rule)
      }: there is no tool "${tool}"; a rule for ${meant} is such as "${meant}"`,
    );
  }
}

/** Whether one change of a character, or a swap of two, makes one of the other. */
function isNear(a: string, b: string): boolean {
  let head = 0;
  while (head < a.length && a[head] === b[head]) head++;
  const [restA, restB] = [a.slice(head), b.slice(head)];
  const swapped = `${restA[1] ?? ""}${restA[0] ?? ""}${restA.slice(2)}`;
  return restA.slice(1) === restB || restB.slice(1) === restA ||
    restA.slice(1) === restB.slice(1) || swapped === restB;
}

/** Asks the user about a call. A question that was dismissed is not approved. */
export async function askForApproval(
  ask: Ask,
  { toolName, args, why }: ApprovalQuestion,
  signal: AbortSignal | undefined,
): Promise<Approval> {
  const shown = typeof args.command === "string"
    ? args.command
    : JSON.stringify(args);
  const answer = await ask({
    kind: "select",
    title: `Allow ${toolName}?\n${bothEnds(shown)}\n(${why})`,
    options: [...ANSWERS.keys()].map(String),
  }, signal);
  return ANSWERS.get(answer) ?? "no";
}

function bothEnds(text: string): string {
  const left = text.length - MAX_SHOWN;
  if (left <= 0) return text;
  return `${text.slice(0, MAX_SHOWN / 2)}\n… ${left} characters more …\n${
    text.slice(-MAX_SHOWN / 2)
  }`;
}
