import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import {
  type ExecutableToolCall,
  executeToolCall,
  type ToolCallResult,
} from "../../src/agent/strict/execute_tool_call.ts";
import { NonRecoverableToolError } from "../../src/agent/non_recoverable_tool_error.ts";
import type {
  RegistrableTool,
  StrictTool,
} from "../../src/agent/strict/snapshot_tool.ts";
import {
  isToolContractError,
  ToolContractError,
} from "../../src/agent/strict/tool_contract_error.ts";
import { ToolRegistry } from "../../src/agent/strict/tool_registry.ts";
import { countListeners } from "../support/listener_count.ts";
import { testTool, textResult } from "../support/test_tool.ts";

const reason = new Error("enough");

function registryOf(...tools: RegistrableTool[]): ToolRegistry {
  const registry = new ToolRegistry();
  registry.registerMany(tools);
  return registry;
}

/** A tool named `t` that takes anything. */
function strictTool(rest: Partial<StrictTool> = {}): StrictTool {
  return {
    name: "t",
    description: "A tool.",
    validate: (value) => ({ ok: true, value }),
    execute: () => "done",
    ...rest,
  };
}

function callOf(
  name = "t",
  args: ExecutableToolCall["arguments"] = {},
  id = "1",
): ExecutableToolCall {
  return { id, name, arguments: args };
}

function execute(
  tool: RegistrableTool,
  call: ExecutableToolCall = callOf(tool.name),
  signal?: AbortSignal,
): Promise<ToolCallResult> {
  return executeToolCall(registryOf(tool), call, signal);
}

function assertFailure(
  result: ToolCallResult,
  code: string,
  message: string | RegExp,
): void {
  assert.equal(result.isError, true);
  const { error } = JSON.parse(result.content);
  assert.deepEqual(Object.keys(error), ["code", "message"]);
  assert.equal(error.code, code);
  if (typeof message === "string") assert.equal(error.message, message);
  else assert.match(error.message, message);
}

Deno.test("executeToolCall() gives a frozen result with the ids of its call", async () => {
  const result = await execute(
    strictTool({ execute: (value) => ({ value }) }),
    callOf("t", { a: 1 }, "call-7"),
  );
  assert.deepEqual(result, {
    id: "tool-result-call-7",
    toolCallId: "call-7",
    toolName: "t",
    isError: false,
    content: '{"value":{"a":1}}',
  });
  assert(Object.isFrozen(result));
});

Deno.test("executeToolCall() gives execute what validate made of the arguments, and a frozen context", async () => {
  const { signal } = new AbortController();
  let context: unknown;
  const result = await execute(
    strictTool({
      validate: () => ({ ok: true, value: "checked" }),
      execute(value, given) {
        context = given;
        return value;
      },
    }),
    callOf(),
    signal,
  );
  assert.equal(result.content, "checked");
  assert.deepEqual(context, { signal, toolCallId: "1" });
  assert(Object.isFrozen(context));
});

Deno.test("executeToolCall() says that a tool does not exist", async () => {
  const result = await execute(strictTool(), callOf("toString"));
  assert.equal(
    result.content,
    '{"error":{"code":"TOOL_NOT_FOUND","message":"There is no such tool"}}',
  );
  assert.equal(result.isError, true);
  assert(Object.isFrozen(result));
});

for (
  const [title, call] of [
    ["null", null],
    ["without an id", { name: "t", arguments: {} }],
    ["with an empty id", { id: "", name: "t", arguments: {} }],
    ["with a name that is not a string", { id: "1", name: 1, arguments: {} }],
    ["without arguments", { id: "1", name: "t" }],
    [
      "that inherits its name",
      Object.assign(Object.create({ name: "t" }), {
        id: "1",
        arguments: {},
      }),
    ],
    ["with a function in its arguments", {
      id: "1",
      name: "t",
      arguments: { f() {} },
    }],
    ["with a proxy as arguments", {
      id: "1",
      name: "t",
      arguments: new Proxy({}, {}),
    }],
    ["with a getter that throws", {
      id: "1",
      name: "t",
      get arguments() {
        throw "no";
      },
    }],
  ] as [string, ExecutableToolCall][]
) {
  Deno.test(`executeToolCall() rejects a call ${title}`, async () => {
    const tool = strictTool({ validate: () => assert.fail("it ran") });
    await assert.rejects(execute(tool, call), (error) => {
      assert(isToolContractError(error));
      return error.code === "INVALID_TOOL_CALL";
    });
  });
}

