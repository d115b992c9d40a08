// Written by `deno task checks` from the schemas. A test compares them.

import type { KernelMessage } from "./kernel_schemas.ts";
import type { Message } from "../model/message.ts";

/** True for a KernelMessage. */
export function isKernelMessage(value: unknown): value is KernelMessage {
  return (isObject(value) && value.type === "pong" && isCount(value.n) &&
      hasOnly(value, ["type", "n"]) ||
    isObject(value) && value.type === "probed" && isObject(value.report) &&
      isObject(value.report.operations) &&
      (value.report.operations.read === "held" ||
        value.report.operations.read === "open" ||
        value.report.operations.read === "not tried") &&
      (value.report.operations.write === "held" ||
        value.report.operations.write === "open" ||
        value.report.operations.write === "not tried") &&
      (value.report.operations.connect === "held" ||
        value.report.operations.connect === "open" ||
        value.report.operations.connect === "not tried") &&
      hasOnly(value.report.operations, ["read", "write", "connect"]) &&
      isObject(value.report.deno) &&
      (value.report.deno.read === "held" || value.report.deno.read === "open" ||
        value.report.deno.read === "not tried") &&
      (value.report.deno.write === "held" ||
        value.report.deno.write === "open" ||
        value.report.deno.write === "not tried") &&
      (value.report.deno.connect === "held" ||
        value.report.deno.connect === "open" ||
        value.report.deno.connect === "not tried") &&
      hasOnly(value.report.deno, ["read", "write", "connect"]) &&
      isObject(value.report.system) &&
      (value.report.system.read === "held" ||
        value.report.system.read === "open" ||
        value.report.system.read === "not tried") &&
      (value.report.system.write === "held" ||
        value.report.system.write === "open" ||
        value.report.system.write === "not tried") &&
      (value.report.system.connect === "held" ||
        value.report.system.connect === "open" ||
        value.report.system.connect === "not tried") &&
      hasOnly(value.report.system, ["read", "write", "connect"]) &&
      hasOnly(value.report, ["operations", "deno", "system"]) &&
      hasOnly(value, ["type", "report"]) ||
    (isObject(value) && value.type === "event" && isObject(value.event) &&
        value.event.type === "message_end" &&
        isPartMessage(value.event.message) && isCount(value.stored) &&
        hasOnly(value, ["type", "event", "stored"]) ||
      isObject(value) && value.type === "event" &&
        (isObject(value.event) && value.event.type === "agent_start" ||
          isObject(value.event) && value.event.type === "turn_start" ||
          isObject(value.event) && value.event.type === "message_start" &&
            isPartMessage(value.event.message) ||
          isObject(value.event) && value.event.type === "message_update" &&
            (isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "text_start" &&
                isCount(value.event.assistantMessageEvent.contentIndex) ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "text_delta" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                typeof value.event.assistantMessageEvent.delta === "string" ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "text_end" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                (value.event.assistantMessageEvent.contentSignature ===
                    undefined ||
                  typeof value.event.assistantMessageEvent.contentSignature ===
                    "string") ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "thinking_start" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                (value.event.assistantMessageEvent.redacted === undefined ||
                  typeof value.event.assistantMessageEvent.redacted ===
                    "boolean") ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "thinking_delta" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                typeof value.event.assistantMessageEvent.delta === "string" ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "thinking_end" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                (value.event.assistantMessageEvent.contentSignature ===
                    undefined ||
                  typeof value.event.assistantMessageEvent.contentSignature ===
                    "string") ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "toolcall_start" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                typeof value.event.assistantMessageEvent.id === "string" &&
                typeof value.event.assistantMessageEvent.toolName ===
                  "string" ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "toolcall_delta" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                typeof value.event.assistantMessageEvent.delta === "string" ||
              isObject(value.event.assistantMessageEvent) &&
                value.event.assistantMessageEvent.type === "toolcall_end" &&
                isCount(value.event.assistantMessageEvent.contentIndex) &&
                isPartToolCall(value.event.assistantMessageEvent.toolCall)) ||
          isObject(value.event) &&
            value.event.type === "tool_execution_start" &&
            typeof value.event.toolCallId === "string" &&
            typeof value.event.toolName === "string" &&
            isObject(value.event.args) &&
            (value.event.rendered === undefined ||
              isList(
                value.event.rendered,
                (item) => typeof item === "string",
              )) ||
          isObject(value.event) &&
            value.event.type === "tool_execution_update" &&
            typeof value.event.toolCallId === "string" &&
            typeof value.event.toolName === "string" &&
            isObject(value.event.args) &&
            isPartToolResult(value.event.partialResult) ||
          isObject(value.event) && value.event.type === "tool_execution_end" &&
            typeof value.event.toolCallId === "string" &&
            typeof value.event.toolName === "string" &&
            isPartToolResult(value.event.result) &&
            typeof value.event.isError === "boolean" &&
            (value.event.durationMs === undefined ||
              Number.isFinite(value.event.durationMs)) &&
            (value.event.rendered === undefined ||
              isList(
                value.event.rendered,
                (item) => typeof item === "string",
              )) ||
          isObject(value.event) && value.event.type === "turn_end" ||
          isObject(value.event) && value.event.type === "check_start" &&
            typeof value.event.command === "string" ||
          isObject(value.event) && value.event.type === "check_end" &&
            typeof value.event.command === "string" &&
            typeof value.event.passed === "boolean" &&
            typeof value.event.output === "string" ||
          isObject(value.event) && value.event.type === "tool_denied" &&
            typeof value.event.toolCallId === "string" &&
            typeof value.event.toolName === "string" &&
            (value.event.reason === "denied" ||
              value.event.reason === "not_approved" ||
              value.event.reason === "no_approver") &&
            (value.event.rule === undefined ||
              typeof value.event.rule === "string") &&
            (value.event.source === undefined ||
              typeof value.event.source === "string") ||
          isObject(value.event) && value.event.type === "plugin_loaded" &&
            isText(value.event.name, 65536) &&
            isText(value.event.path, 65536) &&
            Number.isFinite(value.event.ms) &&
            (value.event.ms as number) >= 0 &&
            isList(value.event.tools, (item) => isText(item, 65536)) &&
            isList(value.event.commands, (item) => isText(item, 65536)) &&
            isList(value.event.flags, (item) => isText(item, 65536)) &&
            isList(value.event.events, (item) => isText(item, 65536)) &&
            isList(value.event.warnings, (item) => isText(item, 65536)) ||
          isObject(value.event) && value.event.type === "plugin_error" &&
            isText(value.event.name, 65536) &&
            isText(value.event.path, 65536) &&
            (value.event.during === undefined ||
              isText(value.event.during, 65536)) &&
            isText(value.event.message, 65536) &&
            (value.event.file === undefined ||
              isText(value.event.file, 65536)) &&
            (value.event.line === undefined ||
              Number.isSafeInteger(value.event.line) &&
                (value.event.line as number) >= 1) &&
            (value.event.column === undefined ||
              Number.isSafeInteger(value.event.column) &&
                (value.event.column as number) >= 1) &&
            (value.event.stack === undefined ||
              isText(value.event.stack, 65536)) ||
          isObject(value.event) && value.event.type === "plugin_notice" &&
            isText(value.event.name, 65536) &&
            (value.event.level === "info" || value.event.level === "warning" ||
              value.event.level === "error") &&
            isText(value.event.message, 65536) ||
          isObject(value.event) && value.event.type === "custom_entry" &&
            isText(value.event.customType, 65536) ||
          isObject(value.event) && value.event.type === "shell_update" &&
            (value.event.id === undefined ||
              typeof value.event.id === "string") &&
            typeof value.event.delta === "string" ||
          isObject(value.event) && value.event.type === "queue_update" &&
            isList(value.event.steering, (item) => typeof item === "string") &&
            isList(value.event.followUp, (item) => typeof item === "string") ||
          isObject(value.event) && value.event.type === "compaction_start" &&
            (value.event.reason === "threshold" ||
              value.event.reason === "overflow" ||
              value.event.reason === "manual") &&
            isCount(value.event.tokens) ||
          isObject(value.event) && value.event.type === "compaction_end" &&
            (value.event.reason === "threshold" ||
              value.event.reason === "overflow" ||
              value.event.reason === "manual") &&
            (value.event.result === undefined ||
              isObject(value.event.result) &&
                typeof value.event.result.summary === "string" &&
                isCount(value.event.result.firstKept) &&
                isCount(value.event.result.tokensBefore)) &&
            typeof value.event.aborted === "boolean" &&
            (value.event.errorMessage === undefined ||
              typeof value.event.errorMessage === "string") ||
          isObject(value.event) && value.event.type === "auto_retry_start" &&
            isCount(value.event.attempt) && isCount(value.event.maxAttempts) &&
            isCount(value.event.delayMs) &&
            typeof value.event.errorMessage === "string" ||
          isObject(value.event) && value.event.type === "auto_retry_end" &&
            typeof value.event.success === "boolean" &&
            isCount(value.event.attempt) &&
            (value.event.finalError === undefined ||
              typeof value.event.finalError === "string") ||
          isObject(value.event) && value.event.type === "agent_end" &&
            (value.event.aborted === undefined ||
              typeof value.event.aborted === "boolean")) &&
        hasOnly(value, ["type", "event"])) ||
    isObject(value) && value.type === "model_request" &&
      isObject(value.request) && isCount(value.request.requestId) &&
      isList(
        value.request.messages,
        (item) => (isCount(item) || isPartReadableMessage(item)),
      ) &&
      (value.request.declarations === undefined ||
        isObject(value.request.declarations) &&
          (value.request.declarations.systemPrompt === undefined ||
            typeof value.request.declarations.systemPrompt === "string") &&
          (value.request.declarations.tools === undefined ||
            isList(
              value.request.declarations.tools,
              (item) => isPartTool(item),
            ))) &&
      isObject(value.request.options) &&
      (value.request.options.temperature === undefined ||
        Number.isFinite(value.request.options.temperature)) &&
      (value.request.options.maxTokens === undefined ||
        Number.isSafeInteger(value.request.options.maxTokens) &&
          (value.request.options.maxTokens as number) >= 1) &&
      (value.request.options.reasoning === undefined ||
        (value.request.options.reasoning === "minimal" ||
          value.request.options.reasoning === "low" ||
          value.request.options.reasoning === "medium" ||
          value.request.options.reasoning === "high" ||
          value.request.options.reasoning === "xhigh" ||
          value.request.options.reasoning === "max")) &&
      (value.request.options.toolChoice === undefined ||
        (value.request.options.toolChoice === "auto" ||
          value.request.options.toolChoice === "none")) &&
      hasOnly(value.request.options, [
        "temperature",
        "maxTokens",
        "reasoning",
        "toolChoice",
      ]) &&
      (value.request.hooks === undefined ||
        isList(
            value.request.hooks,
            (
              item,
            ) => (item === "headers" || item === "request" ||
              item === "response"),
          ) && (value.request.hooks as unknown[]).length <= 3) &&
      hasOnly(value, ["type", "request"]) ||
    isObject(value) && value.type === "model_cancel" &&
      isCount(value.requestId) && hasOnly(value, ["type", "requestId"]) ||
    isObject(value) && value.type === "ask" && isCount(value.askId) &&
      value.service === "kill_call" && typeof value.marker === "string" &&
      hasOnly(value, ["type", "askId", "service", "marker"]) ||
    isObject(value) && value.type === "ask" && isCount(value.askId) &&
      value.service === "recorded_result" &&
      (value.callId === undefined || typeof value.callId === "string") &&
      hasOnly(value, ["type", "askId", "service", "callId"]) ||
    isObject(value) && value.type === "ask" && isCount(value.askId) &&
      value.service === "fetch" && isObject(value.request) &&
      typeof value.request.url === "string" &&
      typeof value.request.method === "string" &&
      isObject(value.request.headers) &&
      isList(
        Object.values(value.request.headers),
        (item) => typeof item === "string",
      ) &&
      (value.request.body === undefined ||
        typeof value.request.body === "string") &&
      (value.request.timeoutMs === undefined ||
        Number.isFinite(value.request.timeoutMs)) &&
      hasOnly(value, ["type", "askId", "service", "request"]) ||
    isObject(value) && value.type === "provider_hook_end" &&
      isCount(value.hookId) &&
      (value.value === undefined || isObject(value.value)) &&
      hasOnly(value, ["type", "hookId", "value"]) ||
    isObject(value) && value.type === "dialog" && isCount(value.dialogId) &&
      (isObject(value.dialog) && value.dialog.kind === "confirm" &&
          isText(value.dialog.title, 65536) &&
          isText(value.dialog.message, 65536) ||
        isObject(value.dialog) && value.dialog.kind === "select" &&
          isText(value.dialog.title, 65536) &&
          isList(value.dialog.options, (item) => isText(item, 65536)) &&
          (value.dialog.options as unknown[]).length <= 1000 ||
        isObject(value.dialog) && value.dialog.kind === "input" &&
          isText(value.dialog.title, 65536) &&
          (value.dialog.placeholder === undefined ||
            isText(value.dialog.placeholder, 65536)) ||
        isObject(value.dialog) && value.dialog.kind === "editor" &&
          isText(value.dialog.title, 65536) &&
          (value.dialog.prefill === undefined ||
            isText(value.dialog.prefill, 65536))) &&
      hasOnly(value, ["type", "dialogId", "dialog"]) ||
    isObject(value) && value.type === "dialog_cancel" &&
      isCount(value.dialogId) && hasOnly(value, ["type", "dialogId"]) ||
    isObject(value) && value.type === "command_end" &&
      isCount(value.commandId) &&
      (value.value === undefined || isObject(value.value)) &&
      (value.error === undefined || typeof value.error === "string") &&
      hasOnly(value, ["type", "commandId", "value", "error"]) ||
    isObject(value) && value.type === "refused" &&
      (value.access === "read" || value.access === "write" ||
        value.access === "protected") &&
      isCount(value.count) && hasOnly(value, ["type", "access", "count"]) ||
    isObject(value) && value.type === "end" &&
      (isObject(value.outcome) &&
          (value.outcome.kind === "completed" ||
            value.outcome.kind === "aborted") ||
        isObject(value.outcome) && value.outcome.kind === "limit" &&
          (value.outcome.limit === "turn_limit" ||
            value.outcome.limit === "tool_call_limit" ||
            value.outcome.limit === "repeat_limit" ||
            value.outcome.limit === "budget_limit" ||
            value.outcome.limit === "output_limit") ||
        isObject(value.outcome) && value.outcome.kind === "model_error" &&
          (value.outcome.errorKind === "auth" ||
            value.outcome.errorKind === "rate_limit" ||
            value.outcome.errorKind === "overloaded" ||
            value.outcome.errorKind === "unreachable" ||
            value.outcome.errorKind === "timeout" ||
            value.outcome.errorKind === "stream_cut" ||
            value.outcome.errorKind === "refused" ||
            value.outcome.errorKind === "context_overflow" ||
            value.outcome.errorKind === "quota" ||
            value.outcome.errorKind === "content_filter" ||
            value.outcome.errorKind === "replay_miss") &&
          typeof value.outcome.message === "string" ||
        isObject(value.outcome) && value.outcome.kind === "goal_missed" &&
          (value.outcome.goal === "check" || value.outcome.goal === "schema") &&
          typeof value.outcome.message === "string" ||
        isObject(value.outcome) &&
          (value.outcome.kind === "usage_error" ||
            value.outcome.kind === "failed") &&
          typeof value.outcome.message === "string") &&
      hasOnly(value, ["type", "outcome"]));
}

