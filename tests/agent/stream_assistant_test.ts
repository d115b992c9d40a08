import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { renderSystemPrompt } from "../../src/agent/request_messages.ts";
import { EventStream } from "../../src/model/event_stream.ts";
import {
  type AssistantMessage,
  emptyUsage,
  type SystemMessage,
} from "../../src/model/message.ts";
import type {
  AssistantMessageEvent,
  StreamFn,
} from "../../src/model/stream.ts";
import { recordRun, toLlm, user } from "../support/record_run.ts";
import {
  call,
  say,
  scriptedModel,
  testModel,
  thinking,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTrace } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("streamAssistant() folds system messages into one prompt and sends declarations alone", async () => {
  const model = scriptedModel(say("Yes."));
  await recordRun([
    system("You are tau."),
    user("Hi."),
    system([{ type: "text", text: "Be brief." }]),
  ], {
    model,
    tools: [testTool("a", undefined, { executionMode: "sequential" })],
  });
  assert.deepEqual(model.contexts, [{
    systemPrompt: "You are tau.\n\nBe brief.",
    messages: [user("Hi.")],
    tools: [{
      name: "a",
      description: "Runs a.",
      parameters: { type: "object" },
    }],
  }]);
});

Deno.test("streamAssistant() sends neither an empty prompt nor an empty list of tools", async () => {
  const model = scriptedModel(say("Yes."));
  await recordRun("Hi.", { model, tools: [] });
  assert.deepEqual(Object.keys(model.contexts[0] ?? {}), ["messages"]);
});

Deno.test("streamAssistant() transforms the context, then converts it, for this request alone", async () => {
  const model = scriptedModel(say("Yes."), say("Well."));
  const followUps = [user("Sure?")];
  const { messages } = await recordRun("Hi.", {
    model,
    history: [user("Long ago.")],
    transformContext(messages) {
      // The array is the hook's own.
      messages.shift();
      return messages;
    },
    convertToLlm: (messages) => [
      ...toLlm(messages),
      user(`${messages.length}`),
    ],
    getFollowUpMessages: () => followUps.splice(0),
  });
  assert.deepEqual(model.contexts[0]?.messages, [user("Hi."), user("1")]);
  assert.deepEqual(
    model.contexts[1]?.messages.map(({ role }) => role),
    ["user", "assistant", "user", "user"],
  );
  assert.equal(messages.length, 4);
});

Deno.test("streamAssistant() hands the settings of the request to the stream function", async () => {
  const model = scriptedModel(say("Yes."));
  const settings = {
    apiKey: "key",
    headers: { "x-a": "1", "x-b": null },
    temperature: 0,
    maxTokens: 10,
    toolChoice: "none",
    sessionId: "s",
    timeouts: { idleMs: 5 },
    reasoning: "low",
    identity: { url: "https://example.com" },
    metadata: { user: "u" },
  } as const;
  await recordRun("Hi.", { model, ...settings });
  const { signal, ...options } = model.requests[0]?.options ?? {};
  assert.deepEqual(options, {
    ...settings,
    identity: { name: "tau", ...settings.identity },
  });
  assert(signal instanceof AbortSignal);
});

for (
  const { title, found, expected } of [
    { title: "asks for a key by provider", found: "fresh", expected: "fresh" },
    { title: "falls back to the key it was given", expected: "given" },
  ]
) {
  Deno.test(`streamAssistant() ${title}`, async () => {
    const model = scriptedModel(say("Yes."));
    await recordRun("Hi.", {
      model,
      apiKey: "given",
      getApiKey(provider) {
        assert.equal(provider, "test");
        return found;
      },
    });
    assert.equal(model.requests[0]?.options.apiKey, expected);
  });
}

Deno.test("streamAssistant() sends the same list of declarations while the tools stay the same", async () => {
  const tools = [testTool("a"), testTool("b")];
  const model = scriptedModel(
    say("", call("a")),
    say("", call("a")),
    say("", call("a")),
    say("So."),
  );
  await recordRun("Go.", {
    model,
    tools,
    prepareRequest({ context }) {
      // The host's own array, which it changes.
      if (model.contexts.length === 2) tools[1] = testTool("c");
      if (model.contexts.length === 3) tools.pop();
      return { context: { ...context, tools } };
    },
  });
  const lists = model.contexts.map(({ tools }) => tools ?? []);
  assert.equal(lists[0], lists[1]);
  assert.deepEqual(lists.map((list) => list.map(({ name }) => name)), [
    ["a", "b"],
    ["a", "b"],
    ["a", "c"],
    ["a"],
  ]);
});

