import assert from "node:assert/strict";
import type { AgentMessage } from "../../src/agent/agent_message.ts";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import type { SystemMessage } from "../../src/model/message.ts";
import { recordRun, user } from "../support/record_run.ts";
import { call, say, scriptedModel } from "../support/scripted_model.ts";
import { testTool } from "../support/test_tool.ts";
import { assertTranscript } from "../support/transcript.ts";

Deno.test("declareToolChanges() says nothing when the tools are what the transcript declares", async () => {
  const first = await ask("One.", { tools: [testTool("a"), testTool("b")] });
  const second = await ask("Two.", {
    tools: [testTool("b"), testTool("a")],
    history: first,
  });
  assertTranscript(
    second,
    `
    user       Two.
    assistant  Yes.
    `,
  );
});

// The reference compares serialised JSON, so that keys in another order count
// as another tool, which costs the provider's cache of everything after it.
Deno.test("declareToolChanges() does not care about the order of a schema's keys", async () => {
  const parameters = {
    type: "object",
    properties: { x: { type: "string", maxLength: 3 } },
  };
  const reordered = {
    properties: { x: { maxLength: 3, type: "string" } },
    type: "object",
  };
  const first = await ask("One.", {
    tools: [testTool("a", undefined, { parameters })],
  });
  const second = await ask("Two.", {
    tools: [testTool("a", undefined, { parameters: reordered })],
    history: first,
  });
  assert.equal(second[0]?.role, "user");
});

for (
  const { title, change } of [
    { title: "description", change: { description: "Other." } },
    {
      title: "schema",
      change: { parameters: { type: "object", required: ["x"] } },
    },
    {
      title: "constrained sampling",
      change: { constrainedSampling: false as const },
    },
  ]
) {
  Deno.test(`declareToolChanges() removes and adds a tool whose ${title} changed`, async () => {
    const first = await ask("One.", { tools: [testTool("a"), testTool("b")] });
    const second = await ask("Two.", {
      tools: [testTool("a", undefined, change), testTool("b")],
      history: first,
    });
    const [message] = second;
    assert(message?.role === "system");
    assert.deepEqual(message.toolsRemoved, [{ name: "a" }]);
    assert.deepEqual(message.toolsAdded, [
      {
        name: "a",
        description: "Runs a.",
        parameters: { type: "object" },
        ...change,
      },
    ]);
  });
}

Deno.test("declareToolChanges() removes every tool when none is left, or none is given", async () => {
  const first = await ask("One.", { tools: [testTool("a")] });
  for (const options of [{ tools: [] }, {}]) {
    const second = await ask("Two.", { ...options, history: first });
    assertTranscript(second.slice(0, 1), "system     -a");
  }
});

Deno.test("declareToolChanges() sees a tool that was changed in place, and keeps a message that declares nothing", async () => {
  const parameters = { type: "object", properties: { n: { type: "number" } } };
  const tool = { ...testTool("a"), parameters };
  const first = await ask("One.", { tools: [tool] });
  parameters.properties.n.type = "string";
  const second = await ask("Two.", { tools: [tool], history: first });
  assertTranscript(second.slice(0, 1), "system     +a -a");
  const mine = system("Mine.");
  const history = [...first, ...second];
  const third = await ask([mine, user("Three.")], { tools: [tool], history });
  assert.equal(third[0], mine);
});

Deno.test("declareToolChanges() puts the change into the last system message that is pending", async () => {
  const added = await ask([
    system("First.", { toolsAdded: [declaration("a"), declaration("old")] }),
    user("One."),
    // What a host says of tools is put right.
    system("Second.", { toolsAdded: [declaration("made up")] }),
  ], { tools: [testTool("a"), testTool("b")] });
  assertTranscript(
    added,
    `
    system     First. +a +old
    user       One.
    system     Second. +b -old
    assistant  Yes.
    `,
  );
});

Deno.test("declareToolChanges() leaves a pending system message without tool fields when nothing changed", async () => {
  const first = await ask("One.", { tools: [testTool("a")] });
  const more = system("More.", { toolsAdded: [declaration("made up")] });
  const second = await ask([more, user("Two.")], {
    tools: [testTool("a")],
    history: first,
  });
  assertTranscript(
    second,
    `
    system     More.
    user       Two.
    assistant  Yes.
    `,
  );
});

Deno.test("declareToolChanges() changes neither the caller's messages nor its array", async () => {
  const message = Object.freeze(system("Be brief."));
  const prompts = Object.freeze([message, user("One.")]) as AgentMessage[];
  const history: AgentMessage[] = [];
  await ask(prompts, { tools: [testTool("a")], history });
  assert.equal("toolsAdded" in message, false);
  assert.deepEqual(history, []);
});

Deno.test("declareToolChanges() declares tools that a turn added, before the next request", async () => {
  const { messages } = await recordRun("Go.", {
    model: scriptedModel(say("", call("a")), say("So.")),
    tools: [testTool("a")],
    prepareNextTurn: () => ({
      context: {
        messages: [
          system("", { toolsAdded: [declaration("a")] }),
          user("Go on."),
        ],
        tools: [testTool("a"), testTool("b")],
      },
    }),
  });
  assertTranscript(
    messages.slice(-2),
    `
    system     +b
    assistant  So.
    `,
  );
});

/** The messages of a run that is answered with "Yes.". */
async function ask(
  prompt: string | AgentMessage[],
  options: { tools?: AgentTool[]; history?: AgentMessage[] },
): Promise<AgentMessage[]> {
  const { messages } = await recordRun(prompt, {
    model: scriptedModel(say("Yes.")),
    ...options,
  });
  return messages;
}

function system(
  content: string,
  rest: Partial<SystemMessage> = {},
): SystemMessage {
  return { role: "system", content, timestamp: 0, ...rest };
}

function declaration(name: string): {
  name: string;
  description: string;
  parameters: { type: string };
} {
  return { name, description: `Runs ${name}.`, parameters: { type: "object" } };
}