/** True for a Message. */
export function isMessage(value: unknown): value is Message {
  return isPartReadableMessage(value);
}

function isPartMessage(value: unknown): boolean {
  return (isPartSystemMessage(value) || isPartUserMessage(value) ||
    isPartAssistantMessage(value) || isPartToolResultMessage(value));
}

function isPartSystemMessage(value: unknown): boolean {
  return isObject(value) && value.role === "system" &&
    (typeof value.content === "string" ||
      isList(value.content, (item) => isPartTextContent(item))) &&
    (value.sections === undefined ||
      isObject(value.sections) &&
        isList(
          Object.values(value.sections),
          (item) => (typeof item === "string" || item === null),
        )) &&
    (value.toolsAdded === undefined ||
      isList(value.toolsAdded, (item) => isPartTool(item))) &&
    (value.toolsRemoved === undefined ||
      isList(
        value.toolsRemoved,
        (item) => isObject(item) && typeof item.name === "string",
      )) &&
    Number.isFinite(value.timestamp);
}

function isPartTextContent(value: unknown): boolean {
  return isObject(value) && value.type === "text" &&
    typeof value.text === "string" &&
    (value.textSignature === undefined ||
      typeof value.textSignature === "string");
}

function isPartTool(value: unknown): boolean {
  return isObject(value) && typeof value.name === "string" &&
    typeof value.description === "string" && value.parameters !== undefined &&
    (value.constrainedSampling === undefined ||
      (value.constrainedSampling === false ||
        isObject(value.constrainedSampling) &&
          value.constrainedSampling.type === "json_schema" &&
          (value.constrainedSampling.strict === "prefer" ||
            value.constrainedSampling.strict === "require") ||
        isObject(value.constrainedSampling) &&
          value.constrainedSampling.type === "grammar" &&
          isObject(value.constrainedSampling.variants) &&
          (value.constrainedSampling.variants.openai_lark === undefined ||
            typeof value.constrainedSampling.variants.openai_lark ===
              "string") &&
          (value.constrainedSampling.variants.openai_regex === undefined ||
            typeof value.constrainedSampling.variants.openai_regex ===
              "string")));
}

