import type {
  BeforeToolCallResult,
  ToolCallHooks,
} from "../agent/loop_config.ts";
import type { JsonObject } from "../model/content.ts";
import { decideCall, type RuledCall } from "../policy/decide_call.ts";
import { COMMAND_TOOLS, PATH_TOOLS } from "../policy/built_in_tools.ts";
import {
  describeRule,
  type PermissionRule,
} from "../policy/permission_rule.ts";
import type { RuleDecision } from "../policy/rule_decision.ts";
import type { ToolDeniedEvent } from "../protocol/documented_events.ts";

/** A call that the user is asked about. */
export interface ApprovalQuestion {
  toolName: string;
  args: Readonly<JsonObject>;
  /** Reason for the question. */
  why: string;
}

/** Answer to a question; `always` holds for the same call as long as the session; `unavailable` where nobody can be asked. */
export type Approval = "yes" | "always" | "no" | "unavailable";

/** Rules and questions that decide about tool calls. */
export interface RuleGateOptions {
  rules: readonly PermissionRule[];
  /** Absolute and real. */
  cwd: string;
  /** Ask about commands that no rule is about, where the user can be asked. */
  asksForCommands(): boolean | Promise<boolean>;
  /** The path that an argument means, and where it leads. */
  locate(path: string): Promise<{ written: string; real: string }>;
  /** Hears which path a call was judged by, where a rule spoke of paths. */
  onJudged?: ((toolCallId: string, realPath: string) => void) | undefined;
  ask(question: ApprovalQuestion, signal?: AbortSignal): Promise<Approval>;
  /** Hears of each call that is not made. */
  onDenied(event: ToolDeniedEvent): void | Promise<void>;
}

/** The hook that stands before each call. */
export type RuleGate = NonNullable<ToolCallHooks["beforeToolCall"]>;

/**
 * Decides by the user's rules whether a call is made. A call that needs an
 * approval which nobody can give is not made, and the model hears which rule
 * stands in its way. Asked again about the same arguments of a call, as behind
 * a hook that changed nothing, it does not ask the user again.
 */
export function createRuleGate(options: RuleGateOptions): RuleGate {
  const { rules, asksForCommands, ask, onDenied, onJudged } = options;
  /** Approvals of the user, by the call. */
  const approved = new Map<string, string>();
  /** Approvals of the user for the session. */
  const approvedForSession = new Set<string>();

  return async ({ toolCall, args }, signal) => {
    const { id: toolCallId, name: toolName } = toolCall;
    const ruled = await ruledCall({ toolName, args }, options);
    if (ruled.path) onJudged?.(toolCallId, ruled.path.real);
    const decision = await decideCall(rules, ruled);
    const refuse = async (
      reason: ToolDeniedEvent["reason"],
    ): Promise<BeforeToolCallResult> => {
      const { text: rule, source } = decision?.rule ?? {};
      await onDenied({
        type: "tool_denied",
        toolCallId,
        toolName,
        reason,
        ...(rule === undefined ? {} : { rule, source }),
      });
      return { block: true, reason: refusal(toolName, reason, decision) };
    };
    if (decision?.effect === "deny") return await refuse("denied");
    if (decision?.effect === "allow") return undefined;
    const isFree = !decision &&
      !(COMMAND_TOOLS.includes(toolName) && await asksForCommands());
    if (isFree) return undefined;

    const asked = JSON.stringify(args);
    if (approved.get(toolCallId) === asked) return undefined;
    const kind = sameCall({ toolName, args }, decision);
    if (approvedForSession.has(kind)) return undefined;
    const why = decision
      ? `${whyAsked(decision)}: ${describeRule(decision.rule)}`
      : "commands are not confined by a sandbox here";
    const approval = await ask({ toolName, args, why }, signal);
    signal?.throwIfAborted();
    if (approval === "always") approvedForSession.add(kind);
    if (approval === "yes" || approval === "always") {
      approved.clear();
      approved.set(toolCallId, asked);
      return undefined;
    }
    if (approval === "no") return await refuse("not_approved");
    // What no rule speaks of is only asked about where somebody is there.
    return decision ? await refuse("no_approver") : undefined;
  };
}

/** A gate in front of a hook, where there is one by then, and behind it for arguments that it changed. */
export function gated(
  gate: RuleGate,
  currentHook: () => ToolCallHooks["beforeToolCall"],
): RuleGate {
  return async (call, signal) => {
    const before = await gate(call, signal);
    const hook = currentHook();
    if (before?.block || !hook) return before;
    const decision = await hook(call, signal);
    if (!decision?.args || decision.block) return decision;
    const after = await gate({ ...call, args: decision.args }, signal);
    return after?.block ? after : decision;
  };
}

async function ruledCall(
  { toolName: tool, args }: { toolName: string; args: Readonly<JsonObject> },
  { rules, locate }: RuleGateOptions,
): Promise<RuledCall> {
  if (COMMAND_TOOLS.includes(tool)) {
    return { tool, command: String(args.command ?? "") };
  }
  const isAboutPaths = PATH_TOOLS.includes(tool) &&
    rules.some((rule) => rule.tool === tool && rule.pattern !== undefined);
  if (!isAboutPaths) return { tool };
  const path = typeof args.path === "string" ? args.path : ".";
  return { tool, path: await locate(path) };
}

/** Returns the key of the calls that one approval is good for: rule, tool and command line, or all arguments. */
function sameCall(
  { toolName, args }: { toolName: string; args: Readonly<JsonObject> },
  decision: RuleDecision | undefined,
): string {
  const rule = decision ? describeRule(decision.rule) : "";
  const what = COMMAND_TOOLS.includes(toolName) ? args.command : args;
  return JSON.stringify([rule, toolName, what]);
}

function whyAsked({ isUncertain, about }: RuleDecision): string {
  if (!isUncertain) return "a rule asks for it";
  return `a rule might be about it${about === undefined ? "" : ` (${about})`}`;
}

function refusal(
  toolName: string,
  reason: ToolDeniedEvent["reason"],
  decision: RuleDecision | undefined,
): string {
  const rule = decision && describeRule(decision.rule);
  const about = decision?.about === undefined ? "" : ` (${decision.about})`;
  if (reason === "denied") {
    return `Not run: denied by the rule ${rule}${about}. It cannot be approved; do it another way, or tell the user what is needed and why`;
  }
  if (reason === "not_approved") {
    return "Not run: the user did not approve this call. Do it another way, or ask what the user wants";
  }
  const doubt = decision?.isUncertain ? "might be about it and " : "";
  return `Not run: the rule ${rule} ${doubt}wants the user's approval${about}, and nobody can approve anything in this run. Do it another way, or tell the user what is needed; the option --allow-tool "${
    allowingRule(toolName, decision)
  }" would allow it`;
}

/** A rule that would allow the call. */
function allowingRule(
  toolName: string,
  decision: RuleDecision | undefined,
): string {
  const { about, isUncertain } = decision ?? {};
  const isPlain = about !== undefined && /^[\w ./=:-]{1,100}$/.test(about);
  return isPlain && !isUncertain ? `${toolName}(${about})` : toolName;
}
