import type { JsonObject, ToolCall } from "../model/content.ts";
import { isSameJson } from "../model/json_values.ts";
import type { AssistantMessage } from "../model/message.ts";
import {
  validateToolArguments,
  validateValue,
} from "../model/validate_arguments.ts";
import { withoutUndefined } from "../model/without_undefined.ts";
import { ABORT_GRACE_MS, ABORTED_TEXT, untilAborted } from "./abort.ts";
import type {
  AgentTool,
  AgentToolResult,
  AgentToolUpdate,
} from "./agent_tool.ts";
import type {
  AgentContext,
  BeforeToolCallContext,
  BeforeToolCallResult,
  ToolCallHooks,
} from "./loop_config.ts";
import { errorText } from "./error_text.ts";
import {
  isNonRecoverableToolError,
  type NonRecoverableToolError,
} from "./non_recoverable_tool_error.ts";
import { ToolError } from "./tool_error.ts";

/** The outcome of one tool call. */
export interface AgentToolCallOutcome {
  /** The call. */
  toolCall: ToolCall;
  /** The tool's result, or what a hook made of it; a text for the model where it failed. */
  result: AgentToolResult;
  /** True when the model hears of a failure. */
  isError: boolean;
  /** Milliseconds of `execute`, monotonic; absent when it never ran. */
  durationMs?: number;
  /** The reason why the run has to end with this call; the model hears of it as of any error. */
  nonRecoverable?: NonRecoverableToolError;
}

/** Surroundings of a tool call. */
export interface ToolCallEnvironment extends ToolCallHooks {
  /** Tools among which the call finds its own, by name. */
  tools: readonly AgentTool[];
  /** The message that holds the call. */
  assistantMessage: AssistantMessage;
  /** For the hooks. */
  context: AgentContext;
  /** Ends the call; its result says `Operation aborted`. */
  signal?: AbortSignal;
}

/** A call that passed every check, or one that was answered without running. */
export type PreparedToolCall =
  | {
    ready: true;
    tool: AgentTool;
    /** The tool's own; it may change them. */
    args: JsonObject;
    call: BeforeToolCallContext;
  }
  | { ready: false; outcome: AgentToolCallOutcome };

/**
 * Runs one tool call through all five steps: prepare, validate, before,
 * execute, after. Emits nothing and never rejects: every failure is an outcome
 * with `isError`.
 */
export async function runToolCall(
  toolCall: ToolCall,
  environment: ToolCallEnvironment & { onUpdate?: AgentToolUpdate },
): Promise<AgentToolCallOutcome> {
  const prepared = await prepareToolCall(toolCall, environment);
  if (!prepared.ready) return prepared.outcome;
  return await executePreparedCall(prepared, environment, environment.onUpdate);
}

/** The first three steps. Calls of one batch are prepared one after the other, so that questions to the user never overlap. */
export async function prepareToolCall(
  toolCall: ToolCall,
  environment: ToolCallEnvironment,
): Promise<PreparedToolCall> {
  const { tools, assistantMessage, context, signal } = environment;
  try {
    if (signal?.aborted) throw new ToolError(ABORTED_TEXT);
    const tool = tools.find((tool) => tool.name === toolCall.name);
    if (!tool) throw new ToolError(`Tool ${toolCall.name} not found`);

    let args = await untilAborted(validated(tool, toolCall, signal), signal);
    const { beforeToolCall, afterToolCall } = environment;
    const asCall = (args: JsonObject): BeforeToolCallContext => ({
      assistantMessage,
      toolCall,
      args,
      context,
    });
    const ready = (args: JsonObject): PreparedToolCall => ({
      ready: true,
      tool,
      args,
      call: asCall(afterToolCall ? frozenCopy(args) : args),
    });
    if (!beforeToolCall) return ready(args);

    const shown = structuredClone(args);
    const decision = await untilAborted(
      beforeToolCall(asCall(shown), signal),
      signal,
    );
    if (signal?.aborted) throw new ToolError(ABORTED_TEXT);
    if (decision?.block) {
      const outcome = failedOutcome(
        toolCall,
        decision.reason || "Tool execution was blocked",
      );
      if (decision.terminate) outcome.result.terminate = true;
      return { ready: false, outcome };
    }
    const changed = decision?.args ??
      (isSameJson(shown, args) ? undefined : shown);
    if (changed === undefined) return ready(args);
    args = await untilAborted(
      validateChanged(tool, { ...decision, args: changed }, signal),
      signal,
    );
    return ready(args);
  } catch (error) {
    return {
      ready: false,
      outcome: failedOutcome(toolCall, failureText(error, signal)),
    };
  }
}

/**
 * The last two steps. After an abort the tool has {@linkcode ABORT_GRACE_MS}
 * to settle with a result of its own; then the call ends without it. Progress
 * that a tool reports after it has settled is ignored.
 */
