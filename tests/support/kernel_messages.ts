const user = { role: "user", content: "hello", timestamp: 1 };
const request = { requestId: 0, messages: [0, user], options: {} };
const call = { toolCallId: "c1", toolName: "ls" };
const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0.5, cacheRead: 0, cacheWrite: 0, total: 0.5 },
};
const assistant = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "s" },
    { type: "text", text: "hi" },
    { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
  ],
  api: "openai-completions",
  provider: "lab",
  model: "small",
  usage,
  stopReason: "toolUse",
  timestamp: 1,
};
const toolResult = {
  role: "toolResult",
  toolCallId: "c1",
  toolName: "ls",
  content: [{ type: "image", data: "AA==", mimeType: "image/png" }],
  isError: false,
  timestamp: 1,
};
const system = {
  role: "system",
  content: [],
  sections: { cwd: "/w", gone: null },
  toolsAdded: [{ name: "ls", description: "", parameters: {} }],
  toolsRemoved: [{ name: "rm" }],
  timestamp: 1,
};
const plugin = { name: "p", path: "/p.ts" };
const ring = { read: "held", write: "open", connect: "not tried" };

/** A message of each kind that a kernel sends. */
export const KERNEL_MESSAGES: unknown[] = [
  { type: "pong", n: 3 },
  ...[system, assistant, toolResult].map((message, stored) => ({
    type: "event",
    event: { type: "message_end", message },
    stored,
  })),
  ...[
    {
      type: "plugin_loaded",
      ...plugin,
      ms: 1.5,
      tools: ["t"],
      commands: [],
      flags: [],
      events: ["input"],
      warnings: [],
    },
    { type: "plugin_error", ...plugin, message: "oops", line: 1 },
    { type: "plugin_notice", name: "p", level: "info", message: "hi" },
    { type: "custom_entry", customType: "todo", data: [1] },
    { type: "queue_update", steering: ["a"], followUp: [] },
    { type: "shell_update", id: "1", delta: "a" },
    {
      type: "tool_execution_update",
      ...call,
      args: {},
      partialResult: { content: [] },
    },
    { type: "agent_end", aborted: true },
  ].map((event) => ({ type: "event", event })),
  {
    type: "model_request",
    request: {
      requestId: 1,
      messages: [assistant, toolResult, 3],
      declarations: { systemPrompt: "s", tools: [] },
      options: { maxTokens: 1, reasoning: "low", toolChoice: "none" },
      hooks: ["headers"],
    },
  },
  {
    type: "ask",
    askId: 4,
    service: "fetch",
    request: { url: "u", method: "GET", headers: { a: "b" }, timeoutMs: 1 },
  },
  { type: "provider_hook_end", hookId: 1, value: {} },
  {
    type: "dialog",
    dialogId: 1,
    dialog: { kind: "confirm", title: "t", message: "m" },
  },
  {
    type: "dialog",
    dialogId: 1,
    dialog: { kind: "select", title: "t", options: ["a"] },
  },
  {
    type: "dialog",
    dialogId: 1,
    dialog: { kind: "editor", title: "t", prefill: "" },
  },
  { type: "dialog_cancel", dialogId: 1 },
  { type: "command_end", commandId: 1, value: {}, error: "e" },
  {
    type: "end",
    outcome: { kind: "model_error", errorKind: "auth", message: "" },
  },
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
  {
    type: "event",
    event: {
      type: "tool_denied",
      ...call,
      reason: "denied",
      rule: "bash(rm *)",
      source: "/s.json",
    },
  },
  { type: "refused", access: "protected", count: 3 },
  {
    type: "model_request",
    request: { ...request, options: { temperature: 0 } },
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