Deno.test("executeToolCall() copies the call, reading each field once", async () => {
  const reads = { id: 0, name: 0, arguments: 0 };
  const args = { list: ["a"] };
  const call = Object.defineProperties({}, {
    id: { get: () => `id-${++reads.id}` },
    name: { get: () => (reads.name++, "t") },
    arguments: { get: () => (reads.arguments++, args) },
  }) as ExecutableToolCall;
  const running = execute(
    strictTool({
      async execute(value) {
        await undefined;
        return value;
      },
    }),
    call,
  );
  args.list.push("changed");
  const result = await running;
  assert.equal(result.content, '{"list":["a"]}');
  assert.equal(result.id, "tool-result-id-1");
  assert.deepEqual(reads, { id: 1, name: 1, arguments: 1 });
});

const later = { ok: true, value: {} };
for (
  const [title, code, message, validate] of [
    ["refuses", "TOOL_ARGUMENTS_INVALID", "no path", () => ({
      ok: false,
      error: "no path",
    })],
    ["throws", "TOOL_VALIDATION_FAILED", "broken", () => {
      throw new Error("broken");
    }],
    [
      "throws an error that would end a run",
      "TOOL_VALIDATION_FAILED",
      "fatal",
      () => {
        throw new NonRecoverableToolError("fatal");
      },
    ],
    ["throws nothing", "TOOL_VALIDATION_FAILED", /did not say why/, () => {
      throw undefined;
    }],
    ["returns nothing", "TOOL_VALIDATION_FAILED", /no decision/, () => {}],
    ["returns true", "TOOL_VALIDATION_FAILED", /no decision/, () => true],
    [
      "accepts without a value",
      "TOOL_VALIDATION_FAILED",
      /no decision/,
      () => ({
        ok: true,
      }),
    ],
    [
      "refuses without an error",
      "TOOL_VALIDATION_FAILED",
      /no decision/,
      () => ({
        ok: false,
      }),
    ],
    ["is nearly sure", "TOOL_VALIDATION_FAILED", /no decision/, () => ({
      ok: 1,
      value: {},
    })],
    [
      "inherits its decision",
      "TOOL_VALIDATION_FAILED",
      /no decision/,
      () => Object.create(later),
    ],
    ["has a decision that throws", "TOOL_VALIDATION_FAILED", "trap", () => ({
      get ok() {
        throw new Error("trap");
      },
    })],
    ["returns a revoked proxy", "TOOL_VALIDATION_FAILED", /./, () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    }],
    [
      "is asynchronous",
      "TOOL_VALIDATION_FAILED",
      /promise/,
      () => Promise.resolve(later),
    ],
    // The test fails when this rejection is left unhandled.
    [
      "rejects",
      "TOOL_VALIDATION_FAILED",
      /promise/,
      () => Promise.reject(new Error("late")),
    ],
    [
      "returns a rejection that hides its then",
      "TOOL_VALIDATION_FAILED",
      /promise/,
      () =>
        Object.assign(Promise.reject(new Error("late")), {
          then: undefined,
          ...later,
        }),
    ],
    [
      "returns a thenable, which is not started",
      "TOOL_VALIDATION_FAILED",
      /promise/,
      () => ({
        ...later,
        then: () => assert.fail("it was started"),
      }),
    ],
    [
      "returns a function that is a thenable",
      "TOOL_VALIDATION_FAILED",
      /promise/,
      () => Object.assign(() => {}, { then: () => {} }),
    ],
  ] as [string, string, string | RegExp, StrictTool["validate"]][]
) {
  Deno.test(`executeToolCall() does not execute when validate ${title}`, async () => {
    let executions = 0;
    const tool = strictTool({ validate, execute: () => ++executions });
    assertFailure(await execute(tool), code, message);
    await Promise.resolve();
    assert.equal(executions, 0);
  });
}

