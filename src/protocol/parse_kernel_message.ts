import type { AgentMessage } from "../agent/agent_message.ts";
import type { JsonObject } from "../model/content.ts";
import type { Message } from "../model/message.ts";
import { parseDialog } from "./dialog.ts";
import { isPluginEvent } from "./plugin_events.ts";
import type {
  FetchRequest,
  KernelMessage,
  MessageRef,
  ModelRequest,
  ProviderHook,
} from "./kernel_messages.ts";
import type { RefusedAccess } from "./capabilities.ts";
import type { RunEvent, ToolDeniedEvent } from "./run_event.ts";
import type { RunOutcome } from "../session/run_outcome.ts";
import type {
  ProbeOutcome,
  ProbeReport,
  RingProbes,
} from "./sandbox_report.ts";

type Fields = Record<string, unknown>;

/**
 * The message that a kernel sent, or undefined when it is none. Checked is
 * what the host works with; the rest of an event is only ever shown.
 */
export function parseKernelMessage(value: unknown): KernelMessage | undefined {
  if (!isFields(value)) return undefined;
  switch (value.type) {
    case "pong":
      return isIndex(value.n) ? { type: "pong", n: value.n } : undefined;
    case "probed":
      return isProbeReport(value.report)
        ? { type: "probed", report: value.report }
        : undefined;
    case "event":
      return parseEvent(value);
    case "model_request": {
      const request = parseRequest(value.request);
      return request && { type: "model_request", request };
    }
    case "model_cancel":
      return isIndex(value.requestId)
        ? { type: "model_cancel", requestId: value.requestId }
        : undefined;
    case "ask":
      return parseAsk(value);
    case "provider_hook_end":
      return isIndex(value.hookId) &&
          (value.value === undefined || isFields(value.value))
        ? {
          type: "provider_hook_end",
          hookId: value.hookId,
          ...(value.value === undefined
            ? {}
            : { value: value.value as JsonObject }),
        }
        : undefined;
    case "dialog": {
      const dialog = parseDialog(value.dialog);
      return dialog && isIndex(value.dialogId)
        ? { type: "dialog", dialogId: value.dialogId, dialog }
        : undefined;
    }
    case "dialog_cancel":
      return isIndex(value.dialogId)
        ? { type: "dialog_cancel", dialogId: value.dialogId }
        : undefined;
    case "command_end":
      return parseCommandEnd(value);
    case "refused":
      return isAccess(value.access) && isIndex(value.count)
        ? { type: "refused", access: value.access, count: value.count }
        : undefined;
    case "end":
      return isOutcome(value.outcome)
        ? { type: "end", outcome: value.outcome }
        : undefined;
  }
  return undefined;
}

function parseAsk(
  { askId, service, marker, callId, request }: Fields,
): KernelMessage | undefined {
  if (!isIndex(askId)) return undefined;
  if (service === "fetch") {
    return isFetchRequest(request)
      ? { type: "ask", askId, service, request }
      : undefined;
  }
  if (service === "recorded_result" && isTextOrNothing(callId)) {
    return { type: "ask", askId, service, callId };
  }
  return service === "kill_call" && typeof marker === "string"
    ? { type: "ask", askId, service, marker }
    : undefined;
}

function isFetchRequest(value: unknown): value is FetchRequest {
  if (!isFields(value)) return false;
  const { url, method, headers, body, timeoutMs } = value;
  return typeof url === "string" && typeof method === "string" &&
    isFields(headers) &&
    Object.values(headers).every((one) => typeof one === "string") &&
    isTextOrNothing(body) &&
    (timeoutMs === undefined || typeof timeoutMs === "number");
}

function parseCommandEnd(
  { commandId, value, error }: Fields,
): KernelMessage | undefined {
  const isValid = isIndex(commandId) &&
    (value === undefined || isFields(value)) &&
    (error === undefined || typeof error === "string");
  return isValid
    ? {
      type: "command_end",
      commandId,
      value: value as JsonObject | undefined,
      error,
    }
    : undefined;
}

