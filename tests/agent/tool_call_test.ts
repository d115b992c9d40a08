import assert from "node:assert/strict";
import type { AgentTool, AgentToolResult } from "../../src/agent/agent_tool.ts";
import {
  type AgentToolCallOutcome,
  runToolCall,
} from "../../src/agent/tool_call.ts";
import { ToolError } from "../../src/agent/tool_error.ts";
import type { JsonObject, ToolCall } from "../../src/model/content.ts";
import { type AssistantMessage, emptyUsage } from "../../src/model/message.ts";
import { testTool, textResult } from "../support/test_tool.ts";

Deno.test("runToolCall() prepares, validates, asks, executes and reports, in this order", async () => {
  const steps: unknown[] = [];
  const parameters = {
    type: "object",
    required: ["count"],
    properties: { count: { type: "number" } },
  };
  const outcome = await runToolCall(toolCall({ n: "1" }), {
    ...environment(testTool("a", ({ args, update }) => {
      steps.push(["execute", args]);
      update("half");
      return "done";
    }, {
      parameters,
      prepareArguments(raw) {
        steps.push(["prepare", raw]);
        return { count: raw.n };
      },
    })),
    beforeToolCall({ args }) {
      steps.push(["before", args]);
      return { args: { count: 2 } };
    },
    afterToolCall({ args, result }) {
      steps.push(["after", args, result.content]);
      return { details: { seen: true } };
    },
    onUpdate: (partial) => void steps.push(["update", partial.content]),
  });
  assert.deepEqual(steps, [
    ["prepare", { n: "1" }],
    ["before", { count: 1 }],
    ["execute", { count: 2 }],
    ["update", [{ type: "text", text: "half" }]],
    ["after", { count: 2 }, [{ type: "text", text: "done" }]],
  ]);
  assert.deepEqual(outcome.result, {
    ...textResult("done"),
    details: { seen: true },
  });
  assert.equal(outcome.isError, false);
  assert(Number.isInteger(outcome.durationMs));
});

Deno.test("runToolCall() leaves the arguments of the call as the model wrote them", async () => {
  const call = toolCall({ deep: { path: "x" } });
  await runToolCall(
    call,
    environment(testTool("a", ({ args }) => {
      (args.deep as JsonObject).path = "changed by execute";
      return "done";
    }, {
      prepareArguments(raw) {
        (raw.deep as JsonObject).path = "changed by prepare";
        return raw;
      },
    })),
  );
  assert.deepEqual(call.arguments, { deep: { path: "x" } });
});

Deno.test("runToolCall() does not prepare arguments that did not parse", async () => {
  const outcome = await runToolCall(
    { ...toolCall(), argumentsError: "Unexpected end" },
    environment(testTool("a", undefined, {
      prepareArguments: () => assert.fail("prepared"),
    })),
  );
  assertFailure(outcome, 'Invalid arguments for tool "a": Unexpected end');
});

Deno.test("runToolCall() answers a call of a tool that an object would have by nature", async () => {
  for (const name of ["__proto__", "constructor", "toString"]) {
    const outcome = await runToolCall(
      { ...toolCall(), name },
      environment(testTool("a")),
    );
    assertFailure(outcome, `Tool ${name} not found`);
  }
});

Deno.test("runToolCall() says nothing but that it was aborted when the signal is aborted already", async () => {
  const outcome = await runToolCall(toolCall(), {
    ...environment(testTool("a", () => assert.fail("ran"))),
    beforeToolCall: () => assert.fail("asked"),
    signal: AbortSignal.abort(),
  });
  assertFailure(outcome, "Operation aborted");
  assert.equal(outcome.durationMs, undefined);
});

Deno.test("runToolCall() runs nothing when it was aborted while somebody was asked", async () => {
  const user = new AbortController();
  const outcome = await runToolCall(toolCall(), {
    ...environment(testTool("a", () => assert.fail("ran"))),
    beforeToolCall() {
      user.abort();
      return undefined;
    },
    signal: user.signal,
  });
  assertFailure(outcome, "Operation aborted");
});

Deno.test("runToolCall() says that it was aborted rather than blocked", async () => {
  const user = new AbortController();
  const outcome = await runToolCall(toolCall(), {
    ...environment(testTool("a")),
    beforeToolCall() {
      user.abort();
      return { block: true, reason: "nobody answered" };
    },
    signal: user.signal,
  });
  assertFailure(outcome, "Operation aborted");
});

Deno.test("runToolCall() passes on what a tool says of its own abort", async () => {
  const user = new AbortController();
  const outcome = await runToolCall(toolCall(), {
    ...environment(testTool("a", () => {
      user.abort(new Error("the user left"));
      throw new ToolError("Stopped after 3 of 5 files");
    })),
    signal: user.signal,
  });
  assertFailure(outcome, "Stopped after 3 of 5 files");
});

