import assert from "node:assert/strict";
import { atOnce } from "../support/at_once.ts";
import { toolPlugin } from "../support/plugin_world.ts";
import { call, say } from "../support/provider_double.ts";
import { inPlace, readRequest } from "../support/tau_place.ts";
import { jsonLines, lastRecord, type TauRun } from "../support/tau_process.ts";

type Event = { type: string } & Record<string, unknown>;

function eventsOf(run: TauRun, type: string): Event[] {
  return (jsonLines(run) as Event[]).filter((event) => event.type === type);
}

function plugin(...lines: string[]): string {
  return `export default (tau) => {\n${lines.join("\n")}\n};\n`;
}

Deno.test("a plugin of several files, from a folder outside, uses the program's own modules", async () => {
  await inPlace({
    script: [say("", call("big", { n: 2 })), say("ok")],
    files: {
      "elsewhere/whole/mod.ts": `
import { defineTool, Type, type PluginAPI } from "tau";
import { size } from "./parts/size.ts";
export default function (tau: PluginAPI): void {
  const same = tau.Type === Type && tau.defineTool === defineTool;
  tau.registerTool(defineTool({
    name: size,
    label: "x",
    description: "x",
    parameters: Type.Object({ n: Type.Number() }),
    execute: async (_id, { n }, _signal, _onUpdate, ctx) => ({ content: [{ type: "text", text: [n + 1, same, ctx.mode].join(" ") }] }),
  }));
}
`,
      "elsewhere/whole/parts/size.ts": `export const size: string = "big";`,
    },
  }, async ({ ask, request, root }) => {
    const run = await ask(["--plugin", `${root}/elsewhere/whole`, "hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(request(1).last("tool"), "3 true print");
  });
});

Deno.test("--plugin, a trusted project and TAU_HOME are loaded in this order, untrusted projects and --no-plugins not at all", async () => {
  const order = (name: string) =>
    plugin(
      `tau.on("before_agent_start", () => ({ message: { customType: "o", content: "${name}" } }));`,
    );
  const cases: [string[], string[]][] = [
    [["--trust"], ["project", "home"]],
    [["--no-trust"], ["home"]],
    [[], ["home"]],
    [["--trust", "--no-plugins"], []],
    [["--trust", "--plugin", "../named.ts"], ["named", "project", "home"]],
    [["--no-plugins", "--plugin", "../named.ts"], ["named"]],
  ];
  await atOnce(cases, async ([args, expected]) => {
    await inPlace({
      script: [say("ok")],
      plugins: { "a.ts": order("home") },
      files: {
        "work/.tau/plugins/a.ts": order("project"),
        "named.ts": order("named"),
      },
    }, async ({ ask, request }) => {
      const run = await ask([...args, "hi"]);
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(request(0).said("user"), [
        ["hi", ...expected].join("\n\n"),
      ]);
      assert.equal(
        run.stderr.includes("is not trusted"),
        !args.some((arg) => arg.endsWith("trust")),
        run.stderr,
      );
    });
  });
});

Deno.test("--plugin that names nothing is a mistake on the command line", async () => {
  await inPlace({ script: [] }, async ({ ask }) => {
    const run = await ask(["--plugin", "nowhere.ts", "hi"]);
    assert.equal(run.code, 2);
    assert.match(run.stderr, /Cannot load the plugin "nowhere.ts".*not exist/);
  });
});

for (
  const [what, text, reason] of [
    [
      "cannot be read as a program",
      "export default function ( {",
      /Syntax error/,
    ],
    ["throws", `export default () => { throw new Error("no"); };`, /threw: no/],
    ["brings nothing", "export const tools = [];", /no default export/],
  ] as const
) {
  Deno.test(`--plugin that names a plugin which ${what} ends with 2 before anything is asked`, async () => {
    const files = { "my, plugins/x.ts": text, "more/x/index.ts": text };
    await inPlace({ script: [], files }, async ({ ask, requests, root }) => {
      for (const path of [`${root}/more/x`, `${root}/more/x/index.ts`]) {
        const run = await ask(["--plugin", path, "hi"]);
        assert.equal(run.code, 2, run.stderr);
        assert.match(run.stderr, /Nothing is run without the plugin "/);
        assert.match(run.stderr, reason);
      }
      const run = await ask(["--plugin", `${root}/my, plugins/x.ts`, "hi"]);
      assert.equal(run.code, 2);
      assert.match(run.stderr, /Deno grants no path with a comma/);
      assert.equal(requests.length, 0);
    });
  });
}

Deno.test("a plugin of a folder that does not load stops no run", async () => {
  const plugins = { "x.ts": "export default 5;" };
  await inPlace({ script: [say("ok")], plugins }, async ({ ask }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0);
    assert.match(run.stderr, /Plugin "x" is not loaded/);
  });
});

/** A plugin that writes down all that it hears. */
const tracer = `
const EVENTS = ["session_start", "input", "before_agent_start", "agent_start", "agent_end", "agent_settled", "turn_start", "turn_end", "message_start", "message_end", "tool_execution_start", "tool_execution_end", "tool_call", "tool_result", "context", "before_provider_request", "before_provider_headers", "after_provider_response", "session_shutdown"];
export default (tau) => {
  const trace = [];
  for (const name of EVENTS) {
    tau.on(name, (event, ctx) => {
      if (event.partial) return;
      const detail = event.toolName ?? event.turnIndex ?? event.message?.role ?? event.reason ?? event.status;
      trace.push(detail === undefined ? name : name + " " + detail);
      if (name === "session_shutdown") {
        Deno.writeTextFileSync(ctx.cwd + "/trace.txt", [ctx.mode, ctx.hasUI, ...trace].join("\\n"));
      }
      if (name === "tool_call" && event.toolName === "write") throw new Error("guard crashed");
    });
  }
};`;

Deno.test("plugins hear of a run in the order of what happens", async () => {
  await inPlace({
    script: [
      say(
        "",
        call("bash", { command: "sleep 0.2; echo hi" }),
        call("read", { path: "note.txt" }),
        call("write", { path: "x.txt", content: "x" }),
      ),
      say("done"),
    ],
    plugins: { "trace.ts": tracer },
  }, async ({ ask, request, cwd }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    const trace = await Deno.readTextFile(`${cwd}/trace.txt`);
    assert.equal(
      trace,
      `print
false
session_start startup
input
before_agent_start
agent_start
turn_start 0
message_start system
message_end system
message_start user
message_end user
context
before_provider_headers
before_provider_request
after_provider_response 200
message_start assistant
message_end assistant
tool_execution_start bash
tool_call bash
tool_execution_start read
tool_call read
tool_execution_start write
tool_call write
tool_execution_end write
tool_result read
tool_execution_end read
tool_result bash
tool_execution_end bash
message_start toolResult
message_end toolResult
message_start toolResult
message_end toolResult
message_start toolResult
message_end toolResult
turn_end 0
turn_start 1
context
before_provider_headers
before_provider_request
after_provider_response 200
message_start assistant
message_end assistant
turn_end 1
agent_end
agent_settled
session_shutdown quit`,
    );
    assert.equal(request(1).last("tool"), "guard crashed");
    assert.match(run.stderr, /Plugin "trace" .*failed in tool_call: guard/);
    await assert.rejects(Deno.stat(`${cwd}/x.txt`));
  });
});

Deno.test("a gate changes, blocks and asks; where nobody can be asked it refuses", async () => {
  await inPlace({
    script: [
      say("", call("bash", { command: "echo one" })),
      say("", call("bash", { command: "rm -rf all" })),
      say("", call("read", { path: "note.txt" })),
      say("", call("write", { path: "ask.txt", content: "x" })),
      say("done"),
    ],
    plugins: {
      "gate.ts": plugin(
        `tau.on("tool_call", async (event, ctx) => {
  if (tau.isToolCallEventType("bash", event)) {
    if (event.input.command.startsWith("rm")) return { block: true, reason: "no rm here" };
    event.input.command += "; echo two";
  }
  if (event.toolName === "read") event.input.path = { no: 1 };
  if (event.toolName === "write" && !await ctx.ui.confirm("Write?", event.input.path)) {
    return { block: true, reason: ctx.hasUI ? "refused" : "nobody to ask" };
  }
});`,
      ),
    },
  }, async ({ ask, requests, cwd }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    const results = requests.slice(1).map((request) =>
      readRequest(request).last("tool")
    );
    assert.equal(results[0], "one\ntwo\n");
    assert.equal(results[1], "no rm here");
    assert.match(
      results[2] ?? "",
      /^The plugin "gate" changed the arguments\. Validation failed for tool "read":/,
    );
    assert.equal(results[3], "nobody to ask");
    await assert.rejects(Deno.stat(`${cwd}/ask.txt`));
  });
});

Deno.test("a redaction reaches the model, the session file and the events, also while a tool still runs", async () => {
  const redact = `tau.on("tool_result", ({ content, partial }) => ({
  content: content.map((block) => ({ ...block, text: block.text.replaceAll("s3cret", partial ? "(partial)" : "***") })),
}));`;
  await inPlace({
    script: [
      say("", call("bash", { command: "echo s3cret; sleep 0.3; echo more" })),
      say("done"),
    ],
    plugins: { "redact.ts": plugin(redact) },
  }, async ({ ask, request }) => {
    const run = await ask(["--output-format", "stream-json", "hi"]);
    assert.equal(request(1).last("tool"), "***\nmore\n");
    const { session: { file = "" } } = lastRecord(run);
    const stored = await Deno.readTextFile(file);
    const command = "echo s3cret; sleep 0.3; echo more";
    for (const text of [stored, run.stdout]) {
      assert.doesNotMatch(text.replaceAll(command, ""), /s3cret/);
    }
    assert.match(run.stdout, /\(partial\)/);
  });
  await inPlace({
    script: [say("", call("bash", { command: "echo s3cret" })), say("done")],
    plugins: {
      "redact.ts": plugin(
        `tau.on("tool_result", () => { throw new Error("broken"); });`,
      ),
    },
  }, async ({ ask, request }) => {
    await ask(["hi"]);
    assert.match(
      request(1).last("tool"),
      /^The result is withheld: the plugin "redact" failed/,
    );
  });
});

Deno.test("tools that a call activates or registers are declared with the next request, and the result names them", async () => {
  await inPlace({
    script: [
      say("", call("more", {})),
      say("", call("late", {})),
      say("", call("fewer", {})),
      say("done"),
    ],
    plugins: {
      "dynamic.ts": plugin(
        `const tool = (name, execute) => tau.registerTool({ name, description: name, parameters: {}, execute: async () => { execute(); return { content: [{ type: "text", text: name }] }; } });
tool("more", () => { tool("late", () => {}); tau.setActiveTools([...tau.getActiveTools(), "grep", "powershell", "nothing"]); });
tool("fewer", () => tau.setActiveTools(["read"]));`,
      ),
    },
  }, async ({ ask, requests }) => {
    const run = await ask(["--output-format", "stream-json", "hi"]);
    assert.equal(run.code, 0, run.stderr);
    const usual = ["read", "bash", "edit", "write", "more", "fewer"];
    assert.deepEqual(
      requests.map((request) => readRequest(request).tools),
      [
        usual,
        [...usual, "late", "grep"],
        [...usual, "late", "grep"],
        ["read"],
      ],
    );
    const results = eventsOf(run, "tool_execution_end")
      .map(({ result }) => (result as Record<string, unknown>).addedToolNames);
    assert.deepEqual(results, [["late", "grep"], undefined, undefined]);
  });
});

Deno.test("an allow list makes inactive what it does not name, tools of plugins too", async () => {
  const plugins = {
    "a.ts": plugin(
      `for (const name of ["one", "two"]) tau.registerTool({ name, description: name, parameters: {}, execute: async () => { tau.setActiveTools(["read", "one", "two", "bash"]); return { content: [] }; } });`,
    ),
  };
  await atOnce(["option", "settings"], async (by) => {
    await inPlace({
      script: [say("", call("one", {})), say("done")],
      plugins,
      settings: by === "settings" ? { tools: ["read", "one"] } : {},
    }, async ({ ask, requests }) => {
      const run = await ask(
        by === "option" ? ["-t", "read,one", "hi"] : ["hi"],
      );
      assert.equal(run.code, 0, run.stderr);
      for (const request of requests) {
        assert.deepEqual(readRequest(request).tools, ["read", "one"]);
      }
    });
  });
});

Deno.test("a tool that --tools names is active once a plugin registers it, and one of --exclude-tools never", async () => {
  const plugins = {
    "a.ts": plugin(
      `const tool = (name) => ({ name, description: name, parameters: {}, execute: async () => ({ content: [] }) });
      tau.registerTool(tool("one"));
      tau.on("session_start", () => { tau.registerTool(tool("late")); tau.registerTool(tool("later")); tau.setActiveTools(["read", "late", "later", "bash"]); });`,
    ),
  };
  const script = [say("done")];
  await inPlace({ script, plugins }, async ({ ask, request }) => {
    const run = await ask(["-t", "read,late,never", "hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /tau: There is no tool "never", unless a plugin/);
    assert.deepEqual(request(0).tools, ["read", "late"]);
  });
  await inPlace({ script, plugins }, async ({ ask, request }) => {
    const run = await ask(["--exclude-tools", "bash,late", "hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(request(0).tools, ["read", "later"]);
  });
});

Deno.test("a plugin replaces a built-in tool with override alone, and can call the one that it replaces", async () => {
  await inPlace({
    script: [
      say("", call("read", { path: "note.txt" })),
      say("", call("bash", { command: "echo $MARK" })),
      say("done"),
    ],
    plugins: {
      "a.ts": toolPlugin("write", "never"),
      "b.ts": plugin(
        `const read = tau.createReadToolDefinition();
tau.registerTool({ ...read, execute: async (...call) => {
  const result = await read.execute(...call);
  return { ...result, content: [{ type: "text", text: "mine: " + result.content[0].text }] };
} }, { override: true });
tau.registerTool(tau.createBashToolDefinition({ spawnHook: (spawn) => ({ ...spawn, env: { ...spawn.env, MARK: "hooked" } }) }), { override: true });`,
      ),
    },
  }, async ({ ask, request }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(request(1).last("tool"), "mine: alpha\n");
    assert.equal(request(2).last("tool"), "hooked\n");
    assert.match(
      run.stderr,
      /Plugin "a" .*"write" is left out: there is a built-in/,
    );
  });
});

Deno.test("schemas that a provider refuses never make it refuse a request", async () => {
  const schemas: Record<string, string> = {
    t1:
      `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object","properties":{"b":{"type":"number"}}}]}`,
    t2:
      `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"$ref":"#/$defs/B"}}},"B":{"type":"string"}}}`,
    t3: `{"type":"string"}`,
    t4: `{}`,
    t5: `{"type":"object","properties":{"n":{"$ref":"#"}}}`,
    t6: `{"type":"object","properties":{"ok":{"type":"boolean"}}}`,
  };
  await inPlace({
    script: [say("", call("t6", { ok: true })), say("done")],
    plugins: {
      "schemas.ts": plugin(
        ...Object.entries(schemas).map(([name, schema]) =>
          `tau.registerTool({ name: "${name}", description: "x", parameters: ${schema}, execute: async (_id, args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }) });`
        ),
      ),
    },
  }, async ({ ask, request }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(request(1).last("tool"), '{"ok":true}');
    assert.doesNotMatch(request(0).text, /\$ref/);
    assert.match(run.stderr, /"schemas".*"t3" is left out/);
    assert.match(run.stderr, /"schemas".*"t5" is left out/);
  });
});

Deno.test("what a plugin keeps in the session is there when it goes on", async () => {
  await inPlace({
    script: [say("", call("note", { text: "one" })), say("ok"), say("ok")],
    plugins: {
      "todo.ts": plugin(
        `let notes = [];
tau.on("session_start", ({ reason }, ctx) => {
  for (const entry of ctx.sessionManager.getEntries()) if (entry.type === "custom" && entry.customType === "note") notes.push(entry.data.text);
  if (reason === "resume") ctx.ui.notify("notes: " + notes.join() + " of " + ctx.sessionManager.getEntries().filter((entry) => entry.type === "message").length + " messages", "warning");
});
tau.registerTool({ name: "note", description: "x", parameters: tau.Type.Object({ text: tau.Type.String() }), execute: async (_id, { text }) => {
  tau.appendEntry("note", { text });
  return { content: [{ type: "text", text: "kept" }] };
} });`,
      ),
    },
  }, async ({ ask }) => {
    const first = await ask(["--output-format", "stream-json", "hi"]);
    assert.deepEqual(eventsOf(first, "custom_entry"), [
      { type: "custom_entry", customType: "note", data: { text: "one" } },
    ]);
    const second = await ask(["-c", "go on"]);
    assert.match(second.stderr, /todo: notes: one of \d+ messages/);
  });
});

Deno.test("input handlers, commands and messages of plugins change what is said", async () => {
  const plugins = {
    "say.ts": plugin(
      `tau.on("input", ({ text, source }) => text === "stop" ? { action: "handled" } : { action: "transform", text: text.toUpperCase() + " " + source });
tau.registerCommand("review", { handler(args, ctx) { tau.sendUserMessage("Review " + args); tau.sendMessage({ customType: "hint", content: "be kind", details: { n: 1 } }); } });
tau.registerCommand("quiet", { handler() {} });
tau.on("before_agent_start", ({ systemPrompt }) => ({ systemPrompt: systemPrompt + "\\nSpeak like a pirate." }));
tau.on("context", ({ messages }) => ({ messages: messages.map((m) => m.role === "user" && m.content === "HI prompt" ? { ...m, content: "in context" } : m) }));
tau.on("message_end", ({ message }) => message.role === "assistant" ? { message: { ...message, content: [{ type: "text", text: "changed answer" }] } } : undefined);`,
    ),
  };
  const cases: [string, string[] | undefined, string][] = [
    ["hi", ["in context"], "changed answer\n"],
    ["/review a.ts", ["Review a.ts\n\nbe kind"], "changed answer\n"],
    ["/quiet", undefined, "\n"],
    ["stop", undefined, "\n"],
  ];
  await atOnce(cases, async ([prompt, said, answer]) => {
    await inPlace({
      script: [say("an answer"), say("an answer")],
      plugins,
    }, async (
      { ask, request, requests },
    ) => {
      const run = await ask(["--output-format", "json", prompt]);
      assert.equal(run.code, 0, run.stderr);
      assert.equal(`${lastRecord(run).text}\n`, answer);
      if (said === undefined) return assert.deepEqual(requests, []);
      assert.deepEqual(request(0).said("user"), said);
      assert.match(request(0).system, /Speak like a pirate\.$/);
      const stored = await Deno.readTextFile(
        lastRecord(run).session.file ?? "",
      );
      assert.match(stored, /changed answer/);
      assert.doesNotMatch(stored, /"an answer"|pirate/);
    });
  });
});

Deno.test("plugins see and change requests to the provider, and no key", async () => {
  await inPlace({
    script: [say("ok")],
    plugins: {
      "provider.ts": plugin(
        `const seen = {};
tau.on("before_provider_headers", ({ headers }) => { seen.headers = headers; return { "x-team": "blue" }; });
tau.on("before_provider_headers", () => ({ authorization: "Bearer mine" }));
tau.on("before_provider_request", ({ payload }) => ({ ...payload, temperature: 0.25 }));
tau.on("after_provider_response", ({ status, headers }) => { seen.status = status; seen.type = headers["content-type"]; });
tau.on("session_shutdown", (_event, ctx) => Deno.writeTextFileSync(ctx.cwd + "/seen.json", JSON.stringify({ ...seen, model: ctx.model, env: (() => { try { return Deno.env.has("LAB_KEY"); } catch { return false; } })() })));`,
      ),
    },
  }, async ({ ask, requests, cwd, env }) => {
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    const [{ body, headers } = assert.fail()] = requests;
    assert.equal((body as { temperature: number }).temperature, 0.25);
    assert.equal(headers["x-team"], "blue");
    assert.equal(headers.authorization, `Bearer ${env.LAB_KEY}`);
    const seen = await Deno.readTextFile(`${cwd}/seen.json`);
    assert.doesNotMatch(seen, /CANARY/);
    const { status, type, env: hasKey, model } = JSON.parse(seen);
    assert.deepEqual([status, hasKey, model.id, model.baseUrl], [
      200,
      false,
      "small",
      undefined,
    ]);
    assert.match(type, /event-stream/);
  });
});

Deno.test("a plugin's tool runs programs, calls other tools and asks servers within the run's rights", async () => {
  await inPlace({
    script: [say("", call("all", {})), say("ok")],
    plugins: {
      "all.ts": plugin(
        `tau.on("tool_call", ({ toolName, toolCallId, parentToolCallId }) => { if (parentToolCallId) tau.appendEntry("nested", [toolName, toolCallId === parentToolCallId + "/1"]); });
tau.registerTool({ name: "all", description: "x", parameters: {}, execute: async (id, _args, signal, onUpdate, ctx) => {
  const out = [];
  const { stdout, code, killed } = await tau.exec("sh", ["-c", "echo $0 $PWD; exit 3", "a b"]);
  out.push(stdout.trim().replace(ctx.cwd, "CWD"), code, killed);
  out.push((await tau.exec("yes", [], { maxBytes: 4, timeoutMs: 200 })).truncated);
  out.push(await tau.exec("true", [], { cwd: ".." }).catch((error) => error.name));
  out.push((await ctx.tools.read({ path: "note.txt" })).content[0].text.trim());
  out.push((await ctx.executeTool("nothing", {})).isError);
  out.push(await tau.fetch("http://127.0.0.1:9/").catch((error) => error.message));
  out.push(ctx.isIdle(), ctx.isProjectTrusted(), tau.getAllTools().find(({ name }) => name === "all").plugin);
  out.push(ctx.getContextUsage().contextWindow, ctx.getSystemPrompt().startsWith("You are tau"), ctx.thinkingLevel, ctx.hasPendingMessages());
  return { content: [{ type: "text", text: JSON.stringify(out) }] };
} });`,
      ),
    },
  }, async ({ ask, request }) => {
    const run = await ask(["--output-format", "stream-json", "hi"]);
    assert.equal(run.code, 0, run.stderr);
    const [
      said,
      code,
      killed,
      truncated,
      outside,
      read,
      unknown,
      asked,
      ...is
    ] = JSON.parse(request(1).last("tool"));
    assert.deepEqual([said, code, killed, truncated, read, unknown], [
      ...["a b CWD", 3, false, true, "alpha", true],
    ]);
    assert.match(outside, /^(?:PermissionDenied|NotCapable)$/);
    assert.match(asked, /does not grant the host 127\.0\.0\.1:9/);
    assert.deepEqual(is, [false, false, "all", 32768, true, "off", false]);
    assert.deepEqual(eventsOf(run, "custom_entry").map(({ data }) => data), [
      ["read", true],
    ]);
  });
});

Deno.test("a plugin that hands over nonsense of any size ends no run", async () => {
  await inPlace({
    script: [say("", call("odd", {})), say("ok")],
    plugins: {
      "odd.ts": plugin(
        `const big = "x".repeat(2e6);
tau.registerTool({ name: big, description: "x", parameters: {}, execute() {} });
tau.registerTool({ name: "odd", description: "x", parameters: {}, execute: async (_id, _args, _signal, onUpdate, ctx) => {
  const failed = [];
  for (const act of [
    () => onUpdate(7),
    () => onUpdate({ content: [], usage: 5 }),
    () => onUpdate({ content: [], usage: { input: 1.5 } }),
    () => tau.sendMessage({ customType: "", content: "x" }),
    () => tau.sendMessage({ customType: "x", content: 5 }),
    () => tau.sendUserMessage([{ type: "video" }]),
    () => tau.appendEntry("x", big + big),
    () => tau.setActiveTools("read"),
    () => tau.sendMessage({ customType: "x", content: [5] }),
    () => tau.fetch("nowhere", { timeoutMs: NaN }),
    () => tau.fetch("http://127.0.0.1:9", { body: new Uint8Array(2e6) }),
    () => tau.exec("true", "no list"),
    () => ctx.executeTool("read", { path: 5n }),
  ]) try { await act(); failed.push(false); } catch { failed.push(true); }
  ctx.ui.notify(big);
  console.log("printed without a line break".repeat(3));
  Deno.stderr.writeSync(new TextEncoder().encode("half a line"));
  return { content: [{ type: "text", text: JSON.stringify(failed) }], details: { big: "x".repeat(1e5) } };
} });
tau.on("context", ({ messages }) => ({ messages: [...messages, { role: "toolResult", content: [] }] }));
tau.on("context", () => ({ messages: [{ role: "user", content: [{ type: "video" }] }] }));
tau.on("tool_execution_start", () => { throw { toString() { throw 1; } }; });
tau.on("agent_end", () => { throw new Error(big); });
tau.on("turn_start", () => Object.create(null, { then: { get() { throw new Error("trap"); } } }));`,
      ),
    },
  }, async ({ ask, request }) => {
    const run = await ask(["--output-format", "stream-json", "hi"]);
    assert.equal(run.code, 0, run.stderr.slice(0, 2000));
    assert.equal(lastRecord(run).text, "ok");
    assert.deepEqual(
      JSON.parse(request(1).last("tool")),
      [...Array(12).fill(true), false],
    );
    assert(run.stderr.length < 300_000, `${run.stderr.length} on stderr`);
  });
});

Deno.test("a promise that a plugin does not await and a timer that throws end no run", async () => {
  await inPlace({
    script: [say("", call("bash", { command: "sleep 0.2" })), say("ok")],
    plugins: {
      "forgets.ts": plugin(
        `setTimeout(() => { throw new Error("late"); }, 0);`,
        `tau.on("tool_call", () => { (async () => { throw new Error("lost"); })(); tau.exec("no-such-program", []); });`,
      ),
      "import.ts":
        `Promise.reject(new Error("early")); export default () => {};`,
    },
  }, async ({ ask }) => {
    const run = await ask(["--output-format", "stream-json", "hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(lastRecord(run).text, "ok");
    const told = eventsOf(run, "plugin_error").map(({ name, message }) =>
      `${name}: ${String(message).split(/ \(|;/)[0]}`
    );
    assert.deepEqual(told.sort(), [
      `forgets: Failed to spawn 'no-such-program': entity not found`,
      "forgets: late",
      "forgets: lost",
      "import: early",
    ]);
  });
});

Deno.test("plugins that are links are loaded, from outside too", async () => {
  await inPlace({
    script: [say("", call("file", {}), call("folder", {})), say("ok")],
    files: {
      "dotfiles/file.ts": toolPlugin("file", "a file"),
      "dotfiles/whole/mod.ts":
        `import { V } from "./v.ts"; export default (tau) => tau.registerTool({ name: "folder", description: "x", parameters: {}, execute: async () => ({ content: [{ type: "text", text: V }] }) });`,
      "dotfiles/whole/v.ts": `export const V = "a folder";`,
      "home/plugins/readme.md": "",
    },
  }, async ({ ask, request, root }) => {
    const link = (name: string) =>
      Deno.symlink(`${root}/dotfiles/${name}`, `${root}/home/plugins/${name}`);
    await Promise.all(["file.ts", "whole", "gone.ts"].map(link));
    const run = await ask(["hi"]);
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(request(1).said("tool"), ["a file", "a folder"]);
    assert.match(run.stderr, /"gone" is not loaded .*leads to nothing/);
  });
});