function parseEvent(value: Fields): KernelMessage | undefined {
  const { event, stored } = value;
  if (!isFields(event) || !isEvent(event)) return undefined;
  if (event.type === "message_end" && !isIndex(stored)) return undefined;
  if (event.rendered !== undefined && !isTextList(event.rendered)) {
    return undefined;
  }
  return {
    type: "event",
    event: event as unknown as RunEvent,
    ...(isIndex(stored) ? { stored } : {}),
  };
}

function isEvent(event: Fields): boolean {
  const { message, assistantMessageEvent: step, result } = event;
  switch (event.type as RunEvent["type"]) {
    case "agent_start":
    case "agent_end":
    case "turn_start":
    case "turn_end":
      return true;
    case "message_start":
    case "message_end":
      return isMessage(message);
    case "message_update":
      return isFields(step) && typeof step.type === "string" &&
        isIndex(step.contentIndex);
    case "check_start":
      return typeof event.command === "string";
    case "check_end":
      return typeof event.command === "string" &&
        typeof event.passed === "boolean" && typeof event.output === "string";
    case "tool_denied":
      return isCall(event) && DENIALS.has(event.reason) &&
        isTextOrNothing(event.rule) && isTextOrNothing(event.source);
    case "plugin_loaded":
    case "plugin_error":
    case "plugin_notice":
    case "custom_entry":
      return isPluginEvent(event);
    case "shell_update":
      return isTextOrNothing(event.id) && typeof event.delta === "string";
    case "queue_update":
      return isTextList(event.steering) && isTextList(event.followUp);
    case "auto_retry_start":
      return isIndex(event.attempt) && isIndex(event.maxAttempts) &&
        isIndex(event.delayMs) && typeof event.errorMessage === "string";
    case "auto_retry_end":
      return isIndex(event.attempt) && typeof event.success === "boolean" &&
        isTextOrNothing(event.finalError);
    case "compaction_start":
      return isCompactionReason(event.reason) && isIndex(event.tokens);
    case "compaction_end":
      return isCompactionReason(event.reason) &&
        typeof event.aborted === "boolean" &&
        isTextOrNothing(event.errorMessage) &&
        (result === undefined || isCompactionResult(result));
    case "tool_execution_start":
    case "tool_execution_update":
      return isCall(event) && isFields(event.args);
    case "tool_execution_end":
      return isCall(event) && isFields(result) && isContent(result.content) &&
        typeof event.isError === "boolean";
  }
  return false;
}

const DENIALS: ReadonlySet<unknown> = new Set<ToolDeniedEvent["reason"]>([
  "denied",
  "not_approved",
  "no_approver",
]);

function isAccess(value: unknown): value is RefusedAccess {
  return value === "read" || value === "write" || value === "protected";
}

function isCompactionReason(value: unknown): boolean {
  return value === "threshold" || value === "overflow" || value === "manual";
}

function isCompactionResult(value: unknown): boolean {
  return isFields(value) && typeof value.summary === "string" &&
    isIndex(value.firstKept) && isIndex(value.tokensBefore);
}

function isTextOrNothing(value: unknown): value is string | undefined {
  return value === undefined || typeof value === "string";
}

function isCall(event: Fields): boolean {
  return typeof event.toolCallId === "string" &&
    typeof event.toolName === "string";
}

function parseRequest(value: unknown): ModelRequest | undefined {
  if (!isFields(value) || !isIndex(value.requestId)) return undefined;
  if (!Array.isArray(value.messages)) return undefined;
  if (!value.messages.every(isMessageRef)) return undefined;
  const options = parseOptions(value.options);
  if (!options) return undefined;
  const { hooks } = value;
  const areHooks = hooks === undefined ||
    (Array.isArray(hooks) && hooks.length <= PROVIDER_HOOKS.size &&
      hooks.every((hook) => PROVIDER_HOOKS.has(hook)));
  if (!areHooks) return undefined;
  const { declarations } = value;
  if (declarations !== undefined) {
    if (!isFields(declarations)) return undefined;
    const { systemPrompt, tools } = declarations;
    if (systemPrompt !== undefined && typeof systemPrompt !== "string") {
      return undefined;
    }
    if (tools !== undefined && !(Array.isArray(tools) && tools.every(isTool))) {
      return undefined;
    }
  }
  return { ...value, options } as unknown as ModelRequest;
}

