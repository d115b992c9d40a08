import assert from "node:assert/strict";
import { isKernelMessage, KERNEL_RULES } from "../../src/protocol/checks.ts";
import { KERNEL_MESSAGES } from "../support/kernel_messages.ts";

const ring = { read: "held", write: "open", connect: "not tried" };

function probed(report: unknown): unknown {
  return { type: "answer", askId: 1, kind: "probe", value: { report } };
}

function asking(dialog: unknown): unknown {
  return { type: "request", requestId: 1, kind: "dialog", dialog };
}

function resulting(result: unknown): unknown {
  return { type: "result", callId: 0, result };
}

Deno.test("isKernelMessage() takes what a kernel sends, of each kind", () => {
  for (const message of KERNEL_MESSAGES) {
    assert(isKernelMessage(message), JSON.stringify(message));
  }
  const kinds = new Set(
    (KERNEL_MESSAGES as { type: string }[]).map(({ type }) => type),
  );
  assert.deepEqual([...kinds].sort(), Object.keys(KERNEL_RULES).sort());
});

const MALFORMED: Record<string, unknown> = {
  "no object": "end",
  "null": null,
  "a list": [{ type: "pong", n: 1 }],
  "no type": { n: 1 },
  "an unknown type": { type: "start", setup: {} },
  "a type that every object has": { type: "__proto__" },
  "an event, which is for the host alone": {
    type: "event",
    event: { type: "agent_end" },
  },
  "an outcome, which is for the host alone": {
    type: "end",
    outcome: { kind: "completed" },
  },
  "a greeting of another version": { type: "hello", version: 2 },
  "probes of a ring that is not there": probed({
    operations: ring,
    deno: ring,
  }),
  "a probe with an outcome of its own": probed({
    operations: ring,
    deno: ring,
    system: { ...ring, read: "ok" },
  }),
  "a report with more in it": probed({
    operations: ring,
    deno: ring,
    system: ring,
    more: "x",
  }),
  "a pong that is not counted": { type: "pong", n: -1 },
  "a pong beyond safe numbers": { type: "pong", n: 2 ** 60 },
  "a result without content": resulting({}),
  "a result whose content is a text": resulting({ content: "text" }),
  "a block that is null": resulting({ content: [null] }),
  "a text that is a number": resulting({
    content: [{ type: "text", text: 1 }],
  }),
  "a cost below nothing": resulting({ content: [], usage: { input: -1 } }),
  "a result that is an error, too": {
    type: "result",
    callId: 0,
    result: { content: [] },
    error: { kind: "tool", message: "" },
  },
  "an error of a kind of its own": {
    type: "result",
    callId: 0,
    error: { kind: "32", message: "" },
  },
  "an answer of an unknown kind": {
    type: "answer",
    askId: 1,
    kind: "approve",
    value: {},
  },
  "a decision without a decision": {
    type: "answer",
    askId: 1,
    kind: "tool_call",
    value: {},
  },
  "a message of an unknown role": {
    type: "answer",
    askId: 1,
    kind: "message_end",
    value: { message: { role: "admin", content: [] } },
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
  "more refusals than 100,000": {
    type: "refused",
    access: "read",
    count: 100_001,
  },
  "a refusal of an access that every object has": {
    type: "refused",
    access: "__proto__",
    count: 1,
  },
  "a question beyond 64 KiB": asking({
    kind: "input",
    title: "x".repeat(65_537),
  }),
  "a choice of more than 1,000": asking({
    kind: "select",
    title: "x",
    options: Array(1001).fill(""),
  }),
  "a retraction without a number": { type: "retract" },
  "a request for another service": {
    type: "request",
    requestId: 1,
    kind: "read_key",
  },
  "a marker that is a list": {
    type: "request",
    requestId: 1,
    kind: "kill",
    marker: ["m"],
  },
  "more than 256 names": {
    type: "tell",
    kind: "activate",
    names: Array(257).fill("x"),
  },
  "a notice beyond 64 KiB": {
    type: "tell",
    kind: "notice",
    plugin: "p",
    level: "info",
    message: "x".repeat(65_537),
  },
  "a change of the model": { type: "tell", kind: "use_model", model: {} },
};

for (const [what, message] of Object.entries(MALFORMED)) {
  Deno.test(`isKernelMessage() refuses ${what}`, () => {
    assert(!isKernelMessage(message));
  });
}
