import assert from "node:assert/strict";
import { Type } from "@sinclair/typebox";
import type { AgentToolUpdate } from "../../src/agent/agent_tool.ts";
import type { PluginToolContext } from "../../src/sdk/plugin_context.ts";
import type { Static } from "../../src/model/schema_types.ts";
import type { ToolContext } from "../../src/sdk/tool_context.ts";
import {
  type AnyToolDefinition,
  defineTool,
  type ToolDefinition,
  wrapToolDefinition,
} from "../../src/sdk/tool_definition.ts";

// The types are the test: where inference is lost, this file does not compile.

/** True only for the same type; `any` equals nothing else. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** What a definition's `execute` takes. */
type ParamsOf<Definition extends { execute: (...args: never[]) => unknown }> =
  Parameters<Definition["execute"]>[1];

const parameters = Type.Object({
  path: Type.String(),
  limit: Type.Optional(Type.Integer()),
  mode: Type.Union([Type.Literal("head"), Type.Literal("tail")]),
});

interface Expected {
  path: string;
  limit?: number;
  mode: "head" | "tail";
}

const words = { name: "show", label: "show", description: "Shows a file." };

const show = defineTool({
  ...words,
  parameters,
  execute(_id, params, signal, onUpdate, ctx) {
    true satisfies Same<typeof params, Static<typeof parameters>>;
    true satisfies Same<typeof signal, AbortSignal | undefined>;
    true satisfies Same<typeof ctx, PluginToolContext>;
    // @ts-expect-error -- no such parameter
    params.pth;
    // @ts-expect-error -- the parameter is optional
    params.limit.toFixed();
    // @ts-expect-error -- no such mode
    params.mode === "middle";
    true satisfies Same<typeof onUpdate, AgentToolUpdate | undefined>;
    return Promise.resolve({ content: [] });
  },
  renderCall(args) {
    // @ts-expect-error -- what has arrived may be without it
    args.path.length;
    return [args.path ?? "…"];
  },
});

const count = defineTool({
  ...words,
  name: "count",
  parameters: Type.Object({ words: Type.Array(Type.String()) }),
  execute(_id, { words }) {
    const details = { lengths: words.map((word) => word.length) };
    return Promise.resolve({ content: [], details });
  },
  renderResult({ details }) {
    true satisfies Same<typeof details, { lengths: number[] }>;
    return [`${details?.lengths}`];
  },
});

Deno.test("defineTool() keeps the types of a definition in a variable", () => {
  const params: ParamsOf<typeof show> = { path: "a", mode: "head" };
  params satisfies Expected;
  ({ path: "a", mode: "tail", limit: 1 }) satisfies ParamsOf<typeof show>;
  // @ts-expect-error -- a parameter is missing
  ({ path: "a" }) satisfies ParamsOf<typeof show>;
  true satisfies Same<typeof show.parameters, typeof parameters>;
  true satisfies Same<ParamsOf<typeof count>, { words: string[] }>;
  assert.equal(show.parameters, parameters);
});

Deno.test("defineTool() keeps the types of definitions in an array", () => {
  const pair = [show, count] as const;
  true satisfies Same<ParamsOf<(typeof pair)[1]>, { words: string[] }>;
  const inPlace = [
    defineTool({
      ...words,
      parameters: Type.Object({ path: Type.String() }),
      execute(_id, params) {
        true satisfies Same<typeof params, { path: string }>;
        return Promise.resolve({ content: [] });
      },
    }),
    count,
  ];
  const either: ParamsOf<(typeof inPlace)[number]> = { words: ["a"] };
  // @ts-expect-error -- neither of them takes it
  ({ line: 1 }) satisfies ParamsOf<(typeof inPlace)[number]>;
  assert("words" in either);

  // Lists of all kinds take them without a cast.
  const all: AnyToolDefinition[] = [...pair, ...inPlace];
  const unknown: ToolDefinition[] = [count];
  assert.equal(all.length + unknown.length, 5);
});

Deno.test("defineTool() infers what an annotation as ToolDefinition would lose", () => {
  const plain: ToolDefinition = {
    ...words,
    parameters,
    execute(_id, params) {
      // @ts-expect-error -- of unknown type
      params.path;
      return Promise.resolve({ content: [] });
    },
  };
  assert.equal(defineTool(plain), plain);
});

Deno.test("wrapToolDefinition() copies the fields that an AgentTool shares, and no others", () => {
  const definition = defineTool({
    ...words,
    parameters,
    outputSchema: Type.Object({}),
    executionMode: "sequential",
    constrainedSampling: false,
    promptSnippet: "Show a file",
    promptGuidelines: ["Show before you tell."],
    renderCall: () => [],
    renderResult: () => [],
    execute: () => Promise.resolve({ content: [] }),
  });
  const { execute, ...fields } = wrapToolDefinition(definition, () => ({
    cwd: "/",
  }));
  assert.equal(typeof execute, "function");
  assert.deepEqual(fields, {
    ...words,
    parameters,
    outputSchema: definition.outputSchema,
    executionMode: "sequential",
    constrainedSampling: false,
  });
  assert.deepEqual(
    Object.keys(wrapToolDefinition(count, () => ({ cwd: "/" }))),
    ["name", "label", "description", "parameters", "execute"],
  );
});

Deno.test("wrapToolDefinition() binds a context that is made afresh at each call", async () => {
  const calls: unknown[][] = [];
  const definition = defineTool({
    ...words,
    parameters,
    execute(...call) {
      calls.push(call);
      return Promise.resolve({ content: [] });
    },
  });
  const made: [string, AbortSignal | undefined, ToolContext][] = [];
  const tool = wrapToolDefinition(definition, (toolCallId, signal) => {
    const context: ToolContext = { cwd: `/${made.length}` };
    made.push([toolCallId, signal, context]);
    return context;
  });
  assert.equal(made.length, 0);
  const { signal } = new AbortController();
  const onUpdate: AgentToolUpdate = () => {};
  const params = { path: "a", mode: "head" };
  await tool.execute("first", params, signal, onUpdate);
  await tool.execute("second", params);
  assert.deepEqual(made, [
    ["first", signal, { cwd: "/0" }],
    ["second", undefined, { cwd: "/1" }],
  ]);
  assert.deepEqual(calls, [
    ["first", params, signal, onUpdate, { cwd: "/0" }],
    ["second", params, undefined, undefined, { cwd: "/1" }],
  ]);
  assert.equal(calls[0]?.[4], made[0]?.[2]);
});

Deno.test("wrapToolDefinition() calls the methods on their definition", async () => {
  class Greeting implements ToolDefinition<typeof parameters> {
    readonly name = "greet";
    readonly label = "greet";
    readonly description = "Greets.";
    readonly parameters = parameters;
    #greeting = "Hello";
    prepareArguments(raw: { path?: unknown }): unknown {
      return { ...raw, mode: this.#greeting };
    }
    execute(): Promise<{ content: { type: "text"; text: string }[] }> {
      const text = this.#greeting;
      return Promise.resolve({ content: [{ type: "text", text }] });
    }
  }
  const tool = wrapToolDefinition(new Greeting(), () => ({ cwd: "/" }));
  assert.deepEqual(tool.prepareArguments?.({ path: "a" }), {
    path: "a",
    mode: "Hello",
  });
  assert.deepEqual(await tool.execute("1", {}), {
    content: [{ type: "text", text: "Hello" }],
  });
});
