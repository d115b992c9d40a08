import assert from "node:assert/strict";
import { call, type RecordedRequest, say } from "../support/provider_double.ts";
import { inPlace, readRequest } from "../support/tau_place.ts";
import { jsonLines, type TauRun } from "../support/tau_process.ts";

// deno-lint-ignore no-explicit-any -- lines of JSON of many kinds
type Line = any;

/** What can be seen of two programs from outside of their plugins. */
interface Seen {
  /** The one where nobody answers questions. */
  work: Program & { declared: string[][]; probe: Line; cwd: string };
  /** The one where somebody does, over `tau rpc`. */
  talk: Program & { heard: string[]; code: number };
}

interface Program {
  requests: RecordedRequest[];
  /** Events and records, in their order. */
  lines: Line[];
  /** Entries of the session's file. */
  entries: Line[];
}

/** What shows each member: of all that `deno doc` lists, and of nothing else. */
const SHOWN: Record<string, (seen: Seen) => void> = {
  "PluginAPI.Type": ({ work }) =>
    assert.deepEqual(parametersOf(work, "probe").properties, {
      n: { type: "integer", minimum: 7 },
    }),
  "PluginAPI.defineTool": ({ work }) =>
    assert(work.declared[0]?.includes("probe")),
  "PluginAPI.isToolCallEventType": ({ work }) =>
    assert.equal(work.probe.blocked[0].text, "not that one"),
  "PluginAPI.events": ({ work }) =>
    assert.deepEqual(kept(work, "heard"), [{ n: 7 }]),
  "PluginAPI.on": ({ work }) =>
    assert.equal(work.probe.blocked[0].text, "not that one"),
  "PluginAPI.registerTool": ({ work }) =>
    assert.equal(readRequest(work.requests[2]).last("tool"), "late"),
  "PluginAPI.registerCommand": ({ talk }) =>
    assert.equal(kept(talk, "answers")[0][0], "the words behind it"),
  "PluginAPI.registerFlag": ({ work }) =>
    assert.deepEqual(loaded(work, "work").flags, ["greeting", "server"]),
  "PluginAPI.getFlag": ({ work }) =>
    assert.equal(work.probe.greeting, "set by the user"),
  "PluginAPI.getActiveTools": ({ work }) => {
    assert.deepEqual(work.probe.before, work.declared[0]);
    assert.deepEqual(work.probe.after, ["probe", "late", "read"]);
  },
  "PluginAPI.setActiveTools": ({ work }) =>
    assert.deepEqual(work.declared[1], ["probe", "late", "read"]),
  "PluginAPI.getAllTools": ({ work }) => {
    const all: Line[] = work.probe.all;
    assert.deepEqual(
      all.filter(({ active }) => active).map(({ name, plugin }) => [
        name,
        plugin,
      ]).sort(),
      [["late", "work"], ["probe", "work"], ["read", undefined]].map((pair) =>
        pair.filter((one) => one !== undefined)
      ).map(([name, plugin]) => [name, plugin]),
    );
    assert(all.some(({ name, active }) => name === "bash" && !active));
  },
  "PluginAPI.sendMessage": ({ work }) =>
    assert(saidIn(work.requests[1]).includes("said by the plugin")),
  "PluginAPI.sendUserMessage": ({ work }) => {
    assert(!saidIn(work.requests[2]).includes("said for the user"));
    assert(saidIn(work.requests[3]).includes("said for the user"));
  },
  "PluginAPI.appendEntry": ({ work }) =>
    assert.deepEqual(kept(work, "kept"), [{ n: 7 }]),
  "PluginAPI.exec": ({ work }) => {
    const { stdout, code } = work.probe.exec;
    assert.deepEqual([stdout, code], ["out", 0]);
  },
  "PluginAPI.fetch": ({ work }) =>
    assert.equal(work.probe.fetched, "answer of the server"),
  "PluginAPI.withFileMutationQueue": ({ work }) =>
    assert.deepEqual(work.probe.order, [
      ...["a begins", "a ends", "b begins", "b ends"],
    ]),

  "ToolFactories.createReadToolDefinition": ({ work }) =>
    assert.equal(resultOf(work, "my_read"), "alpha\n"),
  "ToolFactories.createWriteToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_write"), /made\.txt/),
  "ToolFactories.createEditToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_edit"), /edited\.txt/),
  "ToolFactories.createBashToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_bash"), /^hooked/),
  "ToolFactories.createPowerShellToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_powershell"), /^far: Get-Date/),
  "ToolFactories.createGrepToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_grep"), /note\.txt.*alpha/),
  "ToolFactories.createFindToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_find"), /note\.txt/),
  "ToolFactories.createLsToolDefinition": ({ work }) =>
    assert.match(resultOf(work, "my_ls"), /note\.txt/),

  "PluginEventBus.on": ({ work }) =>
    assert.deepEqual(kept(work, "heard"), [{ n: 7 }]),
  "PluginEventBus.emit": ({ work }) =>
    assert.deepEqual(kept(work, "heard"), [{ n: 7 }]),

  "PluginContext.cwd": ({ work }) => assert.equal(work.probe.cwd, work.cwd),
  "PluginContext.mode": ({ work, talk }) => {
    assert.equal(work.probe.mode, "json");
    assert.equal(kept(talk, "where")[0].mode, "rpc");
  },
  "PluginContext.hasUI": ({ work, talk }) => {
    assert.equal(work.probe.hasUI, false);
    assert.equal(kept(talk, "where")[0].hasUI, true);
  },
  "PluginContext.ui": ({ talk }) => assert.equal(questions(talk).length, 4),
  "PluginContext.model": ({ work }) => {
    const { id, provider, baseUrl } = work.probe.model;
    assert.deepEqual([id, provider, baseUrl], ["small", "lab", undefined]);
  },
  "PluginContext.thinkingLevel": ({ work, talk }) => {
    assert.equal(work.probe.thinkingLevel, "high");
    assert.equal(kept(talk, "where")[0].thinkingLevel, "off");
  },
  "PluginContext.signal": ({ talk }) =>
    assert.deepEqual(kept(talk, "aborted"), [true]),
  "PluginContext.sessionManager": ({ work }) =>
    assert.equal(typeof work.probe.session, "string"),
  "PluginContext.isProjectTrusted": ({ work, talk }) => {
    assert.equal(work.probe.isTrusted, true);
    assert.equal(kept(talk, "where")[0].isTrusted, false);
  },
  "PluginContext.isIdle": ({ work, talk }) => {
    assert.equal(work.probe.isIdle, false);
    assert.equal(kept(talk, "where")[0].isIdle, true);
  },
  "PluginContext.hasPendingMessages": ({ work }) =>
    assert.deepEqual(work.probe.pending, [false, true]),
  "PluginContext.abort": ({ talk }) => {
    const { error } = talk.lines.filter(({ type }) => type === "result")[3];
    assert.equal(error.message, "A plugin stopped the run");
  },
  "PluginContext.shutdown": ({ talk }) => assert.equal(talk.code, 0),
  "PluginContext.compact": ({ talk }) => {
    const [start] = talk.lines.filter(({ type }) =>
      type === "compaction_start"
    );
    assert.equal(start?.reason, "manual");
    assert(talk.requests.some(({ text }) => text.includes("Keep names.")));
  },
  "PluginContext.getContextUsage": ({ work, talk }) => {
    const { tokens, contextWindow, percent } = work.probe.usage;
    assert.equal(contextWindow, 32_768);
    assert.equal(percent, 100 * tokens / contextWindow);
    assert.deepEqual(kept(talk, "where")[0].usage, {});
  },
  "PluginContext.getSystemPrompt": ({ work }) => {
    const [first, second] = work.requests.map((request) =>
      String(messagesOf(request)[0]?.content)
    );
    // As the model has read it; the next one follows the tools.
    assert.deepEqual(work.probe.prompts, [first, first]);
    assert.match(first ?? "", /^- bash: /m);
    assert.doesNotMatch(second ?? "", /^- bash: /m);
  },

  "SessionView.getSessionId": ({ work }) =>
    assert.equal(work.probe.session, recordOf(work).sessionId),
  "SessionView.getSessionFile": ({ work }) =>
    assert.equal(work.probe.file, recordOf(work).session.file),
  "SessionView.getEntries": ({ work }) =>
    assert.deepEqual(
      work.probe.entries.filter((one: string) => one !== "system"),
      ["user", "assistant", "kept", "heard"],
    ),

  "PluginToolContext.signal": ({ work }) =>
    assert.deepEqual(work.probe.signals, [true, false]),
  "PluginToolContext.tools": ({ work }) =>
    assert.equal(work.probe.tools[0].text, "alpha\n"),
  "PluginToolContext.executeTool": ({ work }) =>
    assert.equal(work.probe.blocked[0].text, "not that one"),
  // Of ToolContext, but named in the heading.
  "PluginToolContext.sessionEnvironment": ({ work }) =>
    assert.equal(work.probe.environment.TAU_MODEL, "small"),

  "PluginCommandContext.waitForIdle": ({ talk }) => {
    const types = talk.lines.map(({ type }) => type);
    assert(types.indexOf("plugin_notice") > types.indexOf("agent_end"));
  },
  "PluginCommandContext.reload": ({ talk }) =>
    assert.deepEqual(
      talk.lines.filter(({ type, name }) =>
        type === "plugin_loaded" && name === "new"
      ).map(({ tools }) => tools),
      [[], ["added"]],
    ),

  "PluginUi.confirm": ({ talk }) => {
    const { title, message } = questions(talk)[0];
    assert.deepEqual([title, message], ["Confirm", "really?"]);
    assert.equal(kept(talk, "answers")[0][1], true);
  },
  "PluginUi.select": ({ talk }) => {
    assert.deepEqual(questions(talk)[1].options, ["one", "two"]);
    assert.equal(kept(talk, "answers")[0][2], "two");
  },
  "PluginUi.input": ({ talk }) => {
    assert.equal(questions(talk)[2].placeholder, "a word");
    assert.equal(kept(talk, "answers")[0][3], "typed");
  },
  "PluginUi.editor": ({ talk }) => {
    assert.equal(questions(talk)[3].prefill, "draft");
    assert.equal(kept(talk, "answers")[0][4], null);
  },
  "PluginUi.notify": ({ talk }) => {
    const [notice] = talk.lines.filter(({ type }) => type === "plugin_notice");
    const { message, level } = notice;
    assert.deepEqual([message, level], ["idle again", "warning"]);
  },
};

