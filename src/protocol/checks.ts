// Written by `deno task checks` from the schemas. A test compares them.

import type { KernelMessage, KernelMessageType } from "./kernel_protocol.ts";
import type { KernelPhase } from "./kernel_bounds.ts";
import type { Message } from "../model/message.ts";

/** True for a KernelMessage. */
export function isKernelMessage(value: unknown): value is KernelMessage {
  return (isObject(value) && value.type === "hello" && value.version === 1 &&
      hasOnly(value, ["type", "version"]) ||
    isObject(value) && value.type === "declare" &&
      isList(
        value.plugins,
        (item) =>
          isObject(item) && isText(item.name, 65536) &&
          isText(item.path, 65536) &&
          (item.state === "loaded" || item.state === "failed") &&
          (item.reason === undefined || isText(item.reason, 16384)) &&
          (item.file === undefined || isText(item.file, 65536)) &&
          (item.line === undefined ||
            Number.isSafeInteger(item.line) && (item.line as number) >= 1) &&
          (item.column === undefined ||
            Number.isSafeInteger(item.column) &&
              (item.column as number) >= 1) &&
          Number.isFinite(item.ms) && (item.ms as number) >= 0 &&
          isList(item.tools, (item) => isText(item, 16384)) &&
          (item.tools as unknown[]).length <= 1000 &&
          isList(item.commands, (item) => isText(item, 16384)) &&
          (item.commands as unknown[]).length <= 1000 &&
          isList(item.flags, (item) => isText(item, 16384)) &&
          (item.flags as unknown[]).length <= 1000 &&
          isList(item.events, (item) => isText(item, 16384)) &&
          (item.events as unknown[]).length <= 1000 &&
          isList(item.warnings, (item) => isText(item, 16384)) &&
          (item.warnings as unknown[]).length <= 1000 &&
          hasOnly(item, [
            "name",
            "path",
            "state",
            "reason",
            "file",
            "line",
            "column",
            "ms",
            "tools",
            "commands",
            "flags",
            "events",
            "warnings",
          ]),
      ) &&
      (value.plugins as unknown[]).length <= 1000 &&
      isList(
        value.tools,
        (item) =>
          isObject(item) && typeof item.name === "string" &&
          typeof item.description === "string" &&
          item.parameters !== undefined &&
          (item.constrainedSampling === undefined ||
            (item.constrainedSampling === false ||
              isObject(item.constrainedSampling) &&
                item.constrainedSampling.type === "json_schema" &&
                (item.constrainedSampling.strict === "prefer" ||
                  item.constrainedSampling.strict === "require") ||
              isObject(item.constrainedSampling) &&
                item.constrainedSampling.type === "grammar" &&
                isObject(item.constrainedSampling.variants) &&
                (item.constrainedSampling.variants.openai_lark === undefined ||
                  typeof item.constrainedSampling.variants.openai_lark ===
                    "string") &&
                (item.constrainedSampling.variants.openai_regex === undefined ||
                  typeof item.constrainedSampling.variants.openai_regex ===
                    "string"))) &&
          isText(item.label, 65536) &&
          (item.executionMode === undefined ||
            (item.executionMode === "parallel" ||
              item.executionMode === "sequential")) &&
          (item.promptSnippet === undefined ||
            isText(item.promptSnippet, 65536)) &&
          (item.promptGuidelines === undefined ||
            isList(item.promptGuidelines, (item) => isText(item, 65536)) &&
              (item.promptGuidelines as unknown[]).length <= 256) &&
          (item.plugin === undefined || isText(item.plugin, 200)) &&
          typeof item.isOverride === "boolean" &&
          typeof item.rendersCalls === "boolean" &&
          typeof item.rendersResults === "boolean" &&
          typeof item.validates === "boolean" &&
          hasOnly(item, [
            "name",
            "description",
            "parameters",
            "constrainedSampling",
            "label",
            "outputSchema",
            "executionMode",
            "promptSnippet",
            "promptGuidelines",
            "plugin",
            "isOverride",
            "rendersCalls",
            "rendersResults",
            "validates",
          ]),
      ) &&
      (value.tools as unknown[]).length <= 1024 &&
      isList(
        value.commands,
        (item) =>
          isObject(item) && isText(item.name, 200) &&
          (item.description === undefined || isText(item.description, 1024)) &&
          hasOnly(item, ["name", "description"]),
      ) &&
      (value.commands as unknown[]).length <= 1024 &&
      isList(value.flags, (item) =>
        isObject(item) && isText(item.name, 200) &&
        (item.type === "boolean" || item.type === "string") &&
        hasOnly(item, ["name", "type"])) &&
      (value.flags as unknown[]).length <= 1024 &&
      isList(value.listens, (item) => isText(item, 200)) &&
      (value.listens as unknown[]).length <= 256 &&
      hasOnly(value, [
        "type",
        "plugins",
        "tools",
        "commands",
        "flags",
        "listens",
      ]) ||
    isObject(value) && value.type === "ready" && hasOnly(value, ["type"]) ||
    isObject(value) && value.type === "update" && isCount(value.callId) &&
      isPartToolResult(value.result) &&
      hasOnly(value, ["type", "callId", "result"]) ||
    isObject(value) && value.type === "result" && isCount(value.callId) &&
      isPartToolResult(value.result) &&
      hasOnly(value, ["type", "callId", "result"]) ||
    isObject(value) && value.type === "result" && isCount(value.callId) &&
      isObject(value.error) &&
      (value.error.kind === "tool" || value.error.kind === "aborted" ||
        value.error.kind === "fatal") &&
      isText(value.error.message, 1048576) &&
      hasOnly(value.error, ["kind", "message"]) &&
      hasOnly(value, ["type", "callId", "error"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "input" && isObject(value.value) &&
      typeof value.value.handled === "boolean" &&
      (value.value.text === undefined ||
        typeof value.value.text === "string") &&
      (value.value.images === undefined ||
        isList(
          value.value.images,
          (item) => (isPartTextContent(item) || isPartImageContent(item)),
        )) &&
      hasOnly(value.value, ["handled", "text", "images"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "before_agent_start" && isObject(value.value) &&
      isList(
        value.value.messages,
        (item) =>
          isObject(item) && isText(item.customType, 200) &&
          (isText(item.content, 262144) ||
            isList(
              item.content,
              (item) => (isPartTextContent(item) || isPartImageContent(item)),
            )) &&
          typeof item.display === "boolean" &&
          hasOnly(item, ["customType", "content", "display", "details"]),
      ) &&
      (value.value.messages as unknown[]).length <= 1000 &&
      (value.value.systemPrompt === undefined ||
        isText(value.value.systemPrompt, 262144)) &&
      hasOnly(value.value, ["messages", "systemPrompt"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "notice" && isObject(value.value) &&
      hasOnly(value.value, []) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "message_end" && isObject(value.value) &&
      (value.value.message === undefined ||
        isPartMessage(value.value.message)) &&
      hasOnly(value.value, ["message"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "tool_call" && isObject(value.value) &&
      typeof value.value.block === "boolean" &&
      (value.value.reason === undefined || isText(value.value.reason, 16384)) &&
      (value.value.terminate === undefined ||
        typeof value.value.terminate === "boolean") &&
      (value.value.args === undefined || isObject(value.value.args)) &&
      (value.value.changedBy === undefined ||
        isText(value.value.changedBy, 65536)) &&
      hasOnly(value.value, [
        "block",
        "reason",
        "terminate",
        "args",
        "changedBy",
      ]) && hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "tool_result" && isObject(value.value) &&
      (value.value.content === undefined ||
        isList(
          value.value.content,
          (item) => (isPartTextContent(item) || isPartImageContent(item)),
        )) &&
      (value.value.usage === undefined || isPartUsage(value.value.usage)) &&
      (value.value.isError === undefined ||
        typeof value.value.isError === "boolean") &&
      hasOnly(value.value, [
        "content",
        "details",
        "structuredContent",
        "usage",
        "isError",
      ]) && hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "context" && isObject(value.value) &&
      (value.value.messages === undefined ||
        isList(
          value.value.messages,
          (item) => (isCount(item) || isPartReadableMessage(item)),
        )) &&
      hasOnly(value.value, ["messages"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "headers" && isObject(value.value) &&
      isObject(value.value.headers) &&
      isList(
        Object.values(value.value.headers),
        (item) => typeof item === "string",
      ) &&
      hasOnly(value.value, ["headers"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "body" && isObject(value.value) &&
      (value.value.body === undefined || isObject(value.value.body)) &&
      hasOnly(value.value, ["body"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "session_before_compact" && isObject(value.value) &&
      typeof value.value.cancel === "boolean" &&
      (value.value.summary === undefined ||
        isText(value.value.summary, 1048576)) &&
      hasOnly(value.value, ["cancel", "summary"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "user_bash" && isObject(value.value) &&
      (value.value.output === undefined ||
        isText(value.value.output, 1048576)) &&
      (value.value.isError === undefined ||
        typeof value.value.isError === "boolean") &&
      hasOnly(value.value, ["output", "isError"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "validate" && isObject(value.value) &&
      isObject(value.value.args) && hasOnly(value.value, ["args"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "render" && isObject(value.value) &&
      (value.value.lines === undefined ||
        isList(value.value.lines, (item) => isText(item, 4096)) &&
          (value.value.lines as unknown[]).length <= 500) &&
      hasOnly(value.value, ["lines"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "command" && isObject(value.value) &&
      typeof value.value.isKnown === "boolean" &&
      hasOnly(value.value, ["isKnown"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "reload" && isObject(value.value) &&
      isList(value.value.loaded, (item) => isText(item, 65536)) &&
      isList(value.value.failed, (item) => isText(item, 65536)) &&
      hasOnly(value.value, ["loaded", "failed"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "image" && isObject(value.value) &&
      isList(
        value.value.content,
        (item) => (isPartTextContent(item) || isPartImageContent(item)),
      ) && hasOnly(value.value, ["content"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "probe" && isObject(value.value) &&
      isObject(value.value.report) && isObject(value.value.report.operations) &&
      (value.value.report.operations.read === "held" ||
        value.value.report.operations.read === "open" ||
        value.value.report.operations.read === "not tried") &&
      (value.value.report.operations.write === "held" ||
        value.value.report.operations.write === "open" ||
        value.value.report.operations.write === "not tried") &&
      (value.value.report.operations.connect === "held" ||
        value.value.report.operations.connect === "open" ||
        value.value.report.operations.connect === "not tried") &&
      hasOnly(value.value.report.operations, ["read", "write", "connect"]) &&
      isObject(value.value.report.deno) &&
      (value.value.report.deno.read === "held" ||
        value.value.report.deno.read === "open" ||
        value.value.report.deno.read === "not tried") &&
      (value.value.report.deno.write === "held" ||
        value.value.report.deno.write === "open" ||
        value.value.report.deno.write === "not tried") &&
      (value.value.report.deno.connect === "held" ||
        value.value.report.deno.connect === "open" ||
        value.value.report.deno.connect === "not tried") &&
      hasOnly(value.value.report.deno, ["read", "write", "connect"]) &&
      isObject(value.value.report.system) &&
      (value.value.report.system.read === "held" ||
        value.value.report.system.read === "open" ||
        value.value.report.system.read === "not tried") &&
      (value.value.report.system.write === "held" ||
        value.value.report.system.write === "open" ||
        value.value.report.system.write === "not tried") &&
      (value.value.report.system.connect === "held" ||
        value.value.report.system.connect === "open" ||
        value.value.report.system.connect === "not tried") &&
      hasOnly(value.value.report.system, ["read", "write", "connect"]) &&
      hasOnly(value.value.report, ["operations", "deno", "system"]) &&
      hasOnly(value.value, ["report"]) &&
      hasOnly(value, ["type", "askId", "kind", "value"]) ||
    isObject(value) && value.type === "answer" && isCount(value.askId) &&
      value.kind === "failed" && isText(value.error, 1048576) &&
      hasOnly(value, ["type", "askId", "kind", "error"]) ||
    isObject(value) && value.type === "request" && isCount(value.requestId) &&
      value.kind === "dialog" &&
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
      hasOnly(value, ["type", "requestId", "kind", "dialog"]) ||
    isObject(value) && value.type === "request" && isCount(value.requestId) &&
      value.kind === "fetch" && isObject(value.request) &&
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
      hasOnly(value.request, [
        "url",
        "method",
        "headers",
        "body",
        "timeoutMs",
      ]) && hasOnly(value, ["type", "requestId", "kind", "request"]) ||
    isObject(value) && value.type === "request" && isCount(value.requestId) &&
      value.kind === "call" && isText(value.parent, 200) &&
      isText(value.tool, 200) && isObject(value.args) &&
      typeof value.hasUpdates === "boolean" &&
      hasOnly(value, [
        "type",
        "requestId",
        "kind",
        "parent",
        "tool",
        "args",
        "hasUpdates",
      ]) ||
    isObject(value) && value.type === "request" && isCount(value.requestId) &&
      value.kind === "kill" && isText(value.marker, 200) &&
      hasOnly(value, ["type", "requestId", "kind", "marker"]) ||
    isObject(value) && value.type === "retract" && isCount(value.requestId) &&
      hasOnly(value, ["type", "requestId"]) ||
    isObject(value) && value.type === "tell" && value.kind === "activate" &&
      isList(value.names, (item) => isText(item, 200)) &&
      (value.names as unknown[]).length <= 256 &&
      hasOnly(value, ["type", "kind", "names"]) ||
    isObject(value) && value.type === "tell" && value.kind === "say" &&
      (value.deliverAs === undefined ||
        (value.deliverAs === "steer" || value.deliverAs === "followUp")) &&
      isObject(value.message) && isText(value.message.customType, 200) &&
      (isText(value.message.content, 262144) ||
        isList(
          value.message.content,
          (item) => (isPartTextContent(item) || isPartImageContent(item)),
        )) &&
      typeof value.message.display === "boolean" &&
      hasOnly(value.message, ["customType", "content", "display", "details"]) &&
      hasOnly(value, ["type", "kind", "deliverAs", "message"]) ||
    isObject(value) && value.type === "tell" && value.kind === "say_as_user" &&
      (value.deliverAs === undefined ||
        (value.deliverAs === "steer" || value.deliverAs === "followUp")) &&
      (isText(value.content, 262144) ||
        isList(
          value.content,
          (item) => (isPartTextContent(item) || isPartImageContent(item)),
        )) &&
      hasOnly(value, ["type", "kind", "deliverAs", "content"]) ||
    isObject(value) && value.type === "tell" && value.kind === "keep" &&
      isText(value.customType, 200) &&
      hasOnly(value, ["type", "kind", "customType", "data"]) ||
    isObject(value) && value.type === "tell" && value.kind === "notice" &&
      isText(value.plugin, 65536) &&
      (value.level === "info" || value.level === "warning" ||
        value.level === "error") &&
      isText(value.message, 65536) &&
      hasOnly(value, ["type", "kind", "plugin", "level", "message"]) ||
    isObject(value) && value.type === "tell" && value.kind === "fault" &&
      isText(value.plugin, 65536) && isText(value.path, 65536) &&
      isText(value.during, 65536) && isText(value.message, 65536) &&
      (value.stack === undefined || isText(value.stack, 65536)) &&
      hasOnly(value, [
        "type",
        "kind",
        "plugin",
        "path",
        "during",
        "message",
        "stack",
      ]) ||
    isObject(value) && value.type === "tell" && value.kind === "abort" &&
      hasOnly(value, ["type", "kind"]) ||
    isObject(value) && value.type === "tell" && value.kind === "compact" &&
      (value.instructions === undefined || isText(value.instructions, 16384)) &&
      hasOnly(value, ["type", "kind", "instructions"]) ||
    isObject(value) && value.type === "refused" &&
      (value.access === "read" || value.access === "write" ||
        value.access === "protected") &&
      Number.isSafeInteger(value.count) && (value.count as number) >= 0 &&
      (value.count as number) <= 100000 &&
      hasOnly(value, ["type", "access", "count"]) ||
    isObject(value) && value.type === "pong" && isCount(value.n) &&
      hasOnly(value, ["type", "n"]) ||
    isObject(value) && value.type === "heard" && isCount(value.n) &&
      hasOnly(value, ["type", "n"]));
}

/** True for a Message. */
export function isMessage(value: unknown): value is Message {
  return isPartReadableMessage(value);
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

function isPartTextContent(value: unknown): boolean {
  return isObject(value) && value.type === "text" &&
    typeof value.text === "string" &&
    (value.textSignature === undefined ||
      typeof value.textSignature === "string");
}

function isPartImageContent(value: unknown): boolean {
  return isObject(value) && value.type === "image" &&
    typeof value.data === "string" && typeof value.mimeType === "string";
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
/** When each kind of message may come, and how often in ten seconds. */
export const KERNEL_RULES: Record<KernelMessageType, KernelRule> = {
  "hello": { "phases": ["starting"] },
  "declare": { "phases": ["loading", "serving"], "maxInTenSeconds": 200 },
  "ready": { "phases": ["loading"] },
  "update": { "phases": ["serving"] },
  "result": { "phases": ["serving", "closing"] },
  "answer": { "phases": ["loading", "serving", "closing"] },
  "request": { "phases": ["loading", "serving"] },
  "retract": { "phases": ["loading", "serving"] },
  "tell": {
    "phases": ["loading", "serving", "closing"],
    "maxInTenSeconds": 2000,
  },
  "refused": { "phases": ["loading", "serving", "closing"] },
  "pong": { "phases": ["starting", "loading", "serving", "closing"] },
  "heard": { "phases": ["serving", "closing"] },
};

/** When a kind of message may come, and how often. */
export interface KernelRule {
  phases: readonly KernelPhase[];
  maxInTenSeconds?: number;
}
