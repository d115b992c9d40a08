import type { AgentMessage } from "../agent/agent_message.ts";
import type { ImageContent, JsonObject } from "../model/content.ts";
import { isObject } from "../model/json_values.ts";
import type { Message } from "../model/message.ts";
import type {
  PluginEventResults,
  PluginMessage,
} from "../sdk/plugin_events.ts";
import { isGuardedHeader } from "../model/credential_header.ts";
import { boundedContent, boundedJson, readUsage } from "./bounded_result.ts";

// A plugin need not be typed: what its handlers return may be anything. Each
// reader gives back plain data, or throws what the plugin's author should hear.

/** Names and values of headers that HTTP can send. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 64;
const MAX_HEADER = 8 * 1024;

/** Reads the answer of a handler of `input`. */
export function readInput(returned: unknown): PluginEventResults["input"] {
  const { action, text, images } = fieldsOf(returned);
  if (action === "continue" || action === "handled") return { action };
  if (action === "transform" && typeof text === "string") {
    return images === undefined ? { action, text } : {
      action,
      text,
      images: boundedContent(images).filter((block): block is ImageContent =>
        block.type === "image"
      ),
    };
  }
  throw new TypeError(
    'it returned neither { action: "continue" }, { action: "transform", text } nor { action: "handled" }',
  );
}

/** Reads the answer of a handler of `before_agent_start`. */
export function readStart(
  returned: unknown,
): PluginEventResults["before_agent_start"] {
  const { message, systemPrompt } = fieldsOf(returned);
  if (systemPrompt !== undefined && typeof systemPrompt !== "string") {
    throw new TypeError("the systemPrompt that it returned is not a string");
  }
  return {
    ...(message === undefined ? {} : { message: readPluginMessage(message) }),
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
  };
}

function readPluginMessage(value: unknown): PluginMessage {
  const { customType, content, display = true, details } = fieldsOf(value);
  if (typeof customType !== "string" || customType === "") {
    throw new TypeError("the message that it returned has no customType");
  }
  const json = boundedJson(details, { what: "details" });
  return {
    customType,
    content: typeof content === "string" ? content : boundedContent(content),
    display: display === true,
    ...(json === undefined ? {} : { details: json }),
  };
}

/** Reads the answer of a handler of `context`. */
export function readContext(returned: unknown): { messages: Message[] } {
  const { messages } = boundedJson(fieldsOf(returned), {
    what: "list of messages",
    maxJson: Infinity,
  }) as Record<string, unknown>;
  if (Array.isArray(messages) && messages.every(isRequestMessage)) {
    return { messages };
  }
  throw new TypeError(
    "it returned no list of messages of the roles user, assistant and toolResult",
  );
}

function isRequestMessage(value: unknown): value is Message {
  if (!isObject(value)) return false;
  const { role, content, stopReason, toolCallId, toolName } = value;
  if (role === "user" && typeof content === "string") return true;
  if (!Array.isArray(content) || !content.every(isBlock)) return false;
  return role === "user" ||
    (role === "assistant" && typeof stopReason === "string") ||
    (role === "toolResult" && typeof toolCallId === "string" &&
      typeof toolName === "string");
}

function isBlock(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { type, text, thinking, data, mimeType, id, name } = value;
  return (type === "text" && typeof text === "string") ||
    (type === "thinking" && typeof thinking === "string") ||
    (type === "image" && typeof data === "string" &&
      typeof mimeType === "string") ||
    (type === "toolCall" && typeof id === "string" &&
      typeof name === "string" && isObject(value.arguments));
}

/** Reads the answer of a handler of `tool_call`. */
export function readBlock(
  returned: unknown,
): PluginEventResults["tool_call"] | undefined {
  if (returned === undefined || returned === null) return undefined;
  const { block = false, reason, terminate } = fieldsOf(returned);
  if (typeof block !== "boolean") {
    throw new TypeError("the block that it returned is neither true nor false");
  }
  return {
    block,
    ...(reason === undefined ? {} : { reason: String(reason) }),
    ...(terminate === true ? { terminate } : {}),
  };
}

