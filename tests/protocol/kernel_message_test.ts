import assert from "node:assert/strict";
import { isKernelMessage } from "../../src/protocol/checks.ts";
import { KERNEL_MESSAGES } from "../support/kernel_messages.ts";

const user = { role: "user", content: "hello", timestamp: 1 };
const request = { requestId: 0, messages: [0, user], options: {} };
const call = { toolCallId: "c1", toolName: "ls" };

const ring = { read: "held", write: "open", connect: "not tried" };

/** A message with parts of it replaced; `undefined` takes a part away. */
function event(fields: Record<string, unknown>, stored?: unknown): unknown {
  return { type: "event", event: fields, stored };
}

Deno.test("isKernelMessage() takes what a kernel sends", () => {
  for (const message of KERNEL_MESSAGES) {
    assert(isKernelMessage(message), JSON.stringify(message));
  }
});

const MALFORMED: Record<string, unknown> = {
  "no object": "end",
  "null": null,
  "a list": [{ type: "pong", n: 1 }],
  "no type": { n: 1 },
  "an unknown type": { type: "start", setup: {} },
  "a type that every object has": { type: "__proto__" },
  "probes of a ring that is not there": {
    type: "probed",
    report: { operations: ring, deno: ring },
  },
  "a probe with an outcome of its own": {
    type: "probed",
    report: { operations: ring, deno: ring, system: { ...ring, read: "ok" } },
  },
  "a report with more in it": {
    type: "probed",
    report: { operations: ring, deno: ring, system: ring, more: "x" },
  },
  "a pong that is not counted": { type: "pong", n: -1 },
  "a pong beyond safe numbers": { type: "pong", n: 2 ** 60 },
  "an event that is none": event({ type: "session" }),
  "a result as an event": event({ type: "result", exitCode: 0 }),
  "no event": { type: "event" },
  "a message that ends without being stored": event({
    type: "message_end",
    message: user,
  }),
  "a message that ends and is not there": event({ type: "message_end" }, 0),
  "a message that starts and is not there": event({ type: "message_start" }),
  "a message of an unknown role": event({
    type: "message_start",
    message: { role: "admin", content: [] },
  }),
  "an assistant message without a stop reason": event({
    type: "message_start",
    message: { role: "assistant", content: [] },
  }),
  "a block that is null": event({
    type: "message_start",
    message: { role: "user", content: [null] },
  }),
  "a text that is a number": event({
    type: "message_start",
    message: { role: "user", content: [{ type: "text", text: 1 }] },
  }),
  "a call whose arguments are a list": event({
    type: "message_start",
    message: {
      role: "assistant",
      stopReason: "toolUse",
      content: [{ type: "toolCall", id: "c", name: "ls", arguments: [] }],
    },
  }),
  "an update without a step": event({ type: "message_update" }),
  "a start without arguments": event({ type: "tool_execution_start", ...call }),
  "a start without a name": event({
    type: "tool_execution_start",
    toolCallId: "c",
    args: {},
  }),
  "an end without a result": event({
    type: "tool_execution_end",
    ...call,
    isError: false,
  }),
  "an end whose content is a text": event({
    type: "tool_execution_end",
    ...call,
    result: { content: "text" },
    isError: false,
  }),
  "a retry without a reason": event({
    type: "auto_retry_start",
    attempt: 1,
    maxAttempts: 3,
    delayMs: 0,
  }),
  "a retry that ended in no way": event({ type: "auto_retry_end", attempt: 1 }),
  "a compaction for no known reason": event({
    type: "compaction_start",
    reason: "boredom",
    tokens: 1,
  }),
  "a compaction that keeps a message by its text": event({
    type: "compaction_end",
    reason: "threshold",
    aborted: false,
    result: { summary: "s", firstKept: "hello", tokensBefore: 1 },
  }),
  "a compaction whose summary is not a string": event({
    type: "compaction_end",
    reason: "threshold",
    aborted: false,
    result: { summary: null, firstKept: 0, tokensBefore: 1 },
  }),
  "a check without a command": event({ type: "check_start" }),
  "a check that neither passed nor failed": event({
    type: "check_end",
    command: "make",
    output: "",
  }),
  "output of a command that is not a string": event({
    type: "shell_update",
    delta: ["a"],
  }),
  "output of a command whose name is not a string": event({
    type: "shell_update",
    id: 1,
    delta: "a",
  }),
  "an unknown goal": {
    type: "end",
    outcome: { kind: "goal_missed", goal: "x", message: "" },
  },
  "rendered lines that are numbers": event({
    type: "tool_execution_start",
    ...call,
    args: {},
    rendered: [1],
  }),
  "a request without a number": {
    type: "model_request",
    request: { ...request, requestId: "0" },
  },
  "a request without messages": {
    type: "model_request",
    request: { ...request, messages: undefined },
  },
  "a request that names a message by a text": {
    type: "model_request",
    request: { ...request, messages: ["0"] },
  },
  "a request without options": {
    type: "model_request",
    request: { ...request, options: null },
  },
  "a request for no tokens": {
    type: "model_request",
    request: { ...request, options: { maxTokens: 0 } },
  },
  "a request for unknown reasoning": {
    type: "model_request",
    request: { ...request, options: { reasoning: "off" } },
  },
  "a tool without parameters": {
    type: "model_request",
    request: {
      ...request,
      declarations: { tools: [{ name: "ls", description: "" }] },
    },
  },
  "a system prompt that is not a string": {
    type: "model_request",
    request: { ...request, declarations: { systemPrompt: {} } },
  },
  "a request that sets a key": {
    type: "model_request",
    request: { ...request, options: { apiKey: "stolen" } },
  },
  "a request that sets headers": {
    type: "model_request",
    request: { ...request, options: { headers: { authorization: null } } },
  },
  "a request that sets an address": {
    type: "model_request",
    request: { ...request, options: { baseUrl: "http://127.0.0.1:1" } },
  },
  "a request that sets time limits": {
    type: "model_request",
    request: { ...request, options: { timeouts: { idleMs: 1e12 } } },
  },
  "a refusal with more in it": {
    type: "refused",
    access: "read",
    count: 1,
    more: 1,
  },
  "a refusal that is not counted": {
    type: "refused",
    access: "read",
    count: -1,
  },
  "a refusal of an access that every object has": {
    type: "refused",
    access: "__proto__",
    count: 1,
  },
  "a denial for no known reason": event({
    type: "tool_denied",
    ...call,
    reason: "because",
  }),
  "a denial by a rule that is not a string": event({
    type: "tool_denied",
    ...call,
    reason: "denied",
    rule: { long: 1 },
  }),
  "news of control files, which is for the host alone": event({
    type: "control_file_changed",
    path: "/w/.envrc",
    change: "created",
  }),
  "a name of a plugin beyond 64 KiB": event({
    type: "plugin_notice",
    name: "x".repeat(65_537),
    level: "info",
    message: "",
  }),
  "a question beyond 64 KiB": {
    type: "dialog",
    dialogId: 1,
    dialog: { kind: "input", title: "x".repeat(65_537) },
  },
  "a choice of more than 1,000": {
    type: "dialog",
    dialogId: 1,
    dialog: { kind: "select", title: "x", options: Array(1001).fill("") },
  },
  "a cancel without a number": { type: "model_cancel" },
  "an ask for another service": {
    type: "ask",
    askId: 1,
    service: "read_file",
    marker: "m",
  },
  "an ask whose marker is a list": {
    type: "ask",
    askId: 1,
    service: "kill_call",
    marker: ["m"],
  },
  "an ask about a call whose id is a number": {
    type: "ask",
    askId: 1,
    service: "recorded_result",
    callId: 7,
  },
  "an end without an outcome": { type: "end" },
  "an unknown outcome": { type: "end", outcome: { kind: "ok" } },
  "an unknown limit": { type: "end", outcome: { kind: "limit", limit: "x" } },
  "a failure without a message": { type: "end", outcome: { kind: "failed" } },
};

for (const [what, message] of Object.entries(MALFORMED)) {
  Deno.test(`isKernelMessage() refuses ${what}`, () => {
    assert(!isKernelMessage(message));
  });
}
