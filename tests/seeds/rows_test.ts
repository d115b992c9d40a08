// Points of the documents that tau once lacked, by their number in the list of
// what was compared. Those of types and whole programs are in programs_test.ts,
// and what differs on purpose is in docs/differences.md.
import assert from "node:assert/strict";
import * as tau from "../../src/mod.ts";
import {
  call as toolCall,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { call, say as answer } from "../support/provider_double.ts";
import { inPlace, readRequest } from "../support/tau_place.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { testTool } from "../support/test_tool.ts";

const user = (content: string): tau.UserMessage => ({
  role: "user",
  content,
  timestamp: 1,
});

/** An agent with a tool `t`, on a scripted model. */
function agentOn(
  model: ReturnType<typeof scriptedModel>,
  options: Partial<tau.AgentOptions> = {},
): tau.Agent {
  return new tau.Agent({
    initialState: { model: testModel, tools: [testTool("t")] },
    streamFn: model,
    ...options,
  });
}

Deno.test("26, 27, 31, 310: a context is optional, and one that is given wins", async () => {
  const definition = tau.defineTool({
    name: "where",
    label: "Where",
    description: "Says where.",
    parameters: tau.Type.Object({}),
    execute: (_id, _params, _signal, _onUpdate, ctx) => {
      const text = String((ctx as { cwd?: string } | undefined)?.cwd);
      return Promise.resolve({ content: [{ type: "text", text }] });
    },
  });
  const bare = await tau.wrapToolDefinition(definition).execute("1", {});
  assert.match(JSON.stringify(bare), /undefined/);
  const made = tau.wrapToolDefinition(definition, () => ({ cwd: "/made" }));
  const execute = made.execute as (...call: unknown[]) => Promise<unknown>;
  const given = execute("1", {}, undefined, undefined, { cwd: "/given" });
  assert.match(JSON.stringify(await given), /given/);
  await inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.txt`, "alpha");
    const read = tau.createReadToolDefinition(folder);
    const { content } = await read.execute("1", { path: "a.txt" });
    assert.deepEqual(content, [{ type: "text", text: "alpha" }]);
  });
});

Deno.test("64, 67: images of a plugin are made fit, and a result without content has none", async () => {
  // A BMP of one pixel, which no provider takes.
  const bmp =
    "Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAA////AA==";
  const plugin = `export default (tau) => {
    const tool = (name, result) => tau.registerTool({
      name, label: name, description: name, parameters: tau.Type.Object({}),
      execute: () => Promise.resolve(result),
    });
    tool("picture", { content: [{ type: "image", data: "${bmp}", mimeType: "image/bmp" }] });
    tool("nothing", { details: { done: true } });
  };`;
  await inPlace({
    script: [answer("", call("picture"), call("nothing")), answer("ok")],
    plugins: { "p.js": plugin },
  }, async ({ ask, requests }) => {
    const run = await ask(["--output-format", "stream-json", "go"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(requests[1]?.text ?? "", /data:image\/png;base64/);
    assert.match(run.stdout, /"toolName":"nothing","content":\[\]/);
  });
});

Deno.test("68: addedToolNames is left out where it is empty", async () => {
  const tools = [testTool("t", () => ({ content: [], addedToolNames: [] }))];
  const model = scriptedModel(say("", toolCall("t")), say("ok"));
  const agent = agentOn(model, { initialState: { model: testModel, tools } });
  await agent.prompt("go");
  const result = agent.state.messages.find(({ role }) => role === "toolResult");
  assert(result && !("addedToolNames" in result));
});

Deno.test("92, 98, 115, 116, 123: names of the library, and variables of commands", async () => {
  const names = [
    ...["DEFAULT_MAX_LINES", "DEFAULT_MAX_BYTES", "formatSize"],
    ...["ExecAbortedError", "ExecTimeoutError", "PathRefusedError"],
    ...["builtinModels", "ModelRuntime", "SessionManager"],
  ];
  for (const name of names) assert(name in tau, name);
  const echo = "echo $TAU_PROVIDER/$TAU_MODEL:$TAU_REASONING_LEVEL";
  await inPlace({
    script: [answer("", call("bash", { command: echo })), answer("ok")],
  }, async ({ ask, requests }) => {
    await ask(["--model", "openai/gpt-5.1:high", "go"]);
    const [result] = readRequest(requests[1]).said("tool");
    assert.equal(result, "openai/gpt-5.1:high\n");
  });
});

Deno.test("132, 133, 157, 158, 166, 174: options of an agent reach its stream function", async () => {
  const model = scriptedModel(say("ok"));
  const hooks = { request: (body: tau.JsonObject) => Promise.resolve(body) };
  const onPayload = () => {};
  const agent = agentOn(model, {
    ...{ hooks, onPayload, onResponse() {}, onProviderStreamEvent() {} },
    ...{ transport: "sse", thinkingBudgets: { low: 1 }, maxRetryDelayMs: 5 },
    ...{ metadata: { x: 1 }, cacheRetention: "long", identity: { a: "1" } },
  });
  await agent.prompt("go");
  const { signal: _, ...options } = model.requests[0]?.options ?? {};
  assert.deepEqual(Object.keys(options).toSorted(), [
    ...["cacheRetention", "hooks", "identity", "maxRetryDelayMs", "metadata"],
    ...["onPayload", "onProviderStreamEvent", "onResponse"],
    ...["thinkingBudgets", "transport"],
  ]);
  assert.equal(options.hooks, hooks);
  assert.deepEqual(options.identity, { name: "tau", a: "1" });
});

Deno.test("149, 150, 218, 222: prompts are blocks, answers say their level, fields are assignable", async () => {
  const model = scriptedModel(say("", toolCall("t")), say("ok"));
  const tools = [testTool("t")];
  const agent = agentOn(model, {
    initialState: { model: testModel, tools, thinkingLevel: "high" },
  });
  agent.steer(user("first"));
  agent.steer(user("second"));
  agent.followUp(user("third"));
  assert.deepEqual(agent.peekQueuedMessages(), [user("first")]);
  agent.clearAllQueues();
  let asked = 0;
  agent.beforeToolCall = () => {
    asked++;
    return { block: true };
  };
  await agent.prompt("go");
  assert.equal(asked, 1);
  const [, prompt, said] = agent.state.messages;
  assert.deepEqual(prompt && "content" in prompt && prompt.content, [
    { type: "text", text: "go" },
  ]);
  assert.equal(said?.role === "assistant" && said.thinkingLevel, "high");
});

Deno.test("161, 192, 198: hooks get context and new messages, what a request is prepared with stays, arguments may be changed in place", async () => {
  const other = { ...testModel, id: "other" };
  const model = scriptedModel(
    say("", toolCall("t", { n: 1 })),
    say("", toolCall("t", { n: 1 })),
    say("ok"),
  );
  const ran: unknown[] = [];
  const tools = [testTool("t", ({ args }) => {
    ran.push(args.n);
    return "done";
  })];
  let prepared = 0;
  const seen: number[] = [];
  const agent = agentOn(model, {
    initialState: { model: testModel, tools },
    prepareRequest: () => prepared++ === 0 ? { model: other } : undefined,
    finishTurn: ({ newMessages, context }) => {
      seen.push(newMessages.length, context.messages.length);
    },
    beforeToolCall: ({ args }) => {
      args.n = 2;
    },
  });
  await agent.prompt("go");
  assert.deepEqual(ran, [2, 2]);
  assert.deepEqual(
    model.requests.map(({ model: { id } }) => id),
    ["other", "other", "other"],
  );
  assert.deepEqual(seen, [3, 4, 5, 6, 6, 7]);
});

Deno.test("209, 210, 211: tools are compared by value, and none is none", async () => {
  const model = scriptedModel(say("1"), say("2"), say("3"));
  const tool = testTool("t");
  const agent = agentOn(model, {
    initialState: { model: testModel, tools: [tool] },
  });
  await agent.prompt("1");
  tool.description = "Changed in place.";
  await agent.prompt("2");
  assert.equal(model.contexts[1]?.tools?.[0]?.description, tool.description);
  const mine = { role: "system" as const, content: "Mine.", timestamp: 1 };
  await agent.prompt([mine, user("3")]);
  assert(agent.state.messages.includes(mine));
  agent.state.tools = [];
  const added = await tau.runAgentLoop(
    [user("4")],
    { messages: agent.state.messages },
    { model: testModel, convertToLlm: tau.keepModelMessages },
    () => {},
    undefined,
    scriptedModel(say("4")),
  );
  assert.deepEqual(
    added[0] && "toolsRemoved" in added[0] && added[0].toolsRemoved,
    [
      { name: "t" },
    ],
  );
});

Deno.test("229, 297: the system prompt follows the tools within a run", async () => {
  const plugin = `export default (tau) => tau.registerTool({
    name: "choose", label: "Choose", description: "Chooses.",
    promptSnippet: "Choose tools", parameters: tau.Type.Object({}),
    execute: async () => {
      tau.setActiveTools(["choose", "grep"]);
      return { content: [{ type: "text", text: "chosen" }] };
    },
  });`;
  await inPlace({
    script: [answer("", call("choose")), answer("ok")],
    plugins: { "p.js": plugin },
  }, async ({ ask, requests }) => {
    await ask(["go"]);
    const [before, after] = requests.map((one) => readRequest(one).system);
    assert.match(before ?? "", /^- bash: /m);
    assert.doesNotMatch(after ?? "", /^- bash: /m);
    assert.match(after ?? "", /^- grep: /m);
  });
});

Deno.test("235, 258: a registry has initial tools, and its texts do not depend on the order of keys", async () => {
  const keys = Array.from(
    { length: 300 },
    (_, n) => `k${String(n).padStart(3, "0")}`,
  );
  const texts = [keys, keys.toReversed()].map(async (order) => {
    const registry = new tau.ToolRegistry([tau.snapshotTool({
      name: "t",
      description: "Gives many keys.",
      validate: () => ({ ok: true, value: 1 }),
      execute: () => Object.fromEntries(order.map((key) => [key, 1])),
    })]);
    const made = {
      type: "toolCall" as const,
      id: "1",
      name: "t",
      arguments: {},
    };
    const { signal } = new AbortController();
    return (await tau.executeToolCall(registry, made, signal)).content;
  });
  const [one, two] = await Promise.all(texts);
  assert.equal(one, two);
  assert.match(one ?? "", /^\{"k000":1/);
});
