import assert from "node:assert/strict";
import { Agent } from "../../src/agent/agent.ts";
import {
  createAgentSession,
  type CreateAgentSessionOptions,
  type EmbeddedSession,
} from "../../src/library/create_agent_session.ts";
import {
  builtinModels,
  ModelRuntime,
} from "../../src/library/model_runtime.ts";
import { type Message, textOf } from "../../src/model/message.ts";
import { Type } from "../../src/model/schema_types.ts";
import {
  defineTool,
  wrapToolDefinition,
} from "../../src/sdk/tool_definition.ts";
import { MemorySession } from "../../src/session/memory_session.ts";
import { createGetWeatherTool } from "../../plugins/get_weather.ts";
import {
  call,
  say,
  type ScriptedModel,
  scriptedModel,
  testModel,
} from "../support/scripted_model.ts";
import {
  say as replies,
  startProviderDouble,
} from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const WEATHER = new URL("../../plugins/get_weather.ts", import.meta.url)
  .pathname;

/** Lends a session in a fresh folder, and disposes of it. */
async function withSession(
  model: ScriptedModel,
  options: Partial<CreateAgentSessionOptions>,
  use: (session: EmbeddedSession, cwd: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (cwd) => {
    await putFiles(cwd, { "note.txt": "alpha\n" });
    const { session } = await createAgentSession({
      model: testModel,
      cwd,
      ...options,
      modelRuntime: await ModelRuntime.create({ streamFn: model }),
    });
    try {
      await use(session, cwd);
      model.assertPlayed();
    } finally {
      await session.dispose();
    }
  });
}

/** What the results of the calls said, in the last request. */
function resultsIn(model: ScriptedModel): unknown[] {
  return (model.contexts.at(-1)?.messages ?? []).filter((
    message,
  ): message is Message & { role: "toolResult" } =>
    message.role === "toolResult"
  ).map(({ toolName, content, details, isError }) => ({
    toolName,
    content,
    details,
    isError,
  }));
}

function toolNames(model: ScriptedModel): string[][] {
  return model.contexts.map(({ tools = [] }) => tools.map(({ name }) => name));
}

Deno.test("a tool gives the same results as a tool of Agent, as a custom tool and as a plugin's", async () => {
  const script = () =>
    scriptedModel(
      say("", call("get_weather", { city: "Oslo" }, { id: "a" })),
      say("", call("get_weather", { city: "Atlantis" }, { id: "b" })),
      say("", call("get_weather", {}, { id: "c" })),
      say("cold"),
    );
  const seen: unknown[][] = [];

  const core = script();
  const tool = wrapToolDefinition(
    createGetWeatherTool(),
    () => ({ cwd: "/" }),
  );
  const agent = new Agent({
    initialState: { model: testModel, tools: [tool] },
    streamFn: core,
  });
  await agent.prompt("How is the weather?");
  core.assertPlayed();
  seen.push(resultsIn(core));

  for (
    const options of [
      { customTools: [createGetWeatherTool()] },
      { plugins: [WEATHER] },
    ]
  ) {
    const model = script();
    await withSession(model, options, async (session) => {
      const outcome = await session.prompt("How is the weather?");
      assert.deepEqual(outcome, { kind: "completed" });
      seen.push(resultsIn(model));
    });
  }
  const [byAgent, byCustom, byPlugin] = seen;
  assert.equal(byAgent?.length, 3);
  assert.deepEqual(
    byAgent?.map((result) => Object(result).isError),
    [false, true, true],
  );
  assert.deepEqual(byCustom, byAgent);
  assert.deepEqual(byPlugin, byAgent);
});

Deno.test("createAgentSession() tells the model of the tools that were chosen, and of others from the next request on", async () => {
  const model = scriptedModel(say("one"), say("two"), say("three"));
  await withSession(model, {
    customTools: [createGetWeatherTool()],
    excludeTools: ["bash", "write"],
  }, async (session) => {
    assert.deepEqual(session.getActiveToolNames(), [
      "read",
      "edit",
      "get_weather",
    ]);
    await session.prompt("one");
    session.setActiveToolsByName(["grep", "bash", "no_such_tool"]);
    assert.deepEqual(session.getActiveToolNames(), ["grep"]);
    await session.prompt("two");
    session.setActiveToolsByName(["read"]);
    await session.prompt("three");
    assert.deepEqual(toolNames(model), [
      ["read", "edit", "get_weather"],
      ["grep"],
      ["read"],
    ]);
  });
});

