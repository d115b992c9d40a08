import type { ToolCallHooks } from "../agent/loop_config.ts";
import type { Model, ThinkingLevel } from "../model/model.ts";
import type { StreamFn } from "../model/stream.ts";
import type { ToolDeniedEvent } from "../protocol/documented_events.ts";
import { AgentSession } from "./agent_session.ts";
import { type Ask, askForApproval, refuseMisspelt } from "./approvals.ts";
import type { CompactionOptions } from "./compaction.ts";
import type { GoalOptions } from "./create_goals.ts";
import { NestedCalls } from "./nested_calls.ts";
import type { PromptContext } from "./prompt_context.ts";
import type { RetryOptions } from "./retry.ts";
import { createRuleGate, gated, type RuleGateOptions } from "./rule_gate.ts";
import type { LimitOptions } from "./run_limits.ts";
import type { SessionEntry } from "./session_entry.ts";
import type { SessionEvent, SessionEventSink } from "./session_event.ts";
import { SessionProjection } from "./session_projection.ts";
import { SessionToolSet } from "./session_tool_set.ts";
import { buildSystemPrompt } from "./system_prompt.ts";
import type { ServedTool, ToolServer } from "./tool_server.ts";

/** All that a session is made of. */
export interface SessionParts extends
  GoalOptions,
  Pick<
    RuleGateOptions,
    "rules" | "asksForCommands" | "locate" | "onJudged"
  > {
  /** The working folder, absolute and real. */
  cwd: string;
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
  /** The session so far. Default: it begins. */
  entries?: readonly SessionEntry[];
  builtIn: readonly ServedTool[];
  /** Brings tools and hooks beside them. */
  server?: ToolServer | undefined;
  tools: {
    /** Names of the tools that are active at first, in the order in which they are declared. */
    active: readonly string[];
    /** The only tools that may be active. Default: all. */
    allowed?: readonly string[] | undefined;
    /** Tools that are never active. */
    excluded?: readonly string[] | undefined;
  };
  streamFn: StreamFn;
  /** Hears every event, in order; awaited. It keeps what is to be kept, before it tells. */
  emit(event: SessionEvent | ToolDeniedEvent): void | Promise<void>;
  /** Asks the user; absent where nobody can be asked. */
  ask?: Ask | undefined;
  limits?: LimitOptions | undefined;
  retry?: Omit<RetryOptions, "emit"> | undefined;
  compaction?: CompactionOptions | undefined;
  promptContext?: PromptContext | undefined;
}

/**
 * Puts a session together: the one composition, in the program and in any
 * other. Throws an {@linkcode UnknownToolError} for a rule that misspells a tool.
 */
export function composeSession(parts: SessionParts): AgentSession {
  const { server, cwd, answerSchema, emit, ask } = parts;
  const tools = new SessionToolSet({
    builtIn: parts.builtIn,
    served: () => server?.tools ?? [],
    ...parts.tools,
  });
  refuseMisspelt(parts.rules, tools.all);
  const gate = createRuleGate({
    rules: parts.rules,
    cwd,
    asksForCommands: parts.asksForCommands,
    locate: parts.locate,
    onJudged: parts.onJudged,
    ask: (question, signal) =>
      ask
        ? askForApproval(ask, question, signal)
        : Promise.resolve("unavailable"),
    onDenied: emit,
  });
  const beforeToolCall = withheldBy(
    server,
    gated(gate, () => server?.hooks.beforeToolCall),
  );
  const session = new AgentSession({
    model: parts.model,
    ...(parts.thinkingLevel ? { thinkingLevel: parts.thinkingLevel } : {}),
    systemPrompt: () =>
      buildSystemPrompt({
        tools: tools.active(),
        cwd,
        answerSchema,
        context: parts.promptContext,
      }),
    messages: new SessionProjection(parts.entries).messages,
    tools: tools.tools,
    hooks: server?.hooks,
    streamFn: parts.streamFn,
    emit: server ? heardBehind(emit, server) : emit,
    beforeToolCall,
    ...parts.limits,
    ...(parts.retry ? { retry: parts.retry } : {}),
    compaction: parts.compaction,
    check: parts.check,
    answerSchema,
  });
  const nested = new NestedCalls(() => ({
    beforeToolCall,
    afterToolCall: (call, signal) =>
      server?.hooks.afterToolCall?.(call, signal),
  }));
  server?.join({
    session,
    toolsChanged: () => tools.refresh(),
    runCall: (call) =>
      nested.run(call, {
        tools: tools.tools.snapshot(),
        model: session.answers.model,
      }),
    parentOf: (call) => nested.parentOf(call),
  });
  return session;
}

/** The hooks hear of a compaction behind everybody else; of a run its session tells them. */
function heardBehind(
  emit: SessionEventSink,
  { hooks }: ToolServer,
): SessionEventSink {
  return (event) => {
    const heard = emit(event);
    if (event.type !== "compaction_end") return heard;
    return Promise.resolve(heard).then(() => hooks.compacted?.(event));
  };
}

function withheldBy(
  server: ToolServer | undefined,
  gate: NonNullable<ToolCallHooks["beforeToolCall"]>,
): NonNullable<ToolCallHooks["beforeToolCall"]> {
  if (!server?.withheld) return gate;
  return (call, signal) => {
    const reason = server.withheld?.(call.toolCall.name);
    return reason === undefined ? gate(call, signal) : { block: true, reason };
  };
}