Deno.test("executeToolCall() does not validate arguments that did not parse", async () => {
  const tool = strictTool({ validate: () => assert.fail("it ran") });
  const result = await execute(tool, {
    ...callOf(),
    argumentsError: "Unexpected end",
  });
  assertFailure(result, "TOOL_ARGUMENTS_INVALID", "Unexpected end");
});

const fakeError = Object.assign(
  Object.create(NonRecoverableToolError.prototype),
  { name: "NonRecoverableToolError", message: "look-alike" },
);
const silent = /did not say why/;
for (
  const [title, thrown, message] of [
    ["an error", new TypeError("no disk"), "no disk"],
    ["a text", "no disk", "no disk"],
    ["nothing", undefined, silent],
    ["null", null, silent],
    ["a symbol", Symbol("s"), silent],
    [
      "a DOMException",
      new DOMException("too late", "TimeoutError"),
      "too late",
    ],
    ["an object without a prototype", Object.create(null), silent],
    [
      "an error with a getter",
      Object.defineProperty(new Error(), "message", {
        get: () => assert.fail("a getter was called"),
      }),
      silent,
    ],
    [
      "a proxy that throws",
      new Proxy({}, {
        getOwnPropertyDescriptor() {
          throw new Error("trap");
        },
      }),
      silent,
    ],
    ["a look-alike of the error that ends a run", fakeError, "look-alike"],
    [
      "an error of the registry's own class",
      new ToolContractError("INVALID_TOOL_CALL", "not yours"),
      "not yours",
    ],
    ["the reason of nobody's abort", reason, "enough"],
  ] as [string, unknown, string | RegExp][]
) {
  Deno.test(`executeToolCall() makes an error result when a tool throws or rejects with ${title}`, async () => {
    for (
      const execution of [
        () => {
          throw thrown;
        },
        () => Promise.reject(thrown),
      ]
    ) {
      const result = await execute(strictTool({ execute: execution }));
      assertFailure(result, "TOOL_EXECUTION_FAILED", message);
    }
  });
}

Deno.test("executeToolCall() passes a NonRecoverableToolError through as it is", async () => {
  class Special extends NonRecoverableToolError {}
  const fatal = new Special("the disk is gone");
  await assert.rejects(
    execute(strictTool({ execute: () => Promise.reject(fatal) })),
    (error) => error === fatal,
  );
});

Deno.test("executeToolCall() waits for a thenable that a tool returns", async () => {
  const thenable = { then: (resolve: (value: string) => void) => resolve("x") };
  const result = await execute(strictTool({ execute: () => thenable }));
  assert.equal(result.content, "x");
});

Deno.test("executeToolCall() serialises output, and gives an error result for what cannot be", async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const good = await execute(strictTool({ execute: () => cyclic }));
  assert.equal(good.content, '{"self":"[Circular]"}');
  assert.equal(good.isError, false);
  const bad = await execute(strictTool({ execute: () => new Map() }));
  assertFailure(bad, "TOOL_OUTPUT_SERIALIZATION_FAILED", /The output/);
});

Deno.test("executeToolCall() keeps error content whole when its message is long", async () => {
  const result = await execute(strictTool({
    execute() {
      throw new Error("\n".repeat(100_000));
    },
  }));
  assertFailure(result, "TOOL_EXECUTION_FAILED", /truncated\]$/);
  assert([...result.content].length <= 4096);
});

const agentTool = (rest: Partial<AgentTool> = {}) =>
  testTool("t", ({ args }) => `got ${JSON.stringify(args)}`, {
    parameters: {
      type: "object",
      properties: { n: { type: "number" } },
      required: ["n"],
    } as object,
    ...rest,
  });

