import assert from "node:assert/strict";
import { emptyUsage } from "../../src/model/message.ts";
import type {
  AssistantMessageEvent,
  AssistantMessageEventStream,
  StreamFn,
} from "../../src/model/stream.ts";
import { runAgentLoop } from "../../src/agent/agent_loop.ts";
import { testConfig, user } from "../support/record_run.ts";
import { testModel } from "../support/scripted_model.ts";
import { assertTranscript } from "../support/transcript.ts";

/** A response that calls `silence` when it is waited for after its first event; never ends and hears no abort. */
function silentAfterStart(silence: () => void): AssistantMessageEventStream {
  const start: AssistantMessageEvent = {
    type: "start",
    partial: {
      role: "assistant",
      content: [{ type: "text", text: "So far" }],
      api: testModel.api,
      provider: testModel.provider,
      model: testModel.id,
      usage: emptyUsage(),
      stopReason: "pending",
      timestamp: 0,
    },
  };
  let reads = 0;
  const next = (): Promise<IteratorResult<AssistantMessageEvent>> => {
    if (reads++ === 0) return Promise.resolve({ done: false, value: start });
    queueMicrotask(silence);
    return new Promise(() => {});
  };
  const stream = { [Symbol.asyncIterator]: () => ({ next }) };
  return stream as unknown as AssistantMessageEventStream;
}

for (const when of ["during the silence", "before it"] as const) {
  Deno.test(`runAgentLoop() ends a response that falls silent when it is aborted ${when}`, async () => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    const streamFn: StreamFn = () =>
      silentAfterStart(when === "before it" ? () => {} : abort);
    const startMs = performance.now();
    const messages = await runAgentLoop(
      [user("Go.")],
      { messages: [] },
      testConfig,
      ({ type, ...event }) => {
        const isAnswer = "message" in event &&
          event.message.role === "assistant";
        if (type === "message_start" && isAnswer && when === "before it") {
          abort();
        }
      },
      controller.signal,
      streamFn,
    );
    const tookMs = performance.now() - startMs;
    assertTranscript(
      messages.slice(1),
      `
      assistant  So far
      aborted    Operation aborted
      `,
    );
    // The response had its time to end by itself.
    assert(tookMs >= 490, `it took ${tookMs} ms`);
  });
}
