import assert from "node:assert/strict";
import type { AgentEvent } from "../../src/agent/agent_event.ts";
import { emptyUsage } from "../../src/model/message.ts";
import { recordRun } from "../support/record_run.ts";
import {
  call,
  endingAs,
  say,
  scriptedModel,
} from "../support/scripted_model.ts";
import { testTool, textResult } from "../support/test_tool.ts";
import { traceOf } from "../support/trace.ts";
import { assertTranscript } from "../support/transcript.ts";

for (
  const { title, toolExecution, modes, expected } of [
    {
      title: "runs calls beside each other by default",
      modes: [undefined, undefined],
      expected: "TS1 TS2 TE1 TE2",
    },
    {
      title: "runs one call at a time when the configuration says so",
      toolExecution: "sequential",
      modes: ["parallel", "parallel"],
      expected: "TS1 TE1 TS2 TE2",
    },
    {
      title: "runs one call at a time when any called tool says so",
      toolExecution: "parallel",
      modes: ["parallel", "sequential"],
      expected: "TS1 TE1 TS2 TE2",
    },
  ] as const
) {
  Deno.test(`runToolBatch() ${title}`, async () => {
    const { events } = await recordRun("Go.", {
      model: scriptedModel(say("", call("a"), call("b")), say("So.")),
      tools: ["a", "b"].map((name, i) => {
        const executionMode = modes[i];
        return testTool(
          name,
          undefined,
          executionMode ? { executionMode } : {},
        );
      }),
      ...(toolExecution ? { toolExecution } : {}),
    });
    assert.equal(traceOf(events).match(/T[SUE]\d!?/g)?.join(" "), expected);
  });
}

Deno.test("runToolBatch() does not care about sequential tools that are not called", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("a")), say("So.")),
    tools: [
      testTool("a"),
      testTool("b", undefined, { executionMode: "sequential" }),
    ],
  });
  assert.deepEqual(events.filter(isOfATool).map(({ type }) => type), [
    "tool_execution_start",
    "tool_execution_start",
    "tool_execution_end",
    "tool_execution_end",
  ]);
});

Deno.test("runToolBatch() ignores progress that comes after the tool has settled", async () => {
  let late: (() => void) | undefined;
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b")), say("So.")),
    tools: [
      testTool("a", ({ update }) => {
        late = () => update("late");
        return "a done";
      }),
      testTool("b", async () => {
        for (let i = 0; i < 20; i++) await undefined;
        late?.();
        return "b done";
      }),
    ],
  });
  assert(late);
  assert(!events.some(({ type }) => type === "tool_execution_update"));
});

Deno.test("runToolBatch() tells all progress, in order, before the call ends", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [
      testTool("a", ({ update }) => {
        update("1");
        update("2");
        update("3");
        return "a done";
      }),
    ],
    async onEvent({ type }) {
      if (type !== "tool_execution_update") return;
      for (let i = 0; i < 20; i++) await undefined;
    },
  });
  assert.deepEqual(events.filter(isOfATool).map(textOfToolEvent), [
    "start",
    "1",
    "2",
    "3",
    "a done",
  ]);
});

Deno.test("runToolBatch() keeps little progress for a slow listener, the last of it always", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [
      testTool("a", ({ update }) => {
        for (let i = 1; i <= 10_000; i++) update(`${i}`);
        return "a done";
      }),
    ],
  });
  const told = events.filter(({ type }) => type === "tool_execution_update");
  assert(told.length <= 65, `${told.length} updates`);
  assert.equal(told.map(textOfToolEvent).at(-1), "10000");
});

Deno.test("runToolBatch() measures calls that ran, and no others", async () => {
  const { messages, events } = await recordRun("Go.", {
    model: scriptedModel(
      say("", call("a"), call("broken"), call("nothing")),
      endingAs("length", say("", call("a"))),
      say("So."),
    ),
    tools: [
      testTool("a"),
      testTool("broken", () => {
        throw new Error("broken");
      }),
    ],
  });
  const measured = messages.flatMap((message) =>
    message.role === "toolResult" ? [typeof message.durationMs] : []
  );
  assert.deepEqual(measured, ["number", "number", "undefined", "undefined"]);
  const ends = events.flatMap((event) =>
    event.type === "tool_execution_end" ? ["durationMs" in event] : []
  );
  // The unknown tool ends at once.
  assert.deepEqual(ends, [false, true, true, false]);
});

Deno.test("runToolBatch() takes what an untyped tool returns", async () => {
  const results = [undefined, null, "text", {}, { content: "text" }, []];
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      say("", ...results.map((_, i) => call("a", { i }))),
      say("So."),
    ),
    tools: [
      testTool("a", ({ args }) => {
        const returned = results[Number(args.i)];
        return typeof returned === "string" ? [returned] : returned;
      }),
    ],
  });
  const contents = messages.flatMap((message) =>
    message.role === "toolResult" ? [message.content] : []
  );
  assert.deepEqual(contents, results.map(() => []));
});

