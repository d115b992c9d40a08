import assert from "node:assert/strict";
import type { AgentToolResult } from "../../src/agent/agent_tool.ts";
import type {
  AfterToolCallContext,
  AfterToolCallResult,
} from "../../src/agent/loop_config.ts";
import type { JsonObject } from "../../src/model/content.ts";
import { emptyUsage } from "../../src/model/message.ts";
import { recordRun } from "../support/record_run.ts";
import { call, say, scriptedModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

const COUNTED = {
  type: "object",
  required: ["count"],
  properties: { count: { type: "number" } },
};

Deno.test("beforeToolCall() sees validated arguments, the call as written and the message", async () => {
  const seen: unknown[] = [];
  await recordRun("Go.", {
    model: scriptedModel(say("Hm.", call("a", { count: "5" })), say("So.")),
    tools: [testTool("a", undefined, { parameters: COUNTED })],
    beforeToolCall({ args, toolCall, assistantMessage, context }) {
      seen.push(
        args,
        toolCall.arguments,
        assistantMessage.content.length,
        context.messages.at(-1) === assistantMessage,
      );
    },
  });
  assert.deepEqual(seen, [{ count: 5 }, { count: "5" }, 2, true]);
});

Deno.test("beforeToolCall() may change arguments in place, which are validated again", async () => {
  const ran: JsonObject[] = [];
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(
      say("", call("a", { count: 1 }), call("a", { count: 2 })),
      say("So."),
    ),
    tools: [{
      ...testTool("a", ({ args }) => {
        ran.push(structuredClone(args));
        // The tool's own copy is not frozen.
        args.mine = true;
        return "ok";
      }),
      parameters: COUNTED,
    }],
    beforeToolCall({ args }) {
      args.count = args.count === 1 ? 7 : [];
    },
    afterToolCall({ args }) {
      assert.throws(() => args.count = 8, TypeError);
    },
  });
  assert.deepEqual(ran, [{ count: 7 }]);
  const [, refused] = messages.filter(({ role }) => role === "toolResult");
  assert.match(JSON.stringify(refused), /Validation failed for tool/);
});

Deno.test("beforeToolCall() replaces arguments, which are validated again", async () => {
  const replacements: JsonObject[] = [{ count: "7" }, { count: [] }];
  const ran: unknown[] = [];
  const { messages, events } = await recordRun("Go.", {
    model: scriptedModel(
      say("", call("a", { count: 1 }), call("a", { count: 2 })),
      say("So."),
    ),
    tools: [
      testTool("a", ({ args }) => {
        ran.push(args);
        return "ok";
      }, { parameters: COUNTED }),
    ],
    beforeToolCall: () => ({ args: replacements.shift() ?? {} }),
  });
  assert.deepEqual(ran, [{ count: 7 }]);
  const [good, bad] = messages.filter(({ role }) => role === "toolResult");
  assertTranscript(good ? [good] : [], "result     ok");
  assert.match(
    JSON.stringify(bad),
    /Validation failed for tool \\"a\\":\\n {2}- count: Expected number, got array/,
  );
  // Events and the transcript tell what the model wrote.
  const starts = events.filter(({ type }) => type === "tool_execution_start");
  assert.deepEqual(starts.map((event) => "args" in event && event.args), [
    { count: 1 },
    { count: 2 },
  ]);
});

Deno.test("beforeToolCall() blocks a call, with a reason of its own or a general one", async () => {
  const reasons = ["not today", ""];
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("a")), say("So.")),
    tools: [testTool("a", () => assert.fail("ran"))],
    beforeToolCall: () => ({ block: true, reason: reasons.shift() ?? "" }),
    afterToolCall: () => assert.fail("heard of a call that did not run"),
  });
  assertTranscript(
    messages.slice(-3, -1),
    `
    error      not today
    error      Tool execution was blocked
    `,
  );
});

Deno.test("beforeToolCall() ends the run when it blocks with a vote to end", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [testTool("a")],
    beforeToolCall: () => ({ block: true, reason: "no", terminate: true }),
  });
  assertTranscript(messages.slice(-1), "error      no");
});

Deno.test("beforeToolCall() makes an error result when it throws, and the run goes on", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [testTool("a", () => assert.fail("ran"))],
    beforeToolCall() {
      throw new Error("the guard is broken");
    },
  });
  assertTranscript(
    messages.slice(-2),
    `
    error      the guard is broken
    assistant  So.
    `,
  );
});

Deno.test("beforeToolCall() is asked about one call of a batch after the other", async () => {
  const order: string[] = [];
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b")), say("So.")),
    tools: [
      testTool("a", () => void order.push("a runs")),
      testTool("b", () => void order.push("b runs")),
    ],
    async beforeToolCall({ toolCall }) {
      order.push(`${toolCall.name}?`);
      for (let i = 0; i < 20; i++) await undefined;
      order.push(`${toolCall.name}!`);
      return undefined;
    },
  });
  assert.deepEqual(order, ["a?", "a!", "b?", "b!", "a runs", "b runs"]);
});