Deno.test("executeToolCall() checks an AgentTool's arguments against its parameters", async () => {
  assert.equal(
    (await execute(agentTool(), callOf("t", { n: "5" }))).content,
    'got {"n":5}',
  );
  const refused = await execute(
    agentTool({ execute: () => assert.fail("it ran") }),
    callOf("t", { n: [] }),
  );
  assertFailure(refused, "TOOL_ARGUMENTS_INVALID", /n: Expected number/);
});

Deno.test("executeToolCall() validates what an AgentTool prepares", async () => {
  const tool = agentTool({ prepareArguments: ({ m }) => ({ n: m }) });
  const result = await execute(tool, callOf("t", { m: 2 }));
  assert.equal(result.content, 'got {"n":2}');

  for (
    const prepareArguments of [
      () => Promise.reject(new Error("late")),
      () => {
        throw new Error("broken");
      },
    ]
  ) {
    const failed = await execute(
      agentTool({ prepareArguments, execute: () => assert.fail("it ran") }),
      callOf("t", { n: 1 }),
    );
    assertFailure(failed, "TOOL_VALIDATION_FAILED", /broken|promise/);
  }
});

const image = { type: "image", data: "AA==", mimeType: "image/png" } as const;
const text = (text: string) => ({ type: "text", text }) as const;
for (
  const [title, result, content] of [
    ["texts, one a line", { content: [text("a"), text("b")] }, "a\nb"],
    ["no details", { ...textResult("a"), details: { secret: 1 } }, "a"],
    [
      "what is not a string as JSON",
      { content: [image] },
      '[{"data":"AA==","mimeType":"image/png","type":"image"}]',
    ],
    ["content that is missing", {}, "null"],
    [
      "many texts up to the limit",
      { content: Array(5_000).fill(text("x".repeat(100))) },
      `${
        `${"x".repeat(100)}\n`.repeat(41).slice(0, 4072)
      }\n[Tool output truncated]`,
    ],
  ] as [string, unknown, string][]
) {
  Deno.test(`executeToolCall() shows of an AgentTool's result ${title}`, async () => {
    const tool = testTool("t", () => result);
    assert.equal((await execute(tool)).content, content);
  });
}

Deno.test("executeToolCall() makes an error of an AgentTool's result that says so, and of none", async () => {
  const failed = testTool("t", () => ({ ...textResult("no"), isError: true }));
  assertFailure(await execute(failed), "TOOL_EXECUTION_FAILED", "no");
  for (const result of [undefined, new Proxy(textResult("a"), {})]) {
    const odd = testTool("t", () => result);
    assertFailure(
      await execute(odd),
      "TOOL_OUTPUT_SERIALIZATION_FAILED",
      "The output is not a tool result",
    );
  }
});

for (
  const [title, build] of [
    ["before it starts", (abort) => {
      abort();
      return strictTool({ validate: () => assert.fail("it was validated") });
    }],
    ["in validate", (abort) =>
      strictTool({
        validate(value) {
          abort();
          return { ok: true, value };
        },
        execute: () => assert.fail("it was executed"),
      })],
    ["in a validate that refuses", (abort) =>
      strictTool({
        validate() {
          abort();
          return { ok: false, error: "no" };
        },
      })],
    ["in a validate that throws", (abort) =>
      strictTool({
        validate() {
          abort();
          throw new Error("no");
        },
      })],
    ["in an execute that returns", (abort) =>
      strictTool({
        execute() {
          abort();
          return "done";
        },
      })],
    ["in an execute that throws", (abort) =>
      strictTool({
        execute() {
          abort();
          throw new Error("no");
        },
      })],
    ["in an execute that throws what would end a run", (abort) =>
      strictTool({
        execute() {
          abort();
          throw new NonRecoverableToolError("fatal");
        },
      })],
    ["while a tool waits for ever", (abort) =>
      strictTool({
        async execute() {
          await undefined;
          abort();
          return await new Promise(() => {});
        },
      })],
    ["while a tool waits that rejects later", (abort) =>
      strictTool({
        execute(_, { signal }) {
          queueMicrotask(abort);
          return new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              setTimeout(() => reject(new Error("late")));
            });
          });
        },
      })],
    ["just after the tool settled", (abort) =>
      strictTool({
        execute() {
          const settled = Promise.resolve("done");
          settled.then(abort);
          return settled;
        },
      })],
    ["just after unsafe output", (abort) =>
      strictTool({
        execute() {
          const settled = Promise.resolve(new Map());
          settled.then(abort);
          return settled;
        },
      })],
  ] as [string, (abort: () => void) => StrictTool][]
) {
  Deno.test(`executeToolCall() rejects with the reason of an abort ${title}`, async () => {
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const tool = build(() => controller.abort(reason));
    await assert.rejects(
      execute(tool, callOf(), controller.signal),
      (error) => error === reason,
    );
    assert.equal(listeners.left(), 0);
    // Whatever the tool rejects with later has been observed.
    await new Promise((resolve) => setTimeout(resolve));
  });
}

