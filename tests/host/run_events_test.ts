import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { toRunEvent } from "../../src/host/run_events.ts";
import { builtInTool } from "../../src/host/kernel/kernel_tools.ts";
import { emptyUsage } from "../../src/model/message.ts";
import { Type } from "@sinclair/typebox";
import type { AnyToolDefinition } from "../../src/sdk/tool_definition.ts";

const PARTIAL = {
  role: "assistant",
  content: [{ type: "toolCall", id: "c1", name: "ls", arguments: {} }],
  api: "openai-completions",
  provider: "test",
  model: "m",
  usage: emptyUsage(),
  stopReason: "pending",
  timestamp: 1,
} as const;

function update(
  step: Record<string, unknown>,
): Extract<AgentEvent, { type: "message_update" }> {
  const event = {
    type: "message_update",
    message: PARTIAL,
    assistantMessageEvent: { ...step, partial: PARTIAL },
  };
  return event as unknown as Extract<AgentEvent, { type: "message_update" }>;
}

Deno.test("toRunEvent() repeats no message in its updates", () => {
  const steps: [Record<string, unknown>, Record<string, unknown>][] = [
    [{ type: "text_start", contentIndex: 0 }, {}],
    [{ type: "text_delta", contentIndex: 0, delta: "a" }, {}],
    [
      { type: "text_end", contentIndex: 0, content: "all" },
      { content: undefined },
    ],
    [{ type: "toolcall_start", contentIndex: 0 }, {
      id: "c1",
      toolName: "ls",
    }],
    [{ type: "toolcall_delta", contentIndex: 0, delta: "{" }, {}],
  ];
  for (const [step, change] of steps) {
    const { content: _, ...expected } = { ...step, ...change };
    assert.deepEqual(toRunEvent(update(step), undefined), {
      type: "message_update",
      assistantMessageEvent: expected,
    });
  }
});

Deno.test("toRunEvent() sends no transcript at the ends of turns and runs", () => {
  const message = { ...PARTIAL, content: [] };
  assert.deepEqual(
    toRunEvent({ type: "turn_end", message, toolResults: [] }, undefined),
    { type: "turn_end" },
  );
  assert.deepEqual(
    toRunEvent({ type: "agent_end", messages: [message] }, undefined),
    { type: "agent_end" },
  );
  assert.deepEqual(
    toRunEvent({ type: "agent_end", messages: [], aborted: true }, undefined),
    { type: "agent_end", aborted: true },
  );
});

Deno.test("toRunEvent() names the first message that a compaction keeps by its number", () => {
  const firstKept = { role: "user", content: "hi", timestamp: 1 } as const;
  const end = {
    type: "compaction_end",
    reason: "threshold",
    aborted: false,
  } as const;
  const result = { summary: "s", tokensBefore: 9 };
  const told = (numberOf: (message: unknown) => number | undefined) =>
    toRunEvent(
      { ...end, result: { ...result, firstKept } },
      undefined,
      numberOf,
    );
  assert.deepEqual(told((message) => message === firstKept ? 7 : undefined), {
    ...end,
    result: { ...result, firstKept: 7 },
  });
  assert.deepEqual(told(() => undefined), {
    ...end,
    result: { ...result, firstKept: 0 },
  });
  assert.deepEqual(toRunEvent(end, undefined), end);
});

Deno.test("builtInTool() renders what a tool can render, and nothing where it throws", () => {
  const tool = (
    name: string,
    renderCall: AnyToolDefinition["renderCall"],
  ): AnyToolDefinition => ({
    name,
    label: name,
    description: "",
    parameters: Type.Object({}),
    execute: () => Promise.resolve({ content: [] }),
    ...(renderCall ? { renderCall } : {}),
  });
  const tools = [
    tool("a", (args) => [`a ${args.path}`]),
    tool("broken", () => {
      throw new Error("no such argument");
    }),
  ];
  const lines = (name: string) => {
    const definition = tools.find((tool) => tool.name === name);
    const served = definition && builtInTool(definition, {
      ready: () => Promise.reject(new Error("nothing is run")),
      factsOf: () => ({}),
      afterDeath: (error) => error as Error,
      screen: { cwd: "/work", width: 80, color: false },
    });
    return served?.render?.({ toolCallId: "c", args: { path: "x" } });
  };
  assert.deepEqual(lines("a"), ["a x"]);
  assert.equal(lines("broken"), undefined);
  const start = {
    type: "tool_execution_start",
    toolCallId: "c",
    toolName: "a",
    args: {},
  } as const;
  assert.deepEqual(toRunEvent(start, ["a x"]), { ...start, rendered: ["a x"] });
  assert(!("rendered" in toRunEvent(start, undefined)));
});
