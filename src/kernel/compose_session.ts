import type { RunSetup } from "../protocol/mod.ts";
import { type AnyToolDefinition, wrapToolDefinition } from "../sdk/mod.ts";
import {
  AgentSession,
  buildSystemPrompt,
  type CheckRunner,
  type LimitOptions,
  type SessionEntry,
  SessionProjection,
} from "../session/mod.ts";
import type { KernelServices } from "./services.ts";

/** Puts a session together from its setup, its active tools and what serves it. */
export function composeSession(
  setup: Pick<
    RunSetup,
    | "cwd"
    | "model"
    | "thinkingLevel"
    | keyof LimitOptions
    | "maxRetries"
    | "sessionId"
    | "check"
    | "outputSchema"
    | "promptContext"
  >,
  tools: readonly AnyToolDefinition[],
  services: Pick<KernelServices, "streamModel" | "emit" | "sessionFile"> & {
    runCheck: CheckRunner;
  },
  history: readonly SessionEntry[] = [],
): AgentSession {
  const { cwd, model, thinkingLevel, check, outputSchema } = setup;
  const { maxTurns, maxToolCalls, maxRepeats, maxBudgetUsd, onLimit } = setup;
  return new AgentSession({
    model,
    ...(thinkingLevel ? { thinkingLevel } : {}),
    systemPrompt: buildSystemPrompt({
      tools,
      cwd,
      outputSchema,
      context: setup.promptContext,
    }),
    messages: new SessionProjection(history).messages,
    tools: tools.map((definition) =>
      wrapToolDefinition(definition, (_toolCallId, signal) => ({
        cwd,
        sessionEnvironment: {
          ...sessionEnvironment(setup),
          ...fileVariable(services.sessionFile()),
        },
        ...(signal ? { signal } : {}),
      }))
    ),
    streamFn: services.streamModel,
    emit: services.emit,
    maxTurns,
    maxToolCalls,
    maxRepeats,
    maxBudgetUsd,
    onLimit,
    retry: { maxRetries: setup.maxRetries },
    ...(check ? { check: { ...check, run: services.runCheck } } : {}),
    ...(outputSchema ? { outputSchema } : {}),
  });
}

function fileVariable(file: string | undefined): Record<string, string> {
  return file === undefined ? {} : { TAU_SESSION_FILE: file };
}

function sessionEnvironment(
  { sessionId, model }: Pick<RunSetup, "sessionId" | "model">,
): Record<string, string> {
  return {
    TAU_SESSION_ID: sessionId,
    TAU_PROVIDER: model.provider,
    TAU_MODEL: model.id,
  };
}
