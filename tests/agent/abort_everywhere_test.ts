import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { runAgentLoop } from "../../src/agent/agent_loop.ts";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { AgentLoopConfig } from "../../src/agent/loop_config.ts";
import { countListeners } from "../support/listener_count.ts";
import { type RecordedRun, testConfig, user } from "../support/record_run.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import {
  call,
  say,
  type ScriptedModel,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool, untilAbort } from "../support/test_tool.ts";

const HOOKS = [
  "convertToLlm",
  "transformContext",
  "getApiKey",
  "prepareRequest",
  "prepareNextTurn",
  "finishTurn",
  "getSteeringMessages",
  "getFollowUpMessages",
  "beforeToolCall",
  "afterToolCall",
] as const;

type Hook = typeof HOOKS[number];

Deno.test("runAgentLoop() ends whole when it is aborted at any event", async () => {
  await untilNothingIsHit(async (n) => {
    const { events, aborted, requestsAtAbort, ...run } = await runScenario({
      atEvent: (count, abort) => count === n && abort(),
    });
    assert.equal(
      run.model.contexts.length,
      requestsAtAbort ?? 4,
      "a request followed the abort",
    );
    assertEnd(events, { aborted: aborted && events.length - 1 > n });
    return aborted;
  });
});

Deno.test("runAgentLoop() ends whole when any listener throws", async () => {
  await untilNothingIsHit(async (n) => {
    let isHit = false;
    const { events, messages } = await runScenario({
      atEvent(count) {
        if (count !== n) return;
        isHit = true;
        throw new Error("listener broke");
      },
    });
    if (isHit && events.length - 1 > n) {
      assertFailed(messages, "listener broke");
    }
    return isHit;
  });
});

Deno.test("runAgentLoop() ends whole when any listener rejects later", async () => {
  await untilNothingIsHit(async (n) => {
    let isHit = false;
    const { events, messages } = await runScenario({
      async atEvent(count) {
        if (count !== n) return;
        isHit = true;
        await undefined;
        throw new Error("listener broke");
      },
    });
    if (isHit && events.length - 1 > n) {
      assertFailed(messages, "listener broke");
    }
    return isHit;
  });
});

Deno.test("runAgentLoop() ends whole when any listener aborts and throws", async () => {
  await untilNothingIsHit(async (n) => {
    const { events, aborted } = await runScenario({
      atEvent(count, abort) {
        if (count !== n) return;
        abort();
        throw new Error("listener broke");
      },
    });
    assertEnd(events, { aborted: aborted && events.length - 1 > n });
    return aborted;
  });
});

for (const hook of HOOKS) {
  Deno.test(`runAgentLoop() ends whole when any call of ${hook}() throws`, async () => {
    const hits = await untilNothingIsHit(async (n) => {
      let isHit = false;
      const { messages } = await runScenario({
        atHook(name, count) {
          if (name !== hook || count !== n) return;
          isHit = true;
          throw new Error(`${hook} broke`);
        },
      });
      const isOfTheCall = hook === "beforeToolCall" || hook === "afterToolCall";
      if (isHit && isOfTheCall) {
        assert.match(JSON.stringify(messages), new RegExp(`${hook} broke`));
      } else if (isHit) {
        assertFailed(messages, `${hook} broke`);
      }
      return isHit;
    });
    assert(hits > 0, "the scenario never calls the hook");
  });

  Deno.test(`runAgentLoop() ends whole when it is aborted in any call of ${hook}()`, async () => {
    for (const reaction of ["goes on", "throws the reason", "hangs"] as const) {
      // Polls are not raced against the abort, since what they took off a queue would be lost.
      if (reaction === "hangs" && hook.startsWith("get")) continue;
      await untilNothingIsHit(async (n) => {
        const { events, aborted, requestsAtAbort, model } = await runScenario({
          atHook(name, count, abort) {
            if (name !== hook || count !== n) return undefined;
            const signal = abort();
            if (reaction === "throws the reason") throw signal.reason;
            return reaction === "hangs" ? untilAbort(signal) : undefined;
          },
        });
        assert.equal(model.contexts.length, requestsAtAbort ?? 4);
        assertEnd(events, { aborted });
        return aborted;
      });
    }
  });
}

Deno.test("runAgentLoop() ends whole when any call of the stream function throws", async () => {
  await untilNothingIsHit(async (n) => {
    let isHit = false;
    const { messages } = await runScenario({
      atRequest(count) {
        if (count !== n) return;
        isHit = true;
        throw new Error("stream function broke");
      },
    });
    if (isHit) assertFailed(messages, "stream function broke");
    return isHit;
  });
});

