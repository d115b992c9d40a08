import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import { type RecordedRun, toLlm } from "./record_run.ts";
import { assertSendable } from "./scripted_model.ts";

/**
 * Fails unless a run is whole, however it ended: what was announced has ended,
 * each call has one result right after its message, the messages that were
 * announced are those that the run added, `agent_end` comes last, and a
 * provider would take the messages.
 */
export function assertWholeRun({ messages, events }: RecordedRun): void {
  assert.equal(events[0]?.type, "agent_start");
  assert.equal(events.at(-1)?.type, "agent_end");
  assert.equal(events.filter(({ type }) => type === "agent_end").length, 1);
  assertBalanced(events);
  assertTurnsTellTheirMessages(events);
  assertSendable({
    messages: toLlm(messages).filter(({ role }) => role !== "system"),
  });
  const announced = events.flatMap((event) =>
    event.type === "message_end" ? [event.message] : []
  );
  assert.deepEqual(announced, messages);
}

/** Fails unless turns, messages and calls nest: each start has its end inside what encloses it. */
function assertBalanced(events: readonly AgentEvent[]): void {
  let inTurn = false;
  let inMessage = false;
  const running = new Set<string>();
  const ended = new Set<string>();
  for (const event of events.slice(1, -1)) {
    switch (event.type) {
      case "turn_start":
      case "turn_end":
        assert.equal(inTurn, event.type === "turn_end", `odd ${event.type}`);
        assert(!inMessage, `${event.type} inside a message`);
        assert.equal(running.size, 0, `${event.type} while calls run`);
        inTurn = !inTurn;
        break;
      case "message_start":
      case "message_end":
        assert.equal(inMessage, event.type === "message_end", "odd message");
        inMessage = !inMessage;
        break;
      case "message_update":
        assert(inMessage, "update outside a message");
        break;
      case "tool_execution_start":
        assert(!ended.has(event.toolCallId), "a call started twice");
        running.add(event.toolCallId);
        break;
      case "tool_execution_update":
        assert(running.has(event.toolCallId), "update of a call that is over");
        break;
      case "tool_execution_end":
        assert(running.delete(event.toolCallId), "end of a call without start");
        ended.add(event.toolCallId);
        break;
      default:
        assert.fail(`${event.type} inside the run`);
    }
    if (event.type !== "turn_end") assert(inTurn, `${event.type} in no turn`);
  }
  assert(!inTurn && !inMessage && running.size === 0, "something is open");
}

/** Fails unless each `turn_end` holds what the turn announced: its last answer and its results. */
function assertTurnsTellTheirMessages(events: readonly AgentEvent[]): void {
  let turn: AgentMessage[] = [];
  for (const event of events) {
    if (event.type === "turn_start") turn = [];
    else if (event.type === "message_end") turn.push(event.message);
    else if (event.type === "turn_end") {
      const { message, toolResults } = event;
      const results = turn.filter(({ role }) => role === "toolResult");
      assert.deepEqual(toolResults, results);
      assert.equal(message, turn.findLast(({ role }) => role === "assistant"));
    }
  }
}
