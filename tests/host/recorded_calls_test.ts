import assert from "node:assert/strict";
import { RecordedCalls } from "../../src/host/recorded_calls.ts";
import type { RunEvent } from "../../src/protocol/event_schemas.ts";

function start(toolCallId: string, command: string): RunEvent {
  const args = { command };
  return { type: "tool_execution_start", toolCallId, toolName: "bash", args };
}

function end(toolCallId: string, text: string): RunEvent {
  return {
    type: "tool_execution_end",
    toolCallId,
    toolName: "bash",
    isError: false,
    result: { content: [{ type: "text", text }] },
  };
}

Deno.test("RecordedCalls tells results of equal calls in the order in which they began, all others as they end", () => {
  const calls = new RecordedCalls();
  const told = [
    start("a", "date"),
    start("b", "date"),
    start("c", "pwd"),
    start("d", "date"),
    end("b", "of b"),
    end("c", "of c"),
    end("a", "of a"),
    end("d", "of d"),
    end("d", "again"),
  ].map((event) => calls.note(event).map(({ result }) => result.content));
  const of = (name: string) => [{ type: "text", text: `of ${name}` }];
  const starts = [[], [], [], []];
  assert.deepEqual(told, [
    ...starts,
    ...[[], [of("c")], [of("a"), of("b")], [of("d")], []],
  ]);
});