/** What goes wrong in a scenario; each counts its calls from 0. */
interface Faults {
  atEvent?(count: number, abort: () => AbortSignal): unknown;
  atHook?(hook: Hook, count: number, abort: () => AbortSignal): unknown;
  atRequest?(count: number): void;
}

/**
 * A parallel batch with progress, a sequential batch, a steering message and a
 * follow-up: four requests. Checks what must hold however the run ended.
 */
async function runScenario(faults: Faults): Promise<
  RecordedRun & {
    model: ScriptedModel;
    aborted: boolean;
    requestsAtAbort: number | undefined;
  }
> {
  const model = scriptedModel(
    say("Both.", call("slow"), call("fast")),
    say("", call("one"), call("fast"), call("nothing")),
    say("Done."),
    say("Nothing more."),
  );
  const controller = new AbortController();
  const queues = { steering: [user("Wait.")], followUps: [user("And?")] };
  let requestsAtAbort: number | undefined;
  const abort = () => {
    controller.abort();
    requestsAtAbort ??= model.contexts.length;
    return controller.signal;
  };

  const events: AgentEvent[] = [];
  const listeners: { left(): number }[] = [];
  const hooks = hooksOf(faults, abort, {
    prepareRequest(_request, signal) {
      // The loop's own signal, which every later hook and the tools get too.
      if (signal && listeners.length === 0) {
        listeners.push(countListeners(signal));
      }
      return undefined;
    },
    getSteeringMessages: () =>
      model.contexts.length === 2 ? queues.steering.splice(0) : [],
    getFollowUpMessages: () => queues.followUps.splice(0),
  });
  let requests = 0;
  const messages = await runAgentLoop(
    [user("Go.")],
    {
      messages: [],
      tools: [
        testTool("slow", async ({ update, signal }) => {
          update("a");
          for (let i = 0; i < 30; i++) await undefined;
          signal.throwIfAborted();
          update("b");
          return "slow done";
        }),
        testTool("fast"),
        testTool("one", undefined, { executionMode: "sequential" }),
      ],
    },
    { ...testConfig, ...hooks },
    (event) => {
      events.push(event);
      return faults.atEvent?.(events.length - 1, abort) as Promise<void>;
    },
    controller.signal,
    (...request) => {
      faults.atRequest?.(requests++);
      return model(...request);
    },
  );
  model.assertPlayed({ endedEarly: true });
  assertWholeRun({ messages, events });
  assert.deepEqual(
    listeners.map((signal) => signal.left()).filter(Boolean),
    [],
  );
  assertNothingLost(messages, queues);
  const { aborted } = controller.signal;
  return { messages, events, model, aborted, requestsAtAbort };
}

/** Every hook, each with its fault before what it does. */
function hooksOf(
  { atHook }: Faults,
  abort: () => AbortSignal,
  base: Partial<AgentLoopConfig>,
): Partial<AgentLoopConfig> {
  const counts = new Map<Hook, number>();
  const all = { ...testConfig, ...base } as unknown as Record<
    Hook,
    ((...args: unknown[]) => unknown) | undefined
  >;
  const hooks: Record<string, unknown> = {};
  for (const hook of HOOKS) {
    hooks[hook] = (...args: unknown[]) => {
      const count = counts.get(hook) ?? 0;
      counts.set(hook, count + 1);
      const fault = atHook?.(hook, count, abort);
      if (fault instanceof Promise) return fault;
      const value = all[hook]?.(...args);
      return hook === "transformContext" ? args[0] : value;
    };
  }
  return hooks as Partial<AgentLoopConfig>;
}

/** A queued message is either still queued or in the transcript. */
function assertNothingLost(
  messages: AgentMessage[],
  queues: { steering: AgentMessage[]; followUps: AgentMessage[] },
): void {
  const isKept = (queue: AgentMessage[], text: string) =>
    queue.length === 1 || JSON.stringify(messages).includes(text);
  assert(isKept(queues.steering, "Wait."), "the steering message is lost");
  assert(isKept(queues.followUps, "And?"), "the follow-up is lost");
}

/** Repeats a run with its fault one step later each time. Resolves to how often it was hit. */
async function untilNothingIsHit(
  runWithFaultAt: (n: number) => Promise<boolean>,
): Promise<number> {
  let n = 0;
  while (await runWithFaultAt(n)) n++;
  return n;
}

function assertEnd(
  events: readonly AgentEvent[],
  { aborted }: { aborted: boolean },
): void {
  const end = events.at(-1);
  assert(end?.type === "agent_end");
  assert.equal(end.aborted === true, aborted);
}

function assertFailed(messages: AgentMessage[], errorMessage: string): void {
  const last = messages.at(-1);
  assert(last?.role === "assistant");
  assert.equal(last.stopReason, "error");
  assert.equal(last.errorMessage, errorMessage);
}