const PROVIDER_HOOKS: ReadonlySet<unknown> = new Set<ProviderHook>([
  "headers",
  "request",
  "response",
]);

const REASONING_LEVELS: ReadonlySet<unknown> = new Set<
  ModelRequest["options"]["reasoning"]
>(["minimal", "low", "medium", "high", "xhigh", "max"]);

/** What a request may set. All else, such as a key, headers or an address, is the host's. */
function parseOptions(value: unknown): ModelRequest["options"] | undefined {
  if (!isFields(value)) return undefined;
  const { temperature, maxTokens, reasoning, toolChoice } = value;
  const isValid =
    (temperature === undefined || typeof temperature === "number") &&
    (maxTokens === undefined || (isIndex(maxTokens) && maxTokens > 0)) &&
    (reasoning === undefined || REASONING_LEVELS.has(reasoning)) &&
    (toolChoice === undefined || toolChoice === "auto" ||
      toolChoice === "none");
  return isValid
    ? { temperature, maxTokens, reasoning, toolChoice } as ModelRequest[
      "options"
    ]
    : undefined;
}

const OUTCOMES: ReadonlySet<unknown> = new Set<RunOutcome["kind"]>([
  "completed",
  "aborted",
  "limit",
  "model_error",
  "goal_missed",
  "usage_error",
  "failed",
]);

const LIMITS: ReadonlySet<unknown> = new Set<
  Extract<RunOutcome, { kind: "limit" }>["limit"]
>([
  "turn_limit",
  "tool_call_limit",
  "repeat_limit",
  "budget_limit",
  "output_limit",
]);

function isOutcome(value: unknown): value is RunOutcome {
  if (!isFields(value) || !OUTCOMES.has(value.kind)) return false;
  if (value.kind === "limit") {
    return LIMITS.has(value.limit);
  }
  if (value.kind === "goal_missed") {
    const isKnown = value.goal === "check" || value.goal === "schema";
    return isKnown && typeof value.message === "string";
  }
  const isPlain = value.kind === "completed" || value.kind === "aborted";
  return isPlain || typeof value.message === "string";
}

function isMessageRef(value: unknown): value is MessageRef {
  return isIndex(value) || isMessage(value);
}

/** Whether a value is a message that can be worked with. */
export function isMessage(value: unknown): value is AgentMessage {
  if (!isFields(value)) return false;
  switch (value.role as Message["role"]) {
    case "system":
    case "user":
      return typeof value.content === "string" || isContent(value.content);
    case "assistant":
      return isContent(value.content) && typeof value.stopReason === "string";
    case "toolResult":
      return isContent(value.content) && typeof value.toolCallId === "string" &&
        typeof value.toolName === "string";
  }
  return false;
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.every(isBlock);
}

function isBlock(value: unknown): boolean {
  if (!isFields(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "thinking":
      return typeof value.thinking === "string";
    case "image":
      return typeof value.data === "string" &&
        typeof value.mimeType === "string";
    case "toolCall":
      return typeof value.id === "string" && typeof value.name === "string" &&
        isFields(value.arguments);
  }
  return false;
}

function isTool(value: unknown): boolean {
  return isFields(value) && typeof value.name === "string" &&
    typeof value.description === "string" && isFields(value.parameters);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

const PROBE_OUTCOMES: ReadonlySet<unknown> = new Set<ProbeOutcome>([
  "held",
  "open",
  "not tried",
]);

/** Nothing but what it says it is, since it goes into the record. */
function isProbeReport(value: unknown): value is ProbeReport {
  const rings = ["operations", "deno", "system"];
  return hasExactly(value, rings) && rings.every((ring) => {
    const probes: (keyof RingProbes)[] = ["read", "write", "connect"];
    const outcomes = value[ring];
    return hasExactly(outcomes, probes) &&
      probes.every((probe) => PROBE_OUTCOMES.has(outcomes[probe]));
  });
}

function hasExactly(
  value: unknown,
  names: readonly string[],
): value is Fields {
  return isFields(value) && Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name));
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