function isPartUserMessage(value: unknown): boolean {
  return isObject(value) && value.role === "user" &&
    (value.origin === undefined ||
      (isObject(value.origin) && value.origin.kind === "shell" &&
          typeof value.origin.command === "string" ||
        isObject(value.origin) && value.origin.kind === "custom" &&
          typeof value.origin.customType === "string" &&
          typeof value.origin.display === "boolean")) &&
    (typeof value.content === "string" ||
      isList(
        value.content,
        (item) => (isPartTextContent(item) || isPartImageContent(item)),
      )) &&
    Number.isFinite(value.timestamp);
}

function isPartImageContent(value: unknown): boolean {
  return isObject(value) && value.type === "image" &&
    typeof value.data === "string" && typeof value.mimeType === "string";
}

function isPartAssistantMessage(value: unknown): boolean {
  return isObject(value) && value.role === "assistant" &&
    isList(
      value.content,
      (
        item,
      ) => (isPartTextContent(item) || isPartThinkingContent(item) ||
        isPartToolCall(item)),
    ) &&
    (value.api === "openai-completions" || value.api === "openai-responses" ||
      value.api === "anthropic-messages" ||
      value.api === "google-generative-ai") &&
    typeof value.provider === "string" && typeof value.model === "string" &&
    (value.responseModel === undefined ||
      typeof value.responseModel === "string") &&
    (value.responseId === undefined || typeof value.responseId === "string") &&
    isPartUsage(value.usage) &&
    (value.stopReason === "pending" || value.stopReason === "stop" ||
      value.stopReason === "length" || value.stopReason === "toolUse" ||
      value.stopReason === "error" || value.stopReason === "aborted") &&
    (value.rawStopReason === undefined ||
      typeof value.rawStopReason === "string") &&
    (value.errorMessage === undefined ||
      typeof value.errorMessage === "string") &&
    (value.errorKind === undefined ||
      (value.errorKind === "auth" || value.errorKind === "rate_limit" ||
        value.errorKind === "overloaded" || value.errorKind === "unreachable" ||
        value.errorKind === "timeout" || value.errorKind === "stream_cut" ||
        value.errorKind === "refused" ||
        value.errorKind === "context_overflow" || value.errorKind === "quota" ||
        value.errorKind === "content_filter" ||
        value.errorKind === "replay_miss")) &&
    (value.retryAfterMs === undefined || Number.isFinite(value.retryAfterMs)) &&
    Number.isFinite(value.timestamp) &&
    (value.durationMs === undefined || Number.isFinite(value.durationMs));
}

