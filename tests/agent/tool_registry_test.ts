import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import {
  type RegistrableTool,
  snapshotTool,
  type StrictTool,
} from "../../src/agent/strict/snapshot_tool.ts";
import {
  isToolContractError,
  ToolContractError,
  type ToolContractErrorCode,
} from "../../src/agent/strict/tool_contract_error.ts";
import { ToolRegistry } from "../../src/agent/strict/tool_registry.ts";
import { testTool, textResult } from "../support/test_tool.ts";

function strictTool(name: string, rest: Partial<StrictTool> = {}): StrictTool {
  return {
    name,
    description: `Runs ${name}.`,
    validate: (value) => ({ ok: true, value }),
    execute: () => `${name} done`,
    ...rest,
  };
}

/** What a definition that is not typed may look like. */
function untyped(definition: unknown): RegistrableTool {
  return definition as RegistrableTool;
}

function assertRefused(
  code: ToolContractErrorCode,
  text: RegExp,
  attempt: () => unknown,
): void {
  assert.throws(attempt, (error) => {
    assert(isToolContractError(error));
    assert.equal(error.code, code);
    assert.match(error.message, text);
    return true;
  });
}

Deno.test("snapshotTool() keeps what a strict tool was when it was copied", () => {
  const tool = strictTool("a");
  const copy = snapshotTool(tool);
  tool.name = "b";
  tool.description = "";
  tool.validate = () => ({ ok: false, error: "changed" });
  tool.execute = () => "changed";
  assert.equal(copy.name, "a");
  assert.equal(copy.description, "Runs a.");
  assert.deepEqual(copy.validate(1), { ok: true, value: 1 });
  const context = { signal: new AbortController().signal, toolCallId: "1" };
  assert.equal(copy.execute(1, context), "a done");
});

Deno.test("snapshotTool() freezes its copy, schemas and lists included", () => {
  const parameters = { type: "object", properties: { a: { type: "string" } } };
  const promptGuidelines = ["Be brief."];
  const copy = snapshotTool({
    ...testTool("a", undefined, { parameters }),
    promptGuidelines,
  });
  parameters.properties.a.type = "number";
  promptGuidelines.push("Be long.");
  assert.deepEqual(copy.parameters, {
    type: "object",
    properties: { a: { type: "string" } },
  });
  assert.deepEqual(copy.promptGuidelines, ["Be brief."]);
  const { properties } = copy.parameters as typeof parameters;
  for (const part of [copy, copy.parameters, properties, properties.a]) {
    assert(Object.isFrozen(part));
  }
});

Deno.test("snapshotTool() keeps an AgentTool whole, as the loop needs it", async () => {
  const updates: unknown[] = [];
  const signal = new AbortController().signal;
  const tool = {
    ...testTool("a"),
    label: "A",
    executionMode: "sequential",
    constrainedSampling: { type: "json_schema", strict: "prefer" },
    outputSchema: { type: "object" },
    promptSnippet: "runs a",
    prepareArguments: (raw) => ({ ...raw, prepared: true }),
    execute(...args) {
      args[3]?.(textResult("half"));
      return Promise.resolve(
        textResult(`${args[0]} ${JSON.stringify(args[1])} ${args[2]?.aborted}`),
      );
    },
    renderCall: (args: unknown) => [`a ${args}`],
  } satisfies AgentTool & Record<string, unknown>;
  const copy: typeof tool = snapshotTool(tool);

  const data = (from: typeof tool) => JSON.parse(JSON.stringify(from));
  assert.deepEqual(data(copy), data(tool));
  assert.deepEqual(copy.prepareArguments({ x: 1 }), { x: 1, prepared: true });
  assert.deepEqual(copy.renderCall("x"), ["a x"]);
  assert.deepEqual(
    await copy.execute("id", { x: 1 }, signal, (one) => updates.push(one)),
    textResult('id {"x":1} false'),
  );
  assert.deepEqual(updates, [textResult("half")]);
});

Deno.test("snapshotTool() calls methods on the definition, whose own state they may keep", async () => {
  const tool = {
    ...testTool("a"),
    count: 0,
    execute() {
      return Promise.resolve(textResult(`${++this.count}`));
    },
  };
  const copy = snapshotTool(tool);
  await copy.execute();
  assert.deepEqual(await copy.execute(), textResult("2"));
  assert.equal(copy.count, 0);
});