Deno.test("runToolBatch() takes progress without content", async () => {
  const { events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [
      testTool("a", undefined, {
        execute(_id, _args, _signal, onUpdate) {
          onUpdate?.({ details: { percent: 50 } } as never);
          return Promise.resolve(textResult("ok"));
        },
      }),
    ],
  });
  const update = events.find(({ type }) => type === "tool_execution_update");
  assert(update?.type === "tool_execution_update");
  assert.deepEqual(update.partialResult, {
    content: [],
    details: { percent: 50 },
  });
});

Deno.test("runToolBatch() gives the model content, details, usage and added tools, and keeps the rest to itself", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b")), say("So.")),
    tools: [
      testTool("a", () => ({
        ...textResult("ok"),
        details: { n: 1 },
        usage: emptyUsage(),
        addedToolNames: ["c"],
        structuredContent: { n: 1 },
        terminate: true,
      })),
      testTool("b"),
    ],
  });
  const message = messages.find(({ role }) => role === "toolResult");
  assert(message?.role === "toolResult");
  const { timestamp, durationMs, toolCallId, ...rest } = message;
  assert.deepEqual(rest, {
    role: "toolResult",
    toolName: "a",
    content: [{ type: "text", text: "ok" }],
    details: { n: 1 },
    usage: emptyUsage(),
    isError: false,
    addedToolNames: ["c"],
  });
  assert(timestamp > 0 && durationMs !== undefined && toolCallId !== "");
});

Deno.test("runToolBatch() fails a call that says so itself", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [
      testTool("a", () => ({ ...textResult("exit code 1"), isError: true })),
    ],
  });
  assertTranscript(messages.slice(-2, -1), "error      exit code 1");
});

Deno.test("runToolBatch() fails a call whose structured content is not what the tool promised", async () => {
  const outputSchema = {
    type: "object",
    required: ["count"],
    properties: { count: { type: "number" } },
  };
  const structured = [{ count: 1 }, { count: "1" }, undefined];
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      say("", call("a"), call("a"), call("a")),
      say("So."),
    ),
    tools: [
      testTool("a", () => {
        const structuredContent = structured.shift();
        return {
          ...textResult("ok"),
          ...(structuredContent ? { structuredContent } : {}),
        };
      }, { outputSchema, executionMode: "sequential" }),
    ],
  });
  assertTranscript(
    messages.slice(-4, -1),
    `
    result     ok
    error      Tool "a" returned structured content that does not match its output schema: count: Expected number, got string
    result     ok
    `,
  );
});

Deno.test("runToolBatch() hears every other call out when a listener throws", async () => {
  const ended: string[] = [];
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b"))),
    tools: [
      testTool("a"),
      testTool("b", async ({ signal }) => {
        while (!signal.aborted) await undefined;
        for (let i = 0; i < 20; i++) await undefined;
        ended.push("b");
        return "b done";
      }),
    ],
    onEvent(event) {
      if (event.type === "tool_execution_end" && event.toolName === "a") {
        throw new Error("listener broke");
      }
    },
  });
  assert.deepEqual(ended, ["b"]);
  assertTranscript(
    messages.slice(-3),
    `
    result     a done
    result     b done
    assistant
    error      listener broke
    `,
  );
});

Deno.test("runToolBatch() keeps the result of a call whose progress broke a listener", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [
      testTool("a", ({ update }) => {
        update("half");
        return "a done";
      }),
    ],
    onEvent({ type }) {
      if (type === "tool_execution_update") throw new Error("listener broke");
    },
  });
  assertTranscript(
    messages.slice(-2),
    `
    result     a done
    assistant
    error      listener broke
    `,
  );
});

Deno.test("runToolBatch() fails with what was thrown first, whatever the order of the calls", async () => {
  const first = Promise.withResolvers<void>();
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b"))),
    tools: [
      testTool("a", async () => {
        await first.promise;
        for (let i = 0; i < 20; i++) await undefined;
        return "a done";
      }),
      testTool("b"),
    ],
    onEvent(event) {
      if (event.type !== "tool_execution_end") return;
      first.resolve();
      throw new Error(`${event.toolName} broke`);
    },
  });
  assertTranscript(
    messages.slice(-1),
    `
    assistant
    error      b broke
    `,
  );
});

Deno.test("runToolBatch() runs no call that was ready when the batch was aborted", async () => {
  const controller = new AbortController();
  let ran = 0;
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b"))),
    tools: [testTool("a", () => `${++ran}`), testTool("b", () => `${++ran}`)],
    signal: controller.signal,
    beforeToolCall({ toolCall }) {
      if (toolCall.name === "b") controller.abort();
    },
  });
  assert.equal(ran, 0);
  assertTranscript(
    messages.slice(-2),
    `
    error      Operation aborted
    error      Operation aborted
    `,
  );
});

type ToolEvent = Extract<AgentEvent, { toolCallId: string }>;

function isOfATool(event: AgentEvent): event is ToolEvent {
  return "toolCallId" in event;
}

function textOfToolEvent(event: AgentEvent): string {
  const result = event.type === "tool_execution_update"
    ? event.partialResult
    : event.type === "tool_execution_end"
    ? event.result
    : undefined;
  const [block] = result?.content ?? [];
  return block?.type === "text" ? block.text : "start";
}