Deno.test("createAgentSession() keeps tools to an allow list, those of plugins too, and refuses one that does not exist", async () => {
  const model = scriptedModel(say("one"));
  await withSession(model, {
    plugins: [WEATHER],
    tools: ["read"],
  }, async (session) => {
    await session.prompt("one");
    assert.deepEqual(toolNames(model), [["read"]]);
    session.setActiveToolsByName(["read", "get_weather"]);
    assert.deepEqual(session.getActiveToolNames(), ["read"]);
  });
  await assert.rejects(
    withSession(model, { tools: ["raed"] }, () => Promise.resolve()),
    /Unknown tool "raed"/,
  );
});

Deno.test("createAgentSession() goes on with the conversation of its session manager", async () => {
  const sessionManager = new MemorySession();
  const first = scriptedModel(
    say("", call("read", { path: "note.txt" })),
    say("It says alpha."),
  );
  await withSession(first, { sessionManager }, async (session) => {
    await session.prompt("What is in my note?");
  });
  const second = scriptedModel(say("You asked for the note."));
  await withSession(second, { sessionManager }, async (session) => {
    await session.prompt("What did I ask?");
    const said = second.contexts[0]?.messages.map(({ role }) => role)
      .filter((role) => role !== "system");
    assert.deepEqual(said, [
      "user",
      "assistant",
      "toolResult",
      "assistant",
      "user",
    ]);
  });
});

Deno.test("createAgentSession() has its file tools stay in the working folder", async () => {
  const model = scriptedModel(
    say(
      "",
      call("read", { path: "note.txt" }),
      call("read", { path: "/etc/hostname" }),
    ),
    say("ok"),
  );
  await withSession(model, {}, async (session) => {
    await session.prompt("read");
    assert.deepEqual(
      resultsIn(model).map((result) => Object(result).isError),
      [false, true],
    );
  });
});

Deno.test("EmbeddedSession steers a run, tells its listeners in order, and refuses a second run beside it", async () => {
  const model = scriptedModel(
    say("", call("read", { path: "note.txt" })),
    say("ok"),
  );
  await withSession(model, {}, async (session) => {
    const heard: string[] = [];
    let steered: Promise<void> | undefined;
    const stop = session.subscribe((event) => {
      heard.push(event.type);
      if (event.type !== "tool_execution_start") return;
      steered ??= session.steer("Be brief.");
    });
    const running = session.prompt("read");
    assert.equal(session.isRunning, true);
    await assert.rejects(session.prompt("again"), /Wait until the run/);
    await running;
    await steered;
    stop();
    assert.equal(session.isRunning, false);
    assert.equal(heard[0], "agent_start");
    assert.equal(heard.at(-1), "agent_end");
    const last = model.contexts.at(-1)?.messages.at(-1);
    assert.equal(last?.role, "user");
    assert.equal(Object(last).content, "Be brief.");
  });
});

Deno.test("a run whose listener throws has failed, and the session goes on", async () => {
  const model = scriptedModel(say("heard by nobody"), say("heard"));
  await withSession(model, {}, async (session) => {
    const stop = session.subscribe(({ type }) => {
      if (type === "turn_end") throw new Error("listener broke");
    });
    assert.deepEqual(await session.prompt("one"), {
      kind: "failed",
      message: "listener broke",
    });
    stop();
    assert.deepEqual(await session.prompt("two"), { kind: "completed" });
  });
});

Deno.test("EmbeddedSession.abort() ends a tool that waits, and dispose() ends the session", async () => {
  const model = scriptedModel(say("", call("get_weather", { city: "Oslo" })));
  const begun = Promise.withResolvers<void>();
  let isAborted = false;
  const weather = createGetWeatherTool((_city, signal) => {
    begun.resolve();
    return new Promise((_resolve, reject) => {
      signal?.addEventListener("abort", () => {
        isAborted = true;
        reject(signal.reason);
      });
    });
  });
  await withSession(model, { customTools: [weather] }, async (session) => {
    const running = session.prompt("weather");
    await begun.promise;
    session.abort();
    assert.deepEqual(await running, { kind: "aborted" });
    assert.equal(isAborted, true);
    await session.dispose();
    await assert.rejects(session.prompt("more"), /disposed/);
  });
});

