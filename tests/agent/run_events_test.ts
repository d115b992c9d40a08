import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { RunEvents } from "../../src/agent/run_events.ts";

const start: AgentEvent = { type: "agent_start" };
const turn: AgentEvent = { type: "turn_start" };

Deno.test("RunEvents tells an event at once and waits for nothing, when its listener returns nothing", () => {
  const told: string[] = [];
  const events = new RunEvents(({ type }) => void told.push(type));
  assert.deepEqual([events.emit(start), events.emit(turn)], [
    undefined,
    undefined,
  ]);
  assert.deepEqual(told, ["agent_start", "turn_start"]);
  assert.equal(events.isInTurn, true);
});

Deno.test("RunEvents tells an event only when the one before it was heard out, whatever listeners return", async () => {
  const slow = Promise.withResolvers<void>();
  const log: string[] = [];
  const events = new RunEvents(({ type }) => {
    log.push(type);
    return type === "agent_start"
      ? slow.promise.then(() => void log.push("heard"))
      : undefined;
  });
  const heard = [events.emit(start), events.emit(turn)];
  assert.deepEqual(log, ["agent_start"]);
  slow.resolve();
  await Promise.all(heard);
  events.emit(turn);
  assert.deepEqual(log, ["agent_start", "heard", "turn_start", "turn_start"]);
});