Deno.test("afterToolCall() sees the result and whether it failed", async () => {
  const seen: unknown[] = [];
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a", { x: 1 }), call("b")), say("So.")),
    tools: [
      testTool("a"),
      testTool("b", () => {
        throw new Error("broken");
      }),
    ],
    toolExecution: "sequential",
    afterToolCall: ({ toolCall, args, result, isError }) =>
      void seen.push([toolCall.name, args, result.content, isError]),
  });
  assert.deepEqual(seen, [
    ["a", { x: 1 }, [{ type: "text", text: "a done" }], false],
    ["b", {}, [{ type: "text", text: "broken" }], true],
  ]);
});

Deno.test("afterToolCall() sees the arguments that were checked, whatever the tool did to its own", async () => {
  let seen: Readonly<JsonObject> | undefined;
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a", { path: "x" })), say("So.")),
    tools: [
      testTool("a", ({ args }) => {
        args.path = "y";
        return "ok";
      }),
    ],
    afterToolCall({ args }) {
      seen = args;
    },
  });
  assert.deepEqual(seen, { path: "x" });
});

const ORIGINAL: AgentToolResult = {
  content: [{ type: "text", text: "original" }],
  details: { kept: true },
  structuredContent: { n: 1 },
  usage: emptyUsage(),
};
const NEW_TEXT = [{ type: "text" as const, text: "new" }];
const { structuredContent: _, ...WITHOUT_STRUCTURE } = ORIGINAL;

for (
  const { title, patch, result, isError = false } of [
    {
      title: "replaces nothing when it returns nothing",
      patch: undefined,
      result: ORIGINAL,
    },
    {
      title: "drops structured content when it replaces only the content",
      patch: { content: NEW_TEXT },
      result: { ...WITHOUT_STRUCTURE, content: NEW_TEXT },
    },
    {
      title: "replaces structured content beside the content",
      patch: { content: NEW_TEXT, structuredContent: { n: 2 } },
      result: { ...ORIGINAL, content: NEW_TEXT, structuredContent: { n: 2 } },
    },
    {
      title: "replaces details alone",
      patch: { details: { kept: false } },
      result: { ...ORIGINAL, details: { kept: false } },
    },
    {
      // From a plugin that is not typed; the old content may be what it hides.
      title: "withholds the content when its own is not a list",
      patch: { content: "redacted" as never },
      result: { ...WITHOUT_STRUCTURE, content: [] },
    },
    {
      title: "makes a failure of a result",
      patch: { isError: true },
      result: ORIGINAL,
      isError: true,
    },
  ] as {
    title: string;
    patch: AfterToolCallResult | undefined;
    result: AgentToolResult;
    isError?: boolean;
  }[]
) {
  Deno.test(`afterToolCall() ${title}`, async () => {
    const { events } = await recordRun("Go.", {
      model: scriptedModel(say("", call("a")), say("So.")),
      tools: [testTool("a", () => ORIGINAL)],
      afterToolCall: () => patch,
    });
    const end = events.find(({ type }) => type === "tool_execution_end");
    assert(end?.type === "tool_execution_end");
    assert.deepEqual(end.result, result);
    assert.equal(end.isError, isError);
  });
}

Deno.test("afterToolCall() makes a success of a failure, and ends the run", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a"))),
    tools: [
      testTool("a", () => {
        throw new Error("broken");
      }),
    ],
    afterToolCall: () => ({ isError: false, terminate: true }),
  });
  assertTranscript(messages.slice(-1), "result     broken");
});

Deno.test("afterToolCall() takes back a vote to end", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [testTool("a", () => ({ content: [], terminate: true }))],
    afterToolCall: () => ({ terminate: false }),
  });
  assertTranscript(messages.slice(-1), "assistant  So.");
});

Deno.test("afterToolCall() withholds the result when it throws", async () => {
  const { messages, events } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [testTool("a", () => "a secret")],
    afterToolCall() {
      throw new Error("the redaction is broken");
    },
  });
  assertTranscript(
    messages.slice(-2, -1),
    "error      the redaction is broken",
  );
  assert.doesNotMatch(JSON.stringify(events), /a secret/);
  // The tool did run.
  const end = events.find(({ type }) => type === "tool_execution_end");
  assert(end && "durationMs" in end);
});

Deno.test("afterToolCall() hears of each call once, in a parallel batch too", async () => {
  const heard: AfterToolCallContext["toolCall"]["name"][] = [];
  await recordRun("Go.", {
    model: scriptedModel(say("", call("a"), call("b"), call("no")), say("So.")),
    tools: [testTool("a"), testTool("b")],
    afterToolCall: ({ toolCall }) => void heard.push(toolCall.name),
  });
  assert.deepEqual(heard.sort(), ["a", "b"]);
});
