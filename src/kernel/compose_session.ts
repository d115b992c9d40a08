import type { AgentTool } from "../agent/agent_tool.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import type { RunSetup } from "../protocol/kernel_messages.ts";
import {
  type AnyToolDefinition,
  wrapToolDefinition,
} from "../sdk/tool_definition.ts";
import {
  AgentSession,
  type AgentSessionOptions,
} from "../session/agent_session.ts";
import type { CheckRunner } from "../session/check_goal.ts";
import { goalOptions } from "../session/create_goals.ts";
import type { SessionEntry } from "../session/session_entry.ts";
import type { SessionHooks } from "../session/session_hooks.ts";
import { SessionProjection } from "../session/session_projection.ts";
import { buildSystemPrompt } from "../session/system_prompt.ts";
import type { RuleGate } from "./rule_gate.ts";
import type { KernelServices } from "./services.ts";

/** The tools of a session. */
export interface ComposedTools {
  /** Functions that the session calls. */
  tools: AgentSessionOptions["tools"];
  /** Those that are active now. */
  active(): readonly AnyToolDefinition[];
}

/** Puts a session together from its setup, its tools and what serves it. */
export function composeSession(
  setup: Pick<
    RunSetup,
    | "cwd"
    | "model"
    | "thinkingLevel"
    | "limits"
    | "maxRetries"
    | "compaction"
    | "sessionId"
    | "goals"
    | "promptContext"
  >,
  { tools, active }: ComposedTools,
  services: Pick<KernelServices, "streamModel" | "emit"> & {
    runCheck: CheckRunner;
    /** Decides about each call. */
    beforeToolCall?: RuleGate;
    hooks?: SessionHooks | undefined;
  },
  history: readonly SessionEntry[] = [],
): AgentSession {
  const { cwd, model, thinkingLevel, goals = {} } = setup;
  return new AgentSession({
    model,
    ...(thinkingLevel ? { thinkingLevel } : {}),
    systemPrompt: () =>
      buildSystemPrompt({
        tools: active(),
        cwd,
        answerSchema: goals.answerSchema,
        context: setup.promptContext,
      }),
    messages: new SessionProjection(history).messages,
    tools,
    hooks: services.hooks,
    streamFn: services.streamModel,
    emit: services.emit,
    ...(services.beforeToolCall
      ? { beforeToolCall: services.beforeToolCall }
      : {}),
    ...setup.limits,
    retry: { maxRetries: setup.maxRetries },
    compaction: setup.compaction,
    ...goalOptions(goals, services.runCheck),
  });
}

/** Makes definitions runnable, each call with the context of its session. */
export function toolWrapper(
  { cwd, sessionId }: Pick<RunSetup, "cwd" | "sessionId">,
  { sessionFile, answers }: Pick<KernelServices, "sessionFile"> & {
    /** The model that answers now, and how hard it thinks. */
    answers(): Pick<RunSetup, "model" | "thinkingLevel">;
  },
): (definition: AnyToolDefinition) => AgentTool {
  return (definition) =>
    wrapToolDefinition(definition, (_toolCallId, signal) => {
      const { model, thinkingLevel = "off" } = answers();
      const sessionEnvironment: Record<string, string> = withoutUndefined({
        TAU_SESSION_ID: sessionId,
        TAU_PROVIDER: model.provider,
        TAU_MODEL: model.id,
        TAU_REASONING_LEVEL: thinkingLevel,
        TAU_SESSION_FILE: sessionFile(),
      });
      return withoutUndefined({ cwd, sessionEnvironment, signal });
    });
}