/** Runs a call that is aborted so many microtasks after `execute` returned; none means never. */
async function abortedAfter(
  abortTick?: number,
): Promise<{ outcome: unknown; ticks: number }> {
  const controller = new AbortController();
  let ticks = 0;
  let isOver = false;
  async function tick() {
    while (!isOver && ticks < 1_000) {
      await undefined;
      if (++ticks === abortTick) controller.abort(reason);
    }
  }
  const tool = strictTool({
    execute() {
      void tick();
      return "done";
    },
  });
  const outcome = await execute(tool, callOf(), controller.signal).then(
    ({ content }) => (isOver = true, content),
    (error) => (isOver = true, error),
  );
  return { outcome, ticks };
}

Deno.test("executeToolCall() rejects with the reason of an abort at any moment before its result", async () => {
  // The first call loads what the others have at once.
  await abortedAfter();
  const { outcome, ticks } = await abortedAfter();
  assert.equal(outcome, "done");
  // The result is out one microtask before it is heard.
  for (let tick = 1; tick < ticks - 1; tick++) {
    assert.equal((await abortedAfter(tick)).outcome, reason, `tick ${tick}`);
  }
});

Deno.test("executeToolCall() rejects with the reason of an earlier abort even where the call is malformed", async () => {
  const call = null as unknown as ExecutableToolCall;
  await assert.rejects(
    execute(strictTool(), call, AbortSignal.abort(reason)),
    (error) => error === reason,
  );
});

Deno.test("executeToolCall() rejects with the reason of an abort in a getter of the call", async () => {
  const controller = new AbortController();
  const call = {
    ...callOf("missing"),
    get arguments() {
      controller.abort(reason);
      return {};
    },
  };
  await assert.rejects(
    execute(strictTool(), call, controller.signal),
    (error) => error === reason,
  );
});

Deno.test("executeToolCall() hears no abort after its result", async () => {
  const controller = new AbortController();
  const listeners = countListeners(controller.signal);
  const result = await execute(strictTool(), callOf(), controller.signal);
  assert.equal(listeners.left(), 0);
  controller.abort(reason);
  assert.equal(result.content, "done");
});

Deno.test("executeToolCall() keeps a hundred executions at once apart", async () => {
  const gates = Array.from(
    { length: 100 },
    () => Promise.withResolvers<void>(),
  );
  const registry = registryOf(
    strictTool({
      async execute(value, { toolCallId }) {
        const { n } = value as { n: number };
        await gates[n]?.promise;
        if (n % 3 === 0) throw new Error(`no ${n}`);
        return `${toolCallId} ${n}`;
      },
    }),
  );
  const running = gates.map((_, n) =>
    executeToolCall(registry, callOf("t", { n }, `call-${n}`))
  );
  for (const gate of gates.toReversed()) gate.resolve();
  const results = await Promise.all(running);
  results.forEach((result, n) => {
    assert.equal(result.id, `tool-result-call-${n}`);
    if (n % 3 === 0) assertFailure(result, "TOOL_EXECUTION_FAILED", `no ${n}`);
    else assert.equal(result.content, `call-${n} ${n}`);
  });
});