const INTERFACES = [
  "PluginAPI",
  "ToolFactories",
  "PluginEventBus",
  "PluginContext",
  "SessionView",
  "PluginToolContext",
  "PluginCommandContext",
  "PluginUi",
];

const FOLDER = new URL("./members/", import.meta.url).pathname;

Deno.test("each member of the plugin API has an effect that is seen outside the plugin", async (t) => {
  const [members, work, talk] = await Promise.all([
    documentedMembers(INTERFACES),
    workingProgram(),
    talkingProgram(),
  ]);
  const inherited = ["PluginToolContext.sessionEnvironment"];
  assert.deepEqual(
    Object.keys(SHOWN).filter((name) => !inherited.includes(name)).sort(),
    members.sort(),
  );
  for (const [name, show] of Object.entries(SHOWN)) {
    await t.step(name, () => show({ work, talk }));
  }
  await t.step("PluginEvents", async () => {
    const events = await documentedMembers(["PluginEvents"]);
    assert.deepEqual(
      talk.heard.map((name) => `PluginEvents.${name}`).sort(),
      events.sort(),
    );
  });
});

/** Members of the interfaces, as `deno doc` lists them. */
async function documentedMembers(interfaces: string[]): Promise<string[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["doc", "--json", "src/sdk/mod.ts"],
    cwd: new URL("../../", import.meta.url).pathname,
  }).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  const symbols = Object.values(nodes).flatMap((node: Line) => node.symbols);
  return interfaces.flatMap((name) => {
    const symbol: Line = symbols.find((symbol) => symbol.name === name);
    const { methods = [], properties = [] } = symbol.declarations[0].def;
    return [...methods, ...properties].map((member) =>
      `${name}.${member.name}`
    );
  });
}

