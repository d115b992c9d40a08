const usage = {
  input: 1,
  output: 2,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 3,
  cost: { input: 0, output: 0.5, cacheRead: 0, cacheWrite: 0, total: 0.5 },
};
const content = [
  { type: "text", text: "a" },
  { type: "image", data: "AA==", mimeType: "image/png" },
];
const user = { role: "user", content: "hello", timestamp: 1 };
const assistant = {
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", thinkingSignature: "s" },
    { type: "toolCall", id: "c1", name: "ls", arguments: { path: "." } },
  ],
  api: "openai-completions",
  provider: "lab",
  model: "small",
  usage,
  stopReason: "toolUse",
  timestamp: 1,
};
const ring = { read: "held", write: "open", connect: "not tried" };
const plugin = {
  name: "p",
  path: "/p.ts",
  ms: 1.5,
  tools: ["t"],
  commands: [],
  flags: [],
  events: ["input"],
  warnings: [],
};

function answer(kind: string, value: unknown): unknown {
  return { type: "answer", askId: 1, kind, value };
}

function request(fields: object): unknown {
  return { type: "request", requestId: 1, ...fields };
}

function tell(fields: object): unknown {
  return { type: "tell", ...fields };
}

/** A message of each kind that a kernel sends. */
export const KERNEL_MESSAGES: unknown[] = [
  { type: "hello", version: 1 },
  {
    type: "declare",
    plugins: [
      { ...plugin, state: "loaded" },
      { ...plugin, state: "failed", reason: "oops", line: 1, column: 2 },
    ],
    tools: [{
      name: "t",
      label: "t",
      description: "",
      parameters: { type: "object" },
      constrainedSampling: false,
      executionMode: "sequential",
      promptSnippet: "s",
      promptGuidelines: ["g"],
      plugin: "p",
      isOverride: false,
      rendersCalls: true,
      rendersResults: false,
      validates: false,
    }],
    commands: [{ name: "c", description: "d" }],
    flags: [{ name: "f", type: "string" }],
    listens: ["input"],
  },
  { type: "ready" },
  { type: "update", callId: 0, result: { content: [] } },
  {
    type: "result",
    callId: 0,
    result: { content, details: { a: 1 }, usage, terminate: true },
  },
  { type: "result", callId: 0, error: { kind: "tool", message: "no" } },
  answer("input", { handled: false, text: "t", images: content }),
  answer("before_agent_start", {
    messages: [{ customType: "x", content: "c", display: true, details: 1 }],
    systemPrompt: "s",
  }),
  answer("notice", {}),
  answer("message_end", { message: assistant }),
  answer("tool_call", { block: true, reason: "r", terminate: true }),
  answer("tool_call", { block: false, args: {}, changedBy: "p" }),
  answer("tool_result", { content, usage, isError: true }),
  answer("context", { messages: [0, user] }),
  answer("headers", { headers: { a: "b" } }),
  answer("body", { body: { a: 1 } }),
  answer("session_before_compact", { cancel: false, summary: "s" }),
  answer("user_bash", { output: "o", isError: false }),
  answer("validate", { args: {} }),
  answer("render", { lines: ["a"] }),
  answer("command", { isKnown: true }),
  answer("reload", { loaded: ["p"], failed: [] }),
  answer("image", { content }),
  answer("probe", { report: { operations: ring, deno: ring, system: ring } }),
  { type: "answer", askId: 1, kind: "failed", error: "why" },
  request({
    kind: "dialog",
    dialog: { kind: "confirm", title: "t", message: "m" },
  }),
  request({
    kind: "dialog",
    dialog: { kind: "select", title: "t", options: ["a"] },
  }),
  request({
    kind: "dialog",
    dialog: { kind: "editor", title: "t", prefill: "" },
  }),
  request({
    kind: "fetch",
    request: { url: "u", method: "GET", headers: { a: "b" }, timeoutMs: 1 },
  }),
  request({
    kind: "call",
    parent: "c1",
    tool: "read",
    args: { path: "a" },
    hasUpdates: true,
  }),
  request({ kind: "kill", marker: "m" }),
  { type: "retract", requestId: 1 },
  tell({ kind: "activate", names: ["read"] }),
  tell({
    kind: "say",
    deliverAs: "steer",
    message: { customType: "x", content, display: false },
  }),
  tell({ kind: "say_as_user", content: "hi" }),
  tell({ kind: "keep", customType: "todo", data: [1] }),
  tell({ kind: "notice", plugin: "p", level: "info", message: "hi" }),
  tell({
    kind: "fault",
    plugin: "p",
    path: "/p.ts",
    during: "input",
    message: "oops",
    stack: "at",
  }),
  tell({ kind: "abort" }),
  tell({ kind: "compact", instructions: "short" }),
  { type: "refused", access: "protected", count: 3 },
  { type: "pong", n: 3 },
  { type: "heard", n: 3 },
];