Deno.test("runToolCall() words the reason of an abort for the model", async () => {
  const reason = new Error("the user left");
  for (
    const thrown of [reason, new DOMException("no", "AbortError")]
  ) {
    const user = new AbortController();
    const outcome = await runToolCall(toolCall(), {
      ...environment(testTool("a", () => {
        user.abort(reason);
        throw thrown;
      })),
      signal: user.signal,
    });
    assertFailure(outcome, "Operation aborted");
  }
});

const THROWN: { title: string; value: () => unknown; text: string }[] = [
  { title: "a text", value: () => "broken", text: "broken" },
  { title: "undefined", value: () => undefined, text: "undefined" },
  { title: "null", value: () => null, text: "null" },
  // An empty text is refused by providers.
  { title: "an empty error", value: () => new TypeError(), text: "TypeError" },
  { title: "an empty text", value: () => "", text: "Unknown error" },
  {
    title: "an object without a prototype",
    value: () => Object.create(null),
    text: "Unknown error",
  },
  {
    title: "an error whose message throws",
    value: () =>
      Object.defineProperty(new Error(), "message", {
        get() {
          throw new Error("inner");
        },
      }),
    text: "Unknown error",
  },
  {
    title: "an error whose message is not a string",
    value: () => Object.assign(new Error(), { message: 5 }),
    text: "5",
  },
  {
    title: "a revoked proxy",
    value: () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
    text: "Unknown error",
  },
];

Deno.test("runToolCall() never rejects, whatever is thrown and wherever", async (t) => {
  for (const { title, value, text } of THROWN) {
    for (
      const place of [
        "execute",
        "reject",
        "prepare",
        "before",
        "after",
      ] as const
    ) {
      for (const aborted of [false, true]) {
        await t.step(
          `${title} in ${place}${aborted ? ", aborted" : ""}`,
          async () => {
            const user = new AbortController();
            const fail = () => {
              if (aborted) user.abort();
              throw value();
            };
            const outcome = await runToolCall(toolCall(), {
              ...environment(testTool("a", undefined, {
                ...(place === "prepare" ? { prepareArguments: fail } : {}),
                execute(): Promise<AgentToolResult> {
                  if (place === "execute") fail();
                  return place === "reject"
                    ? Promise.resolve().then(fail)
                    : Promise.resolve(textResult("ok"));
                },
              })),
              ...(place === "before" ? { beforeToolCall: fail } : {}),
              ...(place === "after" ? { afterToolCall: fail } : {}),
              signal: user.signal,
            });
            assertFailure(outcome, text);
          },
        );
      }
    }
  }
});

const HOSTILE_RESULTS: Record<string, () => unknown> = {
  "a getter that throws": () => ({
    content: [],
    get details(): never {
      throw new Error("broken getter");
    },
  }),
  "a promise that never says what it is": () => ({
    then(_resolve: unknown, reject: (reason: unknown) => void) {
      reject(new Error("broken getter"));
    },
  }),
};

for (const [title, result] of Object.entries(HOSTILE_RESULTS)) {
  Deno.test(`runToolCall() fails the call when its result is ${title}`, async () => {
    const outcome = await runToolCall(
      toolCall(),
      environment(testTool("a", result)),
    );
    assertFailure(outcome, "broken getter");
  });
}

Deno.test("runToolCall() keeps of a result what it knows", async () => {
  const outcome = await runToolCall(
    toolCall(),
    environment(testTool("a", () => ({
      ...textResult("ok"),
      isError: "yes",
      terminate: 1,
      secret: "x",
    }))),
  );
  assert.deepEqual(outcome.result, textResult("ok"));
  assert.equal(outcome.isError, false);
});

Deno.test("runToolCall() fails a call of a tool whose schema is broken", async () => {
  const outcome = await runToolCall(
    toolCall(),
    environment(testTool("a", () => assert.fail("ran"), {
      parameters: { type: "object", $ref: "#/$defs/missing" },
    })),
  );
  assert.equal(outcome.isError, true);
});

function toolCall(args: JsonObject = {}): ToolCall {
  return { type: "toolCall", id: "1", name: "a", arguments: args };
}

function environment(tool: AgentTool): {
  tools: AgentTool[];
  assistantMessage: AssistantMessage;
  context: { messages: [] };
} {
  return {
    tools: [tool],
    assistantMessage: {
      role: "assistant",
      content: [],
      api: "openai-completions",
      provider: "test",
      model: "scripted",
      usage: emptyUsage(),
      stopReason: "toolUse",
      timestamp: 0,
    },
    context: { messages: [] },
  };
}

function assertFailure(outcome: AgentToolCallOutcome, text: string): void {
  assert.equal(outcome.isError, true);
  assert.deepEqual(outcome.result, { ...textResult(text), details: {} });
}