export async function executePreparedCall(
  { tool, args, call }: Extract<PreparedToolCall, { ready: true }>,
  environment: Pick<ToolCallEnvironment, "afterToolCall" | "signal">,
  onUpdate?: AgentToolUpdate,
): Promise<AgentToolCallOutcome> {
  const { toolCall } = call;
  const { signal } = environment;
  if (signal?.aborted) return failedOutcome(toolCall, ABORTED_TEXT);

  let outcome: AgentToolCallOutcome;
  let settled = false;
  const startMs = performance.now();
  try {
    const returned = await untilAborted(
      tool.execute(toolCall.id, args, signal, (partial) => {
        if (!settled) onUpdate?.(normaliseResult(partial));
      }),
      signal,
      ABORT_GRACE_MS,
    );
    const result = normaliseResult(returned);
    checkStructuredContent(tool, result);
    outcome = { toolCall, result, isError: result.isError === true };
  } catch (error) {
    outcome = failedOutcome(toolCall, failureText(error, signal));
    if (isNonRecoverableToolError(error)) outcome.nonRecoverable = error;
  }
  settled = true;
  outcome.durationMs = Math.round(performance.now() - startMs);
  if (!environment.afterToolCall) return outcome;
  return await finaliseOutcome(outcome, call, environment);
}

/** An error outcome with one text for the model. */
export function failedOutcome(
  toolCall: ToolCall,
  text: string,
): AgentToolCallOutcome {
  const result = { content: [{ type: "text" as const, text }], details: {} };
  return { toolCall, result, isError: true };
}

async function finaliseOutcome(
  outcome: AgentToolCallOutcome,
  call: BeforeToolCallContext,
  { afterToolCall, signal }: Pick<
    ToolCallEnvironment,
    "afterToolCall" | "signal"
  >,
): Promise<AgentToolCallOutcome> {
  const { result, isError } = outcome;
  try {
    const patch = await untilAborted(
      afterToolCall?.({ ...call, result, isError }, signal),
      signal,
      ABORT_GRACE_MS,
    );
    if (!patch) return outcome;
    const kept = patch.content === undefined
      ? result
      : { ...result, structuredContent: undefined };
    const { content, structuredContent, details, usage, terminate } = patch;
    const changed = { content, structuredContent, details, usage, terminate };
    return {
      ...outcome,
      result: normaliseResult({ ...kept, ...withoutUndefined(changed) }),
      isError: patch.isError ?? isError,
    };
  } catch (error) {
    const failed = failedOutcome(outcome.toolCall, failureText(error, signal));
    return { ...outcome, ...failed };
  }
}

/**
 * A plain copy of what a result may hold. A tool need not be typed, so content
 * may be missing and a getter may throw: here, and not later in the run.
 */
function normaliseResult(returned: unknown): AgentToolResult {
  const given = (returned ?? {}) as Partial<AgentToolResult>;
  return withoutUndefined({
    content: Array.isArray(given.content) ? given.content : [],
    details: given.details,
    structuredContent: given.structuredContent,
    usage: given.usage,
    isError: given.isError === true || undefined,
    terminate: given.terminate === true || undefined,
    addedToolNames: given.addedToolNames,
  });
}

function checkStructuredContent(
  tool: AgentTool,
  result: AgentToolResult,
): void {
  if (!tool.outputSchema || result.isError) return;
  if (result.structuredContent === undefined) return;
  const [fault] = validateValue(tool.outputSchema, result.structuredContent);
  if (!fault) return;
  throw new ToolError(
    `Tool "${tool.name}" returned structured content that does not match its output schema: ${fault.path}: ${fault.message}`,
  );
}

/** Arguments as the model wrote them, mended and checked. */
function validated(
  tool: AgentTool,
  toolCall: ToolCall,
  signal: AbortSignal | undefined,
): JsonObject | Promise<JsonObject> {
  const { argumentsError, arguments: raw } = toolCall;
  if (tool.validateArguments && !argumentsError) {
    return tool.validateArguments(structuredClone(raw), signal);
  }
  const prepared = tool.prepareArguments && !argumentsError
    ? tool.prepareArguments(structuredClone(raw))
    : undefined;
  return validateToolArguments(tool, toolCall, prepared);
}

/** Arguments that a hook gave. */
async function validateChanged(
  tool: AgentTool,
  { args = {}, changedBy }: BeforeToolCallResult,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  try {
    return await tool.validateArguments?.(args, signal) ??
      validateToolArguments(tool, { arguments: args });
  } catch (error) {
    if (changedBy === undefined) throw error;
    throw new ToolError(
      `${changedBy} changed the arguments. ${errorText(error)}`,
      { cause: error },
    );
  }
}

function failureText(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted && (error === signal.reason || isAbortError(error))) {
    return ABORTED_TEXT;
  }
  return errorText(error);
}

function isAbortError(error: unknown): boolean {
  try {
    return error instanceof DOMException && error.name === "AbortError";
  } catch {
    // A revoked proxy has no prototype to ask for.
    return false;
  }
}

function frozenCopy(args: JsonObject): Readonly<JsonObject> {
  return deepFreeze(structuredClone(args));
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}
