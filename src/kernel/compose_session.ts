import type { RunSetup } from "../protocol/mod.ts";
import { type AnyToolDefinition, wrapToolDefinition } from "../sdk/mod.ts";
import { AgentSession, buildSystemPrompt } from "../session/mod.ts";
import type { KernelServices } from "./services.ts";

/** Puts a session together from its setup, its active tools and what serves it. */
export function composeSession(
  setup: Pick<
    RunSetup,
    "cwd" | "model" | "thinkingLevel" | "maxTurns" | "sessionId"
  >,
  tools: readonly AnyToolDefinition[],
  services: Pick<KernelServices, "streamModel" | "emit">,
): AgentSession {
  const { cwd, model, thinkingLevel, maxTurns } = setup;
  return new AgentSession({
    model,
    ...(thinkingLevel ? { thinkingLevel } : {}),
    systemPrompt: buildSystemPrompt({ tools, cwd }),
    tools: tools.map((definition) =>
      wrapToolDefinition(definition, (_toolCallId, signal) => ({
        cwd,
        sessionEnvironment: sessionEnvironment(setup),
        ...(signal ? { signal } : {}),
      }))
    ),
    streamFn: services.streamModel,
    emit: services.emit,
    ...(maxTurns === undefined ? {} : { maxTurns }),
  });
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
