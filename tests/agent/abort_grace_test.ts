import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { runAgentLoop } from "../../src/agent/agent_loop.ts";
import { EventStream } from "../../src/model/event_stream.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import type {
  AssistantMessageEvent,
  StreamFn,
} from "../../src/model/stream.ts";
import { recordRun, testConfig, user } from "../support/record_run.ts";
import { assertWholeRun } from "../support/run_invariants.ts";
import {
  call,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

/** Never settles and hears no signal. */
const stuck = () => new Promise<never>(() => {});

const partial: AssistantMessage = {
  role: "assistant",
  content: [{ type: "text", text: "So far" }],
  api: testModel.api,
  provider: testModel.provider,
  model: testModel.id,
  usage: emptyUsage(),
  stopReason: "pending",
  timestamp: 0,
};

Deno.test("runAgentLoop() ends without a tool that is deaf to an abort, and hears no more of it", async () => {
  const controller = new AbortController();
  const release = Promise.withResolvers<void>();
  const { messages, events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("deaf"), call("quick"))),
    tools: [
      testTool("deaf", async ({ update }) => {
        update("half");
        await release.promise;
        update("late");
        throw new Error("late");
      }),
      testTool("quick"),
    ],
    signal: controller.signal,
    onEvent({ type }) {
      if (type === "tool_execution_end") controller.abort();
    },
  });
  release.resolve();
  await release.promise;
  assertWholeRun({ messages, events });
  assertTranscript(
    messages.slice(-2),
    `
    error      Operation aborted
    result     quick done
    `,
  );
  assert.equal(
    events.filter(({ type }) => type === "tool_execution_update").length,
    1,
  );
});

const DEAF_PROVIDERS: {
  title: string;
  streamFn: StreamFn;
  transcript: string;
}[] = [
  {
    title: "never returns a stream",
    streamFn: stuck,
    transcript: "assistant\naborted    Operation aborted",
  },
  {
    title: "says nothing",
    streamFn: () => new EventStream(),
    transcript: "assistant\naborted    Operation aborted",
  },
  {
    title: "falls silent",
    streamFn: () => streamOf([{ type: "start", partial }]),
    transcript: "assistant  So far\naborted    Operation aborted",
  },
  {
    title: "talks on for ever",
    streamFn() {
      const stream = streamOf([{ type: "start", partial }]);
      stream[Symbol.asyncIterator] = async function* () {
        yield { type: "start", partial };
        while (true) {
          // Its next event is always ready before any timer.
          for (let i = 0; i < 500; i++) await undefined;
          yield { type: "text_delta", contentIndex: 0, delta: "", partial };
        }
      };
      return stream;
    },
    transcript: "assistant  So far\naborted    Operation aborted",
  },
];

Deno.test("runAgentLoop() ends without a provider that is deaf to an abort", async (t) => {
  // Beside each other, since each takes the whole grace period.
  const runs = DEAF_PROVIDERS.map(async (provider) => {
    const controller = new AbortController();
    const events: AgentEvent[] = [];
    const running = runAgentLoop(
      [user("Go.")],
      { messages: [] },
      testConfig,
      (event) => void events.push(event),
      controller.signal,
      (...request) => {
        queueMicrotask(() => controller.abort());
        return provider.streamFn(...request);
      },
    );
    return { ...provider, messages: await running, events };
  });
  const ended = await Promise.all(runs);
  for (const { title, messages, events, transcript } of ended) {
    await t.step(title, () => {
      assertWholeRun({ messages, events });
      assertTranscript(messages.slice(1), transcript);
      const end = events.at(-1);
      assert(end?.type === "agent_end" && end.aborted);
    });
  }
});

const NOT_ASKED = "assistant\naborted    Operation aborted";

/** Hooks, and the last message of a run that is aborted in one. */
const DEAF_HOOKS = {
  prepareRequest: NOT_ASKED,
  transformContext: NOT_ASKED,
  convertToLlm: NOT_ASKED,
  getApiKey: NOT_ASKED,
  beforeToolCall: "error      Operation aborted",
  finishTurn: "result     a done",
  prepareNextTurn: "result     a done",
};

Deno.test("runAgentLoop() ends without a hook that is deaf to an abort", async (t) => {
  for (const [hook, transcript] of Object.entries(DEAF_HOOKS)) {
    await t.step(hook, async () => {
      const controller = new AbortController();
      const { messages, events } = await recordRun("Go.", {
        model: scriptedModel(say("", call("a"))),
        tools: [testTool("a")],
        signal: controller.signal,
        [hook]: () => {
          controller.abort();
          return stuck();
        },
        endedEarly: true,
      });
      assertWholeRun({ messages, events });
      assertTranscript(messages.slice(-1), transcript);
      const end = events.at(-1);
      assert(end?.type === "agent_end" && end.aborted);
    });
  }
});

Deno.test("afterToolCall() that is deaf to an abort withholds the result", async () => {
  const controller = new AbortController();
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [testTool("a", () => "a secret")],
    signal: controller.signal,
    afterToolCall() {
      controller.abort();
      return stuck();
    },
  });
  assertTranscript(messages.slice(-1), "error      Operation aborted");
});

function streamOf(
  events: AssistantMessageEvent[],
): EventStream<AssistantMessageEvent, AssistantMessage> {
  const stream = new EventStream<AssistantMessageEvent, AssistantMessage>();
  for (const event of events) stream.push(event);
  return stream;
}
