import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import type { SystemMessage } from "../../src/model/message.ts";
import type { StreamFn } from "../../src/model/stream.ts";
import { Type } from "@sinclair/typebox";
import { defineTool } from "../../src/sdk/tool_definition.ts";
import {
  AgentSession,
  type AgentSessionOptions,
} from "../../src/session/agent_session.ts";
import { served } from "../support/served_tool.ts";
import { buildSystemPrompt } from "../../src/session/system_prompt.ts";
import {
  call,
  endingAs,
  failing,
  failModel,
  say,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool, untilAbort } from "../support/test_tool.ts";

const SYSTEM: SystemMessage = {
  role: "system",
  content: "rules",
  timestamp: 1,
};

function session(
  streamFn: StreamFn,
  options: Partial<AgentSessionOptions> = {},
): AgentSession {
  return new AgentSession({
    model: testModel,
    systemPrompt: SYSTEM,
    tools: [testTool("look")],
    streamFn,
    emit: () => {},
    ...options,
  });
}

Deno.test("AgentSession.run() ends as completed when the model ends its turn", async () => {
  const model = scriptedModel(say("", call("look")), say("Seen."));
  assert.deepEqual(await session(model).run("go"), { kind: "completed" });
  model.assertPlayed();
});

Deno.test("AgentSession.run() sends the system prompt once and goes on with the same conversation", async () => {
  const model = scriptedModel(say("One."), say("Two."));
  const talk = session(model);
  await talk.run("first");
  await talk.run("second");
  model.assertPlayed();
  for (const { systemPrompt } of model.contexts) {
    assert.equal(systemPrompt, "rules");
  }
  assert.deepEqual(
    model.contexts[1]?.messages.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
});

Deno.test("AgentSession.run() asks for thinking only above off", async () => {
  for (const thinkingLevel of ["off", "low"] as const) {
    const model = scriptedModel(say("Thought."));
    await session(model, { thinkingLevel }).run("go");
    const asked = model.requests[0]?.options.reasoning;
    assert.equal(asked, thinkingLevel === "off" ? undefined : "low");
  }
});

Deno.test("AgentSession.run() says what kind of failure the model had", async () => {
  const model = failModel("no money", { errorKind: "quota" });
  assert.deepEqual(await session(model).run("go"), {
    kind: "model_error",
    errorKind: "quota",
    message: "no money",
  });
});

Deno.test("AgentSession.run() ends as failed on an error of no known kind", async () => {
  const model = scriptedModel(failing("odd"));
  assert.deepEqual(await session(model).run("go"), {
    kind: "failed",
    message: "odd",
  });
});

Deno.test("AgentSession.run() ends as failed when a listener throws", async () => {
  const model = scriptedModel(say("Hello."));
  const emit = ({ type }: { type: string }) => {
    if (type === "message_update") throw new Error("the listener broke");
  };
  assert.deepEqual(await session(model, { emit }).run("go"), {
    kind: "failed",
    message: "the listener broke",
  });
});

Deno.test("AgentSession.run() ends at the output limit as such", async () => {
  const model = scriptedModel(endingAs("length", say("Half")));
  assert.deepEqual(await session(model).run("go"), {
    kind: "limit",
    limit: "output_limit",
  });
});

Deno.test("AgentSession.run() ends as aborted before the first request", async () => {
  const model = scriptedModel();
  const outcome = await session(model).run("go", AbortSignal.abort());
  assert.deepEqual(outcome, { kind: "aborted" });
  model.assertPlayed();
});

Deno.test("AgentSession.run() ends as aborted while a tool runs", async () => {
  const stop = new AbortController();
  const tool: AgentTool = testTool("look", ({ signal }) => {
    stop.abort();
    return untilAbort(signal);
  });
  const model = scriptedModel(say("", call("look")));
  const outcome = await session(model, { tools: [tool] })
    .run("go", stop.signal);
  assert.deepEqual(outcome, { kind: "aborted" });
});

Deno.test("AgentSession.run() runs no call of the last turn that is allowed, and answers each", async () => {
  const model = scriptedModel(
    say("", call("look")),
    say("Two.", call("look"), call("unknown")),
  );
  const results: string[] = [];
  let looked = 0;
  const outcome = await session(model, {
    maxTurns: 2,
    tools: [testTool("look", () => `seen ${++looked}`)],
    emit(event) {
      if (event.type !== "message_end") return;
      if (event.message.role !== "toolResult") return;
      const [block] = event.message.content;
      results.push(block?.type === "text" ? block.text : "");
    },
  }).run("go");
  assert.deepEqual(outcome, { kind: "limit", limit: "turn_limit" });
  assert.equal(looked, 1);
  assert.equal(results.length, 3);
  assert.equal(
    results[1],
    "Not run: this run has reached its limit of 2 turns",
  );
  model.assertPlayed();
});

Deno.test("AgentSession.run() completes when its last turn calls nothing", async () => {
  const model = scriptedModel(say("", call("look")), say("Done."));
  const outcome = await session(model, { maxTurns: 2 }).run("go");
  assert.deepEqual(outcome, { kind: "completed" });
});

Deno.test("AgentSession.run() counts the turns of each run anew", async () => {
  const model = scriptedModel(say("One."), say("Two."));
  const talk = session(model, { maxTurns: 1 });
  assert.deepEqual(await talk.run("a"), { kind: "completed" });
  assert.deepEqual(await talk.run("b"), { kind: "completed" });
});

Deno.test("buildSystemPrompt() lists tools and their rules once, in their order", () => {
  const tool = (name: string, promptSnippet = `Use ${name}`) =>
    defineTool({
      name,
      label: name,
      description: "",
      parameters: Type.Object({}),
      promptSnippet,
      promptGuidelines: ["Be careful."],
      execute: () => Promise.resolve({ content: [] }),
    });
  const { sections } = buildSystemPrompt({
    cwd: "/work",
    tools: [tool("b"), tool("a"), tool("hidden", "")].map(served),
  });
  assert.equal(sections?.tools, "<tools>\n- b: Use b\n- a: Use a\n</tools>");
  assert.equal(sections?.rules?.match(/Be careful/g)?.length, 1);
  assert.equal(sections?.cwd, "<cwd>\n/work\n</cwd>");
});

Deno.test("buildSystemPrompt() gives the same prompt for the same run", () => {
  const [one, two] = [1, 2].map(() => {
    const { timestamp: _, ...prompt } = buildSystemPrompt({
      cwd: "/work",
      tools: [],
    });
    return prompt;
  });
  assert.deepEqual(one, two);
  assert.match(JSON.stringify(one), /\(none\)/);
});
