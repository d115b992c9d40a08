import assert from "node:assert/strict";
import { parseKernelMessage } from "../../src/protocol/parse_kernel_message.ts";

const user = { role: "user", content: "hello", timestamp: 1 };
const request = { requestId: 0, messages: [0, user], options: {} };
const call = { toolCallId: "c1", toolName: "ls" };

const ring = { read: "held", write: "open", connect: "not tried" };

/** A message with parts of it replaced; `undefined` takes a part away. */
function event(fields: Record<string, unknown>, stored?: unknown): unknown {
  return { type: "event", event: fields, stored };
}

Deno.test("parseKernelMessage() takes what a kernel sends", () => {
  const messages = [
    { type: "pong", n: 3 },
    { type: "probed", report: { operations: ring, deno: ring, system: ring } },
    { type: "event", event: { type: "agent_start" } },
    {
      type: "event",
      event: { type: "message_end", message: user },
      stored: 0,
    },
    {
      type: "event",
      event: {
        type: "message_update",
        assistantMessageEvent: { type: "text_start", contentIndex: 0 },
      },
    },
    {
      type: "event",
      event: { type: "tool_execution_start", ...call, args: {} },
    },
    {
      type: "event",
      event: {
        type: "tool_execution_end",
        ...call,
        result: { content: [{ type: "text", text: "a" }] },
        isError: false,
        rendered: ["ls"],
      },
    },
    { type: "event", event: { type: "check_start", command: "make" } },
    {
      type: "event",
      event: {
        type: "check_end",
        command: "make",
        passed: false,
        output: "exit 1",
      },
    },
    {
      type: "event",
      event: {
        type: "auto_retry_start",
        attempt: 1,
        maxAttempts: 3,
        delayMs: 2000,
        errorMessage: "busy",
      },
    },
    {
      type: "event",
      event: { type: "auto_retry_end", attempt: 1, success: true },
    },
    {
      type: "event",
      event: { type: "compaction_start", reason: "threshold", tokens: 9 },
    },
    {
      type: "event",
      event: {
        type: "compaction_end",
        reason: "overflow",
        aborted: false,
        result: { summary: "s", firstKept: 3, tokensBefore: 9 },
      },
    },
    { type: "model_cancel", requestId: 0 },
    { type: "ask", askId: 1, service: "kill_call", marker: "m" },
    { type: "ask", askId: 2, service: "recorded_result", callId: "c" },
    {
      type: "ask",
      askId: 3,
      service: "recorded_result",
      callId: undefined,
    },
    { type: "end", outcome: { kind: "completed" } },
    { type: "end", outcome: { kind: "limit", limit: "turn_limit" } },
    {
      type: "end",
      outcome: { kind: "goal_missed", goal: "check", message: "why" },
    },
    { type: "end", outcome: { kind: "limit", limit: "budget_limit" } },
    { type: "end", outcome: { kind: "failed", message: "why" } },
  ];
  for (const message of messages) {
    assert.deepEqual(parseKernelMessage(message), message);
  }
  assert.equal(
    parseKernelMessage({ type: "model_request", request })?.type,
    "model_request",
  );
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
  "a compaction whose summary is no text": event({
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
  "output of a command that is no text": event({
    type: "shell_update",
    delta: ["a"],
  }),
  "output of a command whose name is no text": event({
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
  "a system prompt that is no text": {
    type: "model_request",
    request: { ...request, declarations: { systemPrompt: {} } },
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
  Deno.test(`parseKernelMessage() refuses ${what}`, () => {
    assert.equal(parseKernelMessage(message), undefined);
  });
}

Deno.test("parseKernelMessage() lets a request set neither key, headers, address nor timeouts", () => {
  const parsed = parseKernelMessage({
    type: "model_request",
    request: {
      ...request,
      options: {
        temperature: 0,
        apiKey: "stolen",
        headers: { authorization: null },
        baseUrl: "http://127.0.0.1:1",
        timeouts: { idleMs: 1e12 },
      },
    },
  });
  assert(parsed?.type === "model_request");
  const given = Object.entries(parsed.request.options)
    .filter(([, value]) => value !== undefined);
  assert.deepEqual(given, [["temperature", 0]]);
});