Deno.test("createAgentSession() says which plugins it could not load, and asks the user for those that it could", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "broken.ts": "export default 1;",
      "asks.ts": `export default function (tau) {
        tau.on("tool_call", async (_event, ctx) =>
          (await ctx.ui.confirm("Sure?", "")) ? undefined : { block: true, reason: "no" });
        tau.on("before_provider_headers", () => ({ "x-seen": "yes" }));
      }`,
    });
    const model = scriptedModel(
      say("", call("read", { path: "note.txt" })),
      say("ok"),
    );
    const asked: unknown[] = [];
    await withSession(model, {
      plugins: [`${folder}/broken.ts`, `${folder}/asks.ts`],
      ask: (dialog) => {
        asked.push(dialog);
        return Promise.resolve(false);
      },
    }, async (session) => {
      assert.deepEqual(session.pluginEvents.map(({ type }) => type), [
        "plugin_error",
        "plugin_loaded",
      ]);
      await session.prompt("read");
      assert.deepEqual(asked, [{
        kind: "confirm",
        title: "Sure?",
        message: "",
      }]);
      assert.equal(Object(resultsIn(model)[0]).isError, true);
      const { hooks } = model.requests[0]?.options ?? {};
      assert.deepEqual(await hooks?.headers?.({}), { "x-seen": "yes" });
    });
  });
});

Deno.test("createAgentSession() gives custom tools the context of a plugin's tool", async () => {
  const model = scriptedModel(say("", call("probe")), say("ok"));
  const asked: string[] = [];
  const probe = defineTool({
    name: "probe",
    label: "Probe",
    description: "Looks around.",
    parameters: Type.Object({}),
    async execute(_id, _params, _signal, _onUpdate, ctx) {
      const { hasUI, mode, model: { id } } = ctx;
      const isSure = await ctx.ui.confirm("Sure?", "");
      const read = await ctx.executeTool("read", { path: "note.txt" });
      const text = JSON.stringify({ hasUI, mode, id, isSure, read });
      return { content: [{ type: "text", text }] };
    },
  });
  await withSession(model, {
    customTools: [probe],
    ask: ({ title }) => {
      asked.push(title);
      return Promise.resolve(true);
    },
  }, async (session) => {
    await session.prompt("Go.");
  });
  assert.deepEqual(asked, ["Sure?"]);
  assert.match(JSON.stringify(resultsIn(model)), /hasUI.*rpc.*isSure.*alpha/);
});

Deno.test("createAgentSession() shows how a call of the form before is written now, and says that no key is there", async () => {
  await assert.rejects(
    createAgentSession(
      { services: { streamModel: scriptedModel() } } as object,
    ),
    /const \{ session \} = await createAgentSession\(\{ modelRuntime/,
  );
  await assert.rejects(
    createAgentSession({
      modelRuntime: await ModelRuntime.create({ env: {} }),
    }),
    { name: "ModelError", kind: "auth" },
  );
});

Deno.test("ModelRuntime.getModel() knows the models of providers, and streamSimple() asks them with the key of the environment", async () => {
  await using double = startProviderDouble({
    api: "anthropic-messages",
    script: [replies("Hello.")],
  });
  const env = { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: double.url };
  const models = builtinModels({ env });
  assert.equal(models.getModel("anthropic", "no-such-model"), undefined);
  assert.equal(models.getModel("nobody", "claude-sonnet-4-5"), undefined);
  const model = models.getModel("anthropic", "claude-sonnet-4-5");
  assert(model);
  const agent = new Agent({
    initialState: { model },
    streamFn: models.streamSimple,
  });
  await agent.prompt("Hi.");
  const last = agent.state.messages.at(-1);
  assert.equal(last?.role === "assistant" && textOf(last.content), "Hello.");
  assert.equal(double.requests[0]?.headers["x-api-key"], "key");
});