// The reference grows one shared object, so that a listener that keeps an
// event finds another message in it later. recordRun() fails on that.
Deno.test("streamAssistant() gives each event a snapshot of its own", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(
      thinking("Let me see.", say("Reading.", call("a", { path: "notes" }))),
      say("So."),
    ),
    tools: [testTool("a")],
  });
  const texts = events.flatMap((event) =>
    event.type === "message_update"
      ? [JSON.stringify(event.message.content)]
      : []
  );
  assert.deepEqual(texts.slice(0, 9), [
    '[{"type":"thinking","thinking":""}]',
    '[{"type":"thinking","thinking":"Let me"}]',
    '[{"type":"thinking","thinking":"Let me see."}]',
    '[{"type":"thinking","thinking":"Let me see."}]',
    '[{"type":"thinking","thinking":"Let me see."},{"type":"text","text":""}]',
    '[{"type":"thinking","thinking":"Let me see."},{"type":"text","text":"Read"}]',
    '[{"type":"thinking","thinking":"Let me see."},{"type":"text","text":"Reading."}]',
    '[{"type":"thinking","thinking":"Let me see."},{"type":"text","text":"Reading."}]',
    texts[8],
  ]);
  assert.match(texts[8] ?? "", /"arguments":\{\}/);
});

Deno.test("streamAssistant() takes a stream that ends with its result alone", async () => {
  const { events, messages } = await runOn(() => {
    const stream = new EventStream<AssistantMessageEvent, AssistantMessage>();
    stream.end(finished("Short."));
    return Promise.resolve(stream);
  });
  assertTrace(
    events,
    "agent_start turn_start MS(U) ME(U) MS(A:stop) ME(A:stop) turn_end[0] agent_end[2]",
  );
  assertTranscript(messages.slice(-1), "assistant  Short.");
});

Deno.test("streamAssistant() keeps the text of a stream that breaks, and none of its calls", async () => {
  const partial: AssistantMessage = {
    ...finished("So far"),
    stopReason: "pending",
  };
  const half = {
    type: "toolCall" as const,
    id: "1",
    name: "a",
    arguments: {},
  };
  const { events, messages } = await runOn(() => {
    const stream = new EventStream<AssistantMessageEvent, AssistantMessage>();
    stream[Symbol.asyncIterator] = async function* () {
      yield { type: "start", partial };
      yield {
        type: "toolcall_start",
        contentIndex: 1,
        partial: { ...partial, content: [...partial.content, half] },
      };
      throw new Error("the pipe broke");
    };
    return stream;
  });
  assertTrace(
    events,
    "agent_start turn_start MS(U) ME(U) MS(A:pending) ME(A:error) turn_end[0] agent_end[2]",
  );
  assertTranscript(
    messages.slice(-1),
    `
    assistant  So far
    error      the pipe broke
    `,
  );
});

Deno.test("renderSystemPrompt() joins contents, then the sections as last said", () => {
  assert.equal(
    renderSystemPrompt([
      system("One.", { sections: { tools: "T1", rules: "R1", gone: "G" } }),
      system("", { sections: { rules: "R2", gone: null } }),
      system("Two."),
    ]),
    "One.\n\nTwo.\n\nT1\n\nR2",
  );
  assert.equal(renderSystemPrompt([]), "");
});

Deno.test("renderSystemPrompt() takes a section of any name", () => {
  const sections = JSON.parse('{"__proto__":"P","constructor":"C"}');
  assert.equal(renderSystemPrompt([system("", { sections })]), "P\n\nC");
});

/** A run on a stream function of the test's own. */
async function runOn(
  streamFn: StreamFn,
): Promise<
  { events: AgentEvent[]; messages: Parameters<typeof assertTranscript>[0] }
> {
  const model = Object.assign(streamFn, {
    contexts: [],
    requests: [],
    assertPlayed() {},
  });
  return await recordRun("Go.", { model });
}

function finished(text: string): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: testModel.api,
    provider: testModel.provider,
    model: testModel.id,
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: 0,
  };
}

function system(
  content: SystemMessage["content"],
  rest: Partial<SystemMessage> = {},
): SystemMessage {
  return { role: "system", content, timestamp: 0, ...rest };
}