function isPartThinkingContent(value: unknown): boolean {
  return isObject(value) && value.type === "thinking" &&
    typeof value.thinking === "string" &&
    (value.thinkingSignature === undefined ||
      typeof value.thinkingSignature === "string") &&
    (value.redacted === undefined || typeof value.redacted === "boolean");
}

function isPartToolCall(value: unknown): boolean {
  return isObject(value) && value.type === "toolCall" &&
    typeof value.id === "string" && typeof value.name === "string" &&
    isObject(value.arguments) &&
    (value.thoughtSignature === undefined ||
      typeof value.thoughtSignature === "string") &&
    (value.argumentsError === undefined ||
      typeof value.argumentsError === "string");
}

function isPartUsage(value: unknown): boolean {
  return isObject(value) && isCount(value.input) && isCount(value.output) &&
    isCount(value.cacheRead) && isCount(value.cacheWrite) &&
    (value.reasoning === undefined || isCount(value.reasoning)) &&
    isCount(value.totalTokens) && isObject(value.cost) &&
    Number.isFinite(value.cost.input) && Number.isFinite(value.cost.output) &&
    Number.isFinite(value.cost.cacheRead) &&
    Number.isFinite(value.cost.cacheWrite) && Number.isFinite(value.cost.total);
}

function isPartToolResultMessage(value: unknown): boolean {
  return isObject(value) && value.role === "toolResult" &&
    typeof value.toolCallId === "string" &&
    typeof value.toolName === "string" &&
    isList(
      value.content,
      (item) => (isPartTextContent(item) || isPartImageContent(item)),
    ) && (value.usage === undefined || isPartUsage(value.usage)) &&
    typeof value.isError === "boolean" &&
    (value.addedToolNames === undefined ||
      isList(value.addedToolNames, (item) => typeof item === "string")) &&
    Number.isFinite(value.timestamp) &&
    (value.durationMs === undefined || Number.isFinite(value.durationMs));
}