async function workingProgram(): Promise<Seen["work"]> {
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    () => new Response("answer of the server"),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  let seen: Seen["work"] | undefined;
  const edits = [{ oldText: "old", newText: "new" }];
  await inPlace({
    script: [
      say(
        "",
        call("probe", { n: 7 }),
        call("my_read", { path: "note.txt" }),
        call("my_write", { path: "made.txt", content: "x" }),
        call("my_edit", { path: "edited.txt", edits }),
        call("my_bash", { command: "true" }),
        call("my_powershell", { command: "Get-Date" }),
        call("my_grep", { pattern: "alpha" }),
        call("my_find", { pattern: "note*" }),
        call("my_ls", {}),
      ),
      say("", call("late", {})),
      say("done"),
      say("done again"),
    ],
    files: { "work/edited.txt": "old", "work/private.txt": "secret" },
  }, async ({ ask, requests, cwd }) => {
    const run = await ask([
      ...["--plugin", `${FOLDER}/work.ts`, "--plugin", `${FOLDER}/listen.ts`],
      ...["--plugin-flag", "greeting=set by the user"],
      ...["--plugin-flag", `server=http://${host}/`, `--allow-net=${host}`],
      ...["--trust", "--model", "lab/small:high", "--max-retries", "0"],
      ...["--output-format", "stream-json", "go"],
    ]);
    const program = await programOf(run, requests);
    seen = {
      ...program,
      cwd,
      declared: requests.map((request) => readRequest(request).tools),
      probe: JSON.parse(readRequest(requests[1]).said("tool")[0] ?? run.stderr),
    };
  });
  return seen as Seen["work"];
}

