import assert from "node:assert/strict";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import { NonRecoverableToolError } from "../../src/agent/non_recoverable_tool_error.ts";
import { ToolContractError } from "../../src/agent/strict/tool_contract_error.ts";
import { AgentSession } from "../../src/session/agent_session.ts";
import type { SessionEvent } from "../../src/session/session_event.ts";
import {
  call,
  say,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";

function sessionWith(
  { model, tools }: { model: ScriptedModel; tools: AgentTool[] },
): { session: AgentSession; events: SessionEvent[] } {
  const events: SessionEvent[] = [];
  const session = new AgentSession({
    model: testModel,
    systemPrompt: { role: "system", content: "Be tau.", timestamp: 0 },
    tools,
    streamFn: model,
    emit: (event) => void events.push(event),
  });
  return { session, events };
}

/** The tool changes that the transcript declares, one text a system message. */
function declaredIn(events: readonly SessionEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== "message_end") return [];
    const { message } = event;
    if (message.role !== "system") return [];
    return [(message.toolsAdded ?? []).map(({ name }) => `+${name}`).join()];
  });
}

function toolNames(model: ScriptedModel): (string | undefined)[] {
  return model.contexts.map(({ tools }) =>
    tools?.map(({ name }) => name).join()
  );
}

Deno.test("AgentSession.registerTools() gives tools to the next request of a run, declared once", async () => {
  const model = scriptedModel(
    say("", call("add")),
    say("", call("new")),
    say("Done."),
    say("Again."),
  );
  const { session, events } = sessionWith({
    model,
    tools: [
      testTool("add", () => {
        session.registerTools([testTool("new"), testTool("newer")]);
        return "added";
      }),
    ],
  });
  assert.deepEqual(await session.run("Go."), { kind: "completed" });
  await session.run("And?");
  model.assertPlayed();
  assert.deepEqual(toolNames(model), [
    "add",
    ...Array(3).fill("add,new,newer"),
  ]);
  assert.deepEqual(declaredIn(events), ["+add", "+new,+newer"]);
});

Deno.test("AgentSession asks with the same list of tools while nothing was registered, from run to run", async () => {
  const model = scriptedModel(
    say("", call("a")),
    say("", call("a")),
    say("Done."),
    say("Again."),
  );
  const { session } = sessionWith({ model, tools: [testTool("a")] });
  await session.run("Go.");
  await session.run("And?");
  model.assertPlayed();
  const [first, ...rest] = model.contexts.map(({ tools }) => tools);
  assert(rest.length === 3 && rest.every((tools) => tools === first));
});

Deno.test("AgentSession.registerTools() adds none of a list with a name that is taken", async () => {
  const model = scriptedModel(say("Done."));
  const { session } = sessionWith({ model, tools: [testTool("a")] });
  assert.throws(
    () => session.registerTools([testTool("b"), testTool("a")]),
    (error) =>
      error instanceof ToolContractError &&
      error.code === "DUPLICATE_TOOL_NAME",
  );
  await session.run("Go.");
  model.assertPlayed();
  assert.deepEqual(toolNames(model), ["a"]);
});

Deno.test("AgentSession does not see what a plugin changes about its tool later", async () => {
  const model = scriptedModel(say("", call("a")), say("Done."));
  const tool = testTool("a");
  const { session, events } = sessionWith({ model, tools: [tool] });
  tool.name = "b";
  tool.execute = () => assert.fail("the changed tool ran");
  await session.run("Go.");
  model.assertPlayed();
  const end = events.find(({ type }) => type === "tool_execution_end");
  assert(end?.type === "tool_execution_end" && !end.isError);
});

Deno.test("AgentSession.run() fails for a NonRecoverableToolError", async () => {
  const model = scriptedModel(say("", call("a")));
  const { session } = sessionWith({
    model,
    tools: [
      testTool("a", () => {
        throw new NonRecoverableToolError("The disk is gone");
      }),
    ],
  });
  assert.deepEqual(await session.run("Go."), {
    kind: "failed",
    message: "The disk is gone",
  });
  model.assertPlayed();
});