/** Reads the answer of a handler of `tool_result`. */
export function readPatch(
  returned: unknown,
): PluginEventResults["tool_result"] | undefined {
  if (returned === undefined || returned === null) return undefined;
  const given = fieldsOf(returned);
  const patch: PluginEventResults["tool_result"] = {};
  if (given.content !== undefined) {
    patch.content = boundedContent(given.content);
  }
  const usage = readUsage(given.usage);
  if (usage !== undefined) patch.usage = usage;
  for (const what of ["details", "structuredContent"] as const) {
    const json = boundedJson(given[what], { what });
    if (json !== undefined) Object.assign(patch, { [what]: json });
  }
  if (given.isError !== undefined) {
    if (typeof given.isError !== "boolean") {
      throw new TypeError(
        "the isError that it returned is neither true nor false",
      );
    }
    patch.isError = given.isError;
  }
  return patch;
}

/** The message with the content that a handler gave it; all else of it is a fact. */
export function readMessage(
  returned: unknown,
  before: AgentMessage,
): AgentMessage {
  const { message } = fieldsOf(returned);
  const { role, content } = fieldsOf(message);
  if (role !== before.role) {
    throw new TypeError(
      `it returned a message of the role ${
        JSON.stringify(role)
      } for one of the role "${before.role}"`,
    );
  }
  if (before.role === "user") {
    return {
      ...before,
      content: typeof content === "string" ? content : boundedContent(content),
    };
  }
  if (before.role !== "assistant") {
    throw new TypeError(
      `a message of the role "${before.role}" cannot be changed here; results are changed in tool_result`,
    );
  }
  const blocks = boundedJson(content, {
    what: "content",
    maxJson: Infinity,
  }) as typeof before.content | undefined;
  const isRight = Array.isArray(blocks) &&
    blocks.every((block) =>
      (block?.type === "text" && typeof block.text === "string") ||
      (block?.type === "thinking" && typeof block.thinking === "string") ||
      block?.type === "toolCall"
    );
  if (!isRight) throw new TypeError("it returned no content of a message");
  if (callsIn(blocks) !== callsIn(before.content)) {
    throw new TypeError(
      "it changed the calls of the message; they are changed in tool_call",
    );
  }
  return { ...before, content: blocks };
}

function callsIn(content: readonly { type: string }[]): string {
  return JSON.stringify(content.filter(({ type }) => type === "toolCall"));
}

/** Reads the answer of a handler of `before_provider_request`. */
export function readPayload(returned: unknown): JsonObject {
  return boundedJson(fieldsOf(returned), {
    what: "payload",
    maxJson: Infinity,
  }) as JsonObject;
}

/** Reads the answer of a handler of `before_provider_headers`. */
export function readHeaders(returned: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  const entries = Object.entries(fieldsOf(returned)).slice(0, MAX_HEADERS);
  for (const [name, value] of entries) {
    if (typeof value !== "string" || value.length > MAX_HEADER) {
      throw new TypeError(`the header ${JSON.stringify(name)} is not a string`);
    }
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new TypeError(
        `the header ${JSON.stringify(name)} holds what no request can send`,
      );
    }
    if (isGuardedHeader(name)) {
      throw new TypeError(`it may not set the header ${JSON.stringify(name)}`);
    }
    headers[name] = value;
  }
  return headers;
}

/** Reads the answer of a handler of `session_before_compact`. */
export function readCompaction(
  returned: unknown,
): PluginEventResults["session_before_compact"] {
  const { cancel = false, summary } = fieldsOf(returned);
  const isRight = typeof cancel === "boolean" &&
    (summary === undefined || (typeof summary === "string" && summary !== ""));
  if (!isRight) {
    throw new TypeError("it returned neither { cancel: true } nor { summary }");
  }
  return summary === undefined
    ? { cancel: cancel === true }
    : { cancel: cancel === true, summary: summary as string };
}

/** Reads the answer of a handler of `user_bash`. */
export function readUserBash(
  returned: unknown,
): Required<PluginEventResults["user_bash"]> | undefined {
  if (returned === undefined || returned === null) return undefined;
  const { output, isError } = fieldsOf(returned);
  if (typeof output === "string") return { output, isError: isError === true };
  throw new TypeError("it returned no { output }");
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new TypeError(`it returned ${kindOf(value)} where an object is wanted`);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