function isPartToolResult(value: unknown): boolean {
  return isObject(value) &&
    isList(
      value.content,
      (item) => (isPartTextContent(item) || isPartImageContent(item)),
    ) && (value.usage === undefined || isPartUsage(value.usage)) &&
    (value.isError === undefined || typeof value.isError === "boolean") &&
    (value.terminate === undefined || typeof value.terminate === "boolean") &&
    (value.addedToolNames === undefined ||
      isList(value.addedToolNames, (item) => typeof item === "string"));
}

function isPartReadableMessage(value: unknown): boolean {
  return (isObject(value) &&
      (value.role === "system" || value.role === "user") &&
      (typeof value.content === "string" ||
        isList(
          value.content,
          (
            item,
          ) => (isObject(item) && item.type === "text" &&
              typeof item.text === "string" ||
            isObject(item) && item.type === "thinking" &&
              typeof item.thinking === "string" ||
            isObject(item) && item.type === "image" &&
              typeof item.data === "string" &&
              typeof item.mimeType === "string" ||
            isObject(item) && item.type === "toolCall" &&
              typeof item.id === "string" && typeof item.name === "string" &&
              isObject(item.arguments)),
        )) ||
    isObject(value) && value.role === "assistant" &&
      isList(
        value.content,
        (
          item,
        ) => (isObject(item) && item.type === "text" &&
            typeof item.text === "string" ||
          isObject(item) && item.type === "thinking" &&
            typeof item.thinking === "string" ||
          isObject(item) && item.type === "image" &&
            typeof item.data === "string" &&
            typeof item.mimeType === "string" ||
          isObject(item) && item.type === "toolCall" &&
            typeof item.id === "string" && typeof item.name === "string" &&
            isObject(item.arguments)),
      ) && typeof value.stopReason === "string" ||
    isObject(value) && value.role === "toolResult" &&
      typeof value.toolCallId === "string" &&
      typeof value.toolName === "string" &&
      isList(
        value.content,
        (
          item,
        ) => (isObject(item) && item.type === "text" &&
            typeof item.text === "string" ||
          isObject(item) && item.type === "thinking" &&
            typeof item.thinking === "string" ||
          isObject(item) && item.type === "image" &&
            typeof item.data === "string" &&
            typeof item.mimeType === "string" ||
          isObject(item) && item.type === "toolCall" &&
            typeof item.id === "string" && typeof item.name === "string" &&
            isObject(item.arguments)),
      ));
}

type Fields = Record<string, unknown>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown, maxLength: number): boolean {
  return typeof value === "string" && value.length <= maxLength;
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function hasOnly(value: Fields, names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}