async function talkingProgram(): Promise<Seen["talk"]> {
  let seen: Seen["talk"] | undefined;
  const long = "word ".repeat(4000);
  await inPlace({
    script: [
      say("", call("hold", {})),
      say(long),
      say("", call("stop", {})),
      { status: 400, body: "{}" },
      say("a summary"),
    ],
    plugins: { "new.ts": "export default () => {};" },
  }, async ({ rpc, requests, home, cwd }) => {
    const plugins = ["talk", "listen"].flatMap((
      name,
    ) => ["--plugin", `${FOLDER}/${name}.ts`]);
    await rpc(plugins, async (tau) => {
      const prompt = (id: string, message: string) =>
        tau.send({ id, type: "prompt", message });
      const results = (count: number) =>
        tau.printed(new RegExp(`(?:"type":"result"[^]*){${count}}\n`));
      const answer = async (count: number, given: object) => {
        await tau.printed(
          new RegExp(`(?:"extension_ui_request"[^]*){${count}}\n`),
        );
        const question = linesOf(tau.stdout)
          .filter(({ type }) => type === "extension_ui_request")[count - 1];
        await tau.send({
          type: "extension_ui_response",
          id: question.id,
          ...given,
        });
      };
      await prompt("1", "/where");
      await results(1);
      await prompt("2", "/ask the words behind it");
      await answer(1, { confirmed: true });
      await answer(2, { value: "two" });
      await answer(3, { value: "typed" });
      await answer(4, { cancelled: true });
      await results(2);
      await prompt("3", "go");
      await tau.printed(/"toolName":"hold"/);
      await tau.send({ id: "4", type: "steer", message: "/wait" });
      await tau.printed(/plugin_notice.*\n/);
      await results(3);
      await prompt("5", "stop");
      await results(4);
      await Deno.writeTextFile(
        `${home}/plugins/new.ts`,
        `export default (tau) => tau.registerTool({ name: "added", description: "x", parameters: {}, execute() {} });`,
      );
      await prompt("6", "/reload");
      await results(5);
      await prompt("7", "/shorten");
      await results(6);
      await tau.printed(/"compaction_end".*\n/);
      await prompt("8", "/shorten");
      await results(7);
      await tau.printed(/(?:"compaction_end"[^]*){2}\n/);
      await tau.send(
        { id: "9", type: "bash", command: "true" },
        { id: "10", type: "set_model", provider: "openai", modelId: "gpt-5" },
        { id: "11", type: "set_thinking_level", level: "low" },
      );
      for (const id of ["9", "10", "11"]) {
        await tau.printed(new RegExp(`"type":"response","id":"${id}".*\n`));
      }
      // Nobody ends its stdin.
      await prompt("12", "/leave");
      const run = await tau.ended();
      const program = await programOf(run, requests);
      const heard = JSON.parse(await Deno.readTextFile(`${cwd}/heard.json`));
      seen = { ...program, heard, code: run.code };
    });
  });
  return seen as Seen["talk"];
}

async function programOf(
  run: TauRun,
  requests: RecordedRequest[],
): Promise<Program> {
  assert.deepEqual(requests.map(({ fault }) => fault).filter(Boolean), []);
  assert.equal(run.code, 0, run.stderr);
  const lines: Line[] = jsonLines(run);
  const file = lines.findLast(({ type }) => type === "result")?.session.file;
  const entries = linesOf(await Deno.readTextFile(file));
  return { requests, lines, entries };
}

function linesOf(text: string): Line[] {
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** What plugins appended to the session under a name. */
function kept({ entries }: Program, customType: string): Line[] {
  return entries.filter((entry) => entry.customType === customType)
    .map(({ data }) => data);
}

function questions({ lines }: Program): Line[] {
  return lines.filter(({ type }) => type === "extension_ui_request");
}

function loaded({ lines }: Program, plugin: string): Line {
  return lines.find(({ type, name }) =>
    type === "plugin_loaded" && name === plugin
  );
}

function recordOf({ lines }: Program): Line {
  return lines.findLast(({ type }) => type === "result");
}

/** The text of the result of a tool that was called once. */
function resultOf({ lines }: Program, tool: string): string {
  const end = lines.find(({ type, toolName }) =>
    type === "tool_execution_end" && toolName === tool
  );
  return end.isError
    ? `error: ${end.result.content[0].text}`
    : end.result.content[0].text;
}

function parametersOf({ requests }: Program, tool: string): Line {
  const { tools } = requests[0]?.body as Line;
  return tools.find((one: Line) => one.function.name === tool).function
    .parameters;
}

function messagesOf(request: RecordedRequest | undefined): Line[] {
  return Object(request?.body).messages ?? [];
}

/** All that the user said in a request, as one text. */
function saidIn(request: RecordedRequest | undefined): string {
  return messagesOf(request).filter(({ role }) => role === "user")
    .map(({ content }) => JSON.stringify(content)).join("\n");
}