Deno.test("snapshotTool() reads each own field exactly once", () => {
  const reads: Record<string, number> = {};
  for (const source of [strictTool("a"), testTool("a")]) {
    const counting = {};
    for (const [field, value] of Object.entries(source)) {
      reads[field] = 0;
      Object.defineProperty(counting, field, {
        enumerable: true,
        get() {
          reads[field] = (reads[field] ?? 0) + 1;
          return reads[field] === 1 ? value : "changed";
        },
      });
    }
    const copy = snapshotTool(untyped(counting));
    assert.equal(copy.description, "Runs a.");
    assert.deepEqual(
      reads,
      Object.fromEntries(Object.keys(reads).map((field) => [field, 1])),
    );
  }
});

Deno.test("snapshotTool() asks a proxy once for each own field", () => {
  const asked: PropertyKey[] = [];
  const proxy = new Proxy(strictTool("a"), {
    get: () => assert.fail("a field was read past its descriptor"),
    getOwnPropertyDescriptor(target, key) {
      asked.push(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  });
  assert.equal(snapshotTool(proxy).name, "a");
  assert.deepEqual(asked, ["name", "description", "validate", "execute"]);
});

for (
  const field of ["name", "description", "validate", "execute"] as const
) {
  Deno.test(`snapshotTool() refuses an inherited "${field}" without calling its getter`, () => {
    const { [field]: _, ...own } = strictTool("a");
    const prototype = Object.defineProperty({}, field, {
      get: () => assert.fail("an inherited getter was called"),
    });
    const heir = Object.assign(Object.create(prototype), own);
    assertRefused("INVALID_TOOL_DEFINITION", /inherited/, () => {
      snapshotTool(heir);
    });
  });
}

Deno.test("snapshotTool() refuses inherited options, which a copy would lose", () => {
  const heir = Object.assign(
    Object.create({ executionMode: "sequential" }),
    testTool("a"),
  );
  assertRefused(
    "INVALID_TOOL_DEFINITION",
    /"executionMode".*inherited/,
    () => snapshotTool(heir),
  );
});

const { execute: _execute, ...withoutExecute } = strictTool("a");
const revoked = Proxy.revocable(strictTool("a"), {});
revoked.revoke();
for (
  const [title, definition, text] of [
    ["null", null, /not an object/],
    ["a function", () => {}, /not an object/],
    ["an empty name", strictTool(""), /needs a "name"/],
    ["a name that is not a string", { ...strictTool("a"), name: 1 }, /"name"/],
    [
      "an empty description",
      strictTool("a", { description: "" }),
      /Tool "a" needs a "description"/,
    ],
    ["no execute", withoutExecute, /needs a function as "execute"/],
    [
      "a validate that is not a function",
      { ...strictTool("a"), validate: true },
      /"validate"/,
    ],
    [
      "neither validate nor parameters",
      { ...strictTool("a"), validate: undefined },
      /either "validate" or "parameters"/,
    ],
    [
      "both validate and parameters",
      { ...testTool("a"), validate: () => ({ ok: true, value: 1 }) },
      /either "validate" or "parameters"/,
    ],
    [
      "parameters that are no schema",
      { ...testTool("a"), parameters: "object" },
      /JSON Schema as "parameters"/,
    ],
    [
      "parameters with a keyword that is not understood",
      testTool("a", undefined, {
        parameters: {
          type: "object",
          properties: { path: { if: { type: "string" } } },
        } as object,
      }),
      /Tool "a".*"parameters".*#\/properties\/path/,
    ],
    [
      "an output schema that is not understood",
      testTool("a", undefined, { outputSchema: { if: true } as object }),
      /Tool "a".*"outputSchema"/,
    ],
    [
      "an execution mode that does not exist",
      { ...testTool("a"), executionMode: "serial" },
      /"executionMode"/,
    ],
    [
      "a getter that throws",
      Object.defineProperty(strictTool("a"), "execute", {
        get() {
          throw new ToolContractError("INVALID_TOOL_CALL", "a look-alike");
        },
      }),
      /Tool "a" has a bad "execute": a look-alike/,
    ],
    [
      "a field that refers to itself",
      ((tool) => Object.assign(tool, { parameters: tool }))(testTool("a")),
      /"parameters"/,
    ],
    ["a revoked proxy", revoked.proxy, /bad definition/],
  ] as [string, unknown, RegExp][]
) {
  Deno.test(`snapshotTool() refuses ${title}`, () => {
    assertRefused(
      "INVALID_TOOL_DEFINITION",
      text,
      () => snapshotTool(untyped(definition)),
    );
  });
}

Deno.test("ToolRegistry keeps the order of registration", () => {
  const registry = new ToolRegistry();
  registry.registerMany([strictTool("z"), testTool("__proto__")]);
  registry.registerMany([strictTool("a")]);
  const names = ["z", "__proto__", "a"];
  assert.deepEqual([...registry].map(({ name }) => name), names);
  assert.deepEqual(registry.snapshot().map(({ name }) => name), names);
  assert.equal(registry.get("__proto__")?.description, "Runs __proto__.");
  assert.equal(registry.get("constructor"), undefined);
});

const hole = [strictTool("b"), strictTool("c")];
delete hole[1];
for (
  const [title, list, code] of [
    [
      "a hostile second definition",
      [
        strictTool("b"),
        Object.defineProperty(strictTool("c"), "name", {
          get() {
            throw "no";
          },
        }),
      ],
      "INVALID_TOOL_DEFINITION",
    ],
    ["a sparse array", hole, "INVALID_TOOL_DEFINITION"],
    [
      "an element that throws when it is read",
      Object.defineProperty([strictTool("b"), strictTool("c")], 1, {
        get() {
          throw new Error("no");
        },
      }),
      "INVALID_TOOL_DEFINITION",
    ],
    [
      "a list that is none",
      { 0: strictTool("b"), length: 1 },
      "INVALID_TOOL_DEFINITION",
    ],
    [
      "a name twice in the batch",
      [strictTool("b"), strictTool("c"), testTool("b")],
      "DUPLICATE_TOOL_NAME",
    ],
    [
      "a name that is taken",
      [strictTool("b"), strictTool("a")],
      "DUPLICATE_TOOL_NAME",
    ],
  ] as [string, StrictTool[], ToolContractErrorCode][]
) {
  Deno.test(`ToolRegistry.registerMany() leaves the registry as it was, for ${title}`, () => {
    const registry = new ToolRegistry();
    registry.registerMany([strictTool("a")]);
    const before = registry.snapshot();
    assertRefused(code, /./, () => registry.registerMany(list));
    assert.equal(registry.snapshot(), before);
    assert.deepEqual([...registry].map(({ name }) => name), ["a"]);
    assert.equal(registry.get("b"), undefined);
  });
}

Deno.test("ToolRegistry.registerMany() does not take what a hole inherits", () => {
  const list = [strictTool("b")];
  delete list[0];
  Object.setPrototypeOf(list, Object.assign([], { 0: strictTool("evil") }));
  const registry = new ToolRegistry();
  assertRefused(
    "INVALID_TOOL_DEFINITION",
    /./,
    () => registry.registerMany(list),
  );
});

Deno.test("ToolRegistry.registerMany() sees a name that a getter registered meanwhile", () => {
  const registry = new ToolRegistry();
  const reentrant = Object.defineProperty(strictTool("b"), "description", {
    get() {
      registry.registerMany([strictTool("a")]);
      return "Registers another tool.";
    },
  });
  assertRefused(
    "DUPLICATE_TOOL_NAME",
    /"a"/,
    () => registry.registerMany([strictTool("a"), reentrant]),
  );
  assert.deepEqual([...registry].map(({ name }) => name), ["a"]);
});

Deno.test("ToolRegistry.snapshot() is the same frozen list until something is registered", () => {
  const registry = new ToolRegistry();
  registry.registerMany([strictTool("a")]);
  const before = registry.snapshot();
  registry.registerMany([]);
  assert.equal(registry.snapshot(), before);
  assert(Object.isFrozen(before));

  registry.registerMany([strictTool("b")]);
  const after = registry.snapshot();
  assert.deepEqual(before.map(({ name }) => name), ["a"]);
  assert.deepEqual(after.map(({ name }) => name), ["a", "b"]);
  assert.equal(after[0], before[0]);
});

Deno.test("ToolRegistry.registerMany() shares what is a copy already, so that a registry can be built from another", () => {
  const first = new ToolRegistry<AgentTool>();
  first.registerMany([testTool("a"), testTool("b")]);
  const second = new ToolRegistry<AgentTool>();
  second.registerMany(first.snapshot());
  assert.deepEqual([...second], [...first]);
  assert(second.snapshot().every((tool, i) => tool === first.snapshot()[i]));
});

Deno.test("isToolContractError() knows subclasses and no look-alikes", () => {
  class Special extends ToolContractError {}
  const genuine = new Special("INVALID_TOOL_CALL", "x");
  assert(isToolContractError(genuine));
  for (
    const lookAlike of [
      { ...genuine, name: "ToolContractError", message: "x" },
      Object.create(ToolContractError.prototype),
      Object.setPrototypeOf(new Error("x"), ToolContractError.prototype),
      structuredClone(genuine),
      null,
      "ToolContractError",
    ]
  ) assert(!isToolContractError(lookAlike));
});
