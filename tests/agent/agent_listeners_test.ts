import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { user } from "../support/record_run.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import { call, say, scriptedModel } from "../support/scripted_model.ts";
import { testAgent } from "../support/test_agent.ts";
import { chattyTool, testTool } from "../support/test_tool.ts";

Deno.test("Agent.subscribe() awaits listeners in their order, each event before the next", async () => {
  const model = scriptedModel(say("Hi.", call("a"), call("b")), say("Done."));
  const { agent, events } = testAgent({
    model,
    initialState: { tools: [chattyTool("a"), chattyTool("b")] },
  });
  const heard: string[] = [];
  for (const name of ["first", "second"]) {
    agent.subscribe(async (event, signal) => {
      assert.equal(signal, agent.signal);
      const number = events.length;
      assert.equal(events.at(-1), event);
      heard.push(`${name} ${number}`);
      for (let i = 0; i < 20; i++) await undefined;
      heard.push(`${name} ${number} through`);
      assert.equal(events.length, number, "the next event came too early");
    });
  }
  await agent.prompt("Go.");
  model.assertPlayed();
  assert.equal(agent.state.errorMessage, undefined);
  const expected = events.flatMap((_, i) =>
    ["first", "second"].flatMap((name) => [
      `${name} ${i + 1}`,
      `${name} ${i + 1} through`,
    ])
  );
  assert.deepEqual(heard, expected);
});

Deno.test("Agent.subscribe() gives each run a signal of its own, which its abort aborts", async () => {
  const { agent } = testAgent({ model: scriptedModel(say("a"), say("b")) });
  const signals = new Set<AbortSignal>();
  agent.subscribe((_event, signal) => {
    signals.add(signal);
  });
  await agent.prompt("One.");
  agent.subscribe(({ type }) => {
    if (type === "turn_start") agent.abort();
  });
  await agent.prompt("Two.");
  assert.deepEqual([...signals].map(({ aborted }) => aborted), [false, true]);
});

Deno.test("Agent.subscribe() counts from the next event on, and unsubscribing at once, during an event too", async () => {
  const { agent, events } = testAgent({ model: scriptedModel(say("Hi.")) });
  const heard: string[] = [];
  agent.subscribe(({ type }) => {
    if (type === "turn_start") {
      unsubscribe();
      agent.subscribe(({ type }) => {
        heard.push(`late ${type}`);
      });
    }
  });
  const unsubscribe = agent.subscribe(({ type }) => {
    heard.push(`early ${type}`);
  });
  await agent.prompt("Go.");
  assert.deepEqual(heard, [
    "early agent_start",
    ...events.slice(2).map(({ type }) => `late ${type}`),
  ]);
});

Deno.test("Agent.subscribe() takes a listener once and forgets it at its first removal", async () => {
  const { agent } = testAgent({ model: scriptedModel(say("a"), say("b")) });
  let starts = 0;
  const listener = ({ type }: AgentEvent) => {
    if (type === "agent_start") starts++;
  };
  const unsubscribe = agent.subscribe(listener);
  agent.subscribe(listener);
  await agent.prompt("One.");
  unsubscribe();
  unsubscribe();
  await agent.prompt("Two.");
  assert.equal(starts, 1);
});

for (const when of ["throws", "rejects"] as const) {
  Deno.test(`Agent ends a run as failed when a listener ${when} at any event; the others hear all of it, and the next run is fine`, async () => {
    for (let n = 0;; n++) {
      const model = scriptedModel(
        say("Hi.", call("a"), call("b")),
        say("Done."),
        say("Fine."),
      );
      const { agent, events } = testAgent({
        model,
        initialState: { tools: [chattyTool("a"), testTool("b")] },
      });
      let count = 0;
      agent.subscribe((): Promise<void> | void => {
        if (count++ !== n) return;
        const error = new Error("listener broke");
        if (when === "throws") throw error;
        return Promise.reject(error);
      });
      const after: AgentEvent[] = [];
      agent.subscribe((event) => {
        after.push(event);
      });
      await agent.prompt("Go.");

      assert.deepEqual(after, events);
      const { messages } = agent.state;
      assertWholeRun({ messages: messages.slice(1), events });
      const end = events.at(-1);
      assert(end?.type === "agent_end" && !end.aborted);
      assert.deepEqual(end.messages, messages.slice(1));
      const { isStreaming, pendingToolCalls, streamingMessage } = agent.state;
      assert.deepEqual(
        { isStreaming, pendingToolCalls, streamingMessage },
        {
          isStreaming: false,
          pendingToolCalls: new Set(),
          streamingMessage: undefined,
        },
      );
      if (n >= events.length) break;
      // Nothing follows agent_end that could tell of a failure.
      if (n < events.length - 1) {
        assert.equal(agent.state.errorMessage, "listener broke");
      }
      await agent.prompt([user("Again.")]);
      assert.equal(agent.state.errorMessage, undefined);
      model.assertPlayed({ endedEarly: true });
    }
  });
}
