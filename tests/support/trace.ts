import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { callsOf } from "./scripted_model.ts";

/**
 * Events in short, one word an event:
 *
 * | word | event |
 * |---|---|
 * | `MS(U)` `ME(A:stop)` `MS(T1!)` | `message_start` and `message_end` of a system message S, user U, assistant A with its stop reason, tool result T; others by their role |
 * | `TS1` `TU1` `TE1` | `tool_execution_start`, `…_update`, `…_end` |
 * | `turn_end[2]` | with so many results |
 * | `agent_end[4]` `agent_end[4:aborted]` | with so many messages |
 *
 * Numbers count the calls of the last assistant message; `!` is an error.
 * Messages grow without a word.
 */
export function traceOf(events: readonly AgentEvent[]): string {
  const numbers = new Map<string, number>();
  const words: string[] = [];
  for (const event of events) {
    if (event.type === "message_update") continue;
    if (event.type === "message_end" && event.message.role === "assistant") {
      numbers.clear();
      callsOf(event.message).forEach(({ id }, i) => numbers.set(id, i + 1));
    }
    words.push(wordOf(event, (id) => `${numbers.get(id) ?? `?${id}`}`));
  }
  return words.join(" ");
}

/** Compares events with a trace; line breaks in it count as spaces. */
export function assertTrace(
  events: readonly AgentEvent[],
  expected: string,
): void {
  assert.equal(traceOf(events), expected.trim().split(/\s+/).join(" "));
}

function wordOf(
  event: Exclude<AgentEvent, { type: "message_update" }>,
  number: (callId: string) => string,
): string {
  switch (event.type) {
    case "message_start":
      return `MS(${messageWord(event.message, number)})`;
    case "message_end":
      return `ME(${messageWord(event.message, number)})`;
    case "tool_execution_start":
      return `TS${number(event.toolCallId)}`;
    case "tool_execution_update":
      return `TU${number(event.toolCallId)}`;
    case "tool_execution_end":
      return `TE${number(event.toolCallId)}${event.isError ? "!" : ""}`;
    case "turn_end":
      return `turn_end[${event.toolResults.length}]`;
    case "agent_end":
      return `agent_end[${event.messages.length}${
        event.aborted ? ":aborted" : ""
      }]`;
    default:
      return event.type;
  }
}

function messageWord(
  message: AgentMessage,
  number: (callId: string) => string,
): string {
  switch (message.role) {
    case "assistant":
      return `A:${message.stopReason}`;
    case "toolResult":
      return `T${number(message.toolCallId)}${message.isError ? "!" : ""}`;
    case "system":
      return "S";
    case "user":
      return "U";
    default:
      return (message as { role: string }).role;
  }
}
