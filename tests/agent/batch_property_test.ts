import assert from "node:assert/strict";
import fc from "fast-check";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { recordRun } from "../support/record_run.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import {
  call,
  say,
  type ScriptedCall,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool, textResult } from "../support/test_tool.ts";

/** What a call of a random batch does. */
const KINDS = {
  ok: { runs: true, isError: false },
  progress: { runs: true, isError: false },
  late: { runs: true, isError: false },
  throws: { runs: true, isError: true },
  fails: { runs: true, isError: true },
  terminate: { runs: true, isError: false },
  unknown: { runs: false, isError: true },
  invalid: { runs: false, isError: true },
  blocked: { runs: false, isError: true },
} as const;

type Kind = keyof typeof KINDS;

const batches = fc.record({
  kinds: fc.array(
    fc.constantFrom(...Object.keys(KINDS) as Kind[]),
    { minLength: 1, maxLength: 6 },
  ),
  /** Which of the calls that wait is released next. */
  picks: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  sequential: fc.boolean(),
  slowListener: fc.boolean(),
});

Deno.test("runToolBatch() answers each call once, ends calls as they complete and keeps the order of results", async () => {
  await fc.assert(
    fc.asyncProperty(
      batches,
      async ({ kinds, picks, sequential, slowListener }) => {
        const calls = kinds.map((kind) =>
          call(kind, kind === "invalid" ? { n: [] } : {})
        );
        const gates = new Gates(picks);
        const isOver = kinds.every((kind) => kind === "terminate");
        const { messages, events } = await recordRun("Go.", {
          model: scriptedModel(
            say("", ...calls),
            ...(isOver ? [] : [say("So.")]),
          ),
          tools: toolsOf(gates, sequential),
          beforeToolCall: ({ toolCall }) =>
            toolCall.name === "blocked" ? { block: true } : undefined,
          async onEvent(event) {
            if (slowListener) { for (let i = 0; i < 5; i++) await undefined; }
            if (event.type === "tool_execution_end") gates.ended();
          },
        });

        assertWholeRun({ messages, events });
        const ids = calls.map(({ id }) => id);
        assert.deepEqual(
          messages.flatMap((m) =>
            m.role === "toolResult" ? [[m.toolCallId, m.isError]] : []
          ),
          calls.map((call) => [call.id, kindOf(call).isError]),
        );
        const ends = events.flatMap((event) =>
          event.type === "tool_execution_end" ? [event.toolCallId] : []
        );
        const running = new Set(
          calls.filter((call) => kindOf(call).runs).map(({ id }) => id),
        );
        if (sequential) {
          assert.deepEqual(ends, ids);
        } else {
          assert.deepEqual(ends, [
            ...ids.filter((id) => !running.has(id)),
            ...gates.released,
          ]);
        }
        assert.deepEqual(new Set(gates.released), running);
        const updates = events.filter(({ type }) =>
          type === "tool_execution_update"
        );
        const talkative = kinds.filter((kind) => kind === "progress");
        assert.equal(updates.length, talkative.length * 2);
      },
    ),
    { numRuns: 150 },
  );
});

function kindOf({ name }: ScriptedCall): { runs: boolean; isError: boolean } {
  return KINDS[name.split("-")[0] as Kind];
}

/** One tool a kind but the unknown; each waits at the gates before it settles. */
function toolsOf(gates: Gates, sequential: boolean): AgentTool[] {
  const kinds = Object.keys(KINDS) as Kind[];
  return kinds.filter((kind) => kind !== "unknown").map((kind) =>
    testTool(kind, async ({ id, update }) => {
      if (kind === "progress") update("1");
      await gates.pass(id);
      if (kind === "progress") update("2");
      if (kind === "late") gates.afterwards(() => update("late"));
      if (kind === "throws") throw new Error("broken");
      return {
        ...textResult(kind),
        ...(kind === "fails" ? { isError: true } : {}),
        ...(kind === "terminate" ? { terminate: true } : {}),
      };
    }, {
      parameters: { type: "object", properties: { n: { type: "number" } } },
      ...(sequential ? { executionMode: "sequential" } : {}),
    })
  );
}

/** Releases waiting calls one at a time, in an order that the test picks: the next one when the last has ended. */
class Gates {
  readonly released: string[] = [];
  #picks: number[];
  #waiting: { id: string; open: () => void }[] = [];
  #late: (() => void)[] = [];
  #isRunning = false;

  constructor(picks: readonly number[]) {
    this.#picks = [...picks];
  }

  async pass(id: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ id, open: resolve });
    // All calls of a parallel batch arrive before the first is released.
    for (let i = 0; i < 50; i++) await undefined;
    if (!this.#isRunning) this.#release();
    await promise;
  }

  afterwards(late: () => void): void {
    this.#late.push(late);
  }

  /** A call has ended. */
  ended(): void {
    if (!this.#isRunning) return;
    for (const late of this.#late.splice(0)) late();
    this.#isRunning = false;
    this.#release();
  }

  #release(): void {
    const pick = this.#picks.shift() ?? 0;
    const [next] = this.#waiting.splice(pick % (this.#waiting.length || 1), 1);
    if (!next) return;
    this.#isRunning = true;
    this.released.push(next.id);
    next.open();
  }
}
