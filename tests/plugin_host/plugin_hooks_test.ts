import assert from "node:assert/strict";
import type { AgentToolResult } from "../../src/agent/agent_tool.ts";
import { withPlugins } from "../support/plugin_world.ts";

/** A plugin with handlers, by their events. */
function plugin(handlers: Record<string, string>): string {
  const lines = Object.entries(handlers).map(([event, handler]) =>
    `tau.on("${event}", ${handler});`
  );
  return `export default (tau) => {\n${lines.join("\n")}\n};`;
}

const CALL = {
  toolName: "bash",
  toolCallId: "c1",
  input: { command: "rm -rf /" },
};

function textResult(text: string): AgentToolResult {
  return { content: [{ type: "text", text }] };
}

Deno.test("toolCall() lets handlers change the input in order, and names who did", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        tool_call: "(event) => { event.input.command += ' # a'; }",
      }),
      "b.ts": plugin({ tool_call: "() => undefined" }),
      "c.ts": plugin({
        tool_call:
          "async (event) => { event.input.command += ' # c'; return {}; }",
      }),
    },
  }, async ({ host, marks }) => {
    assert.deepEqual(await host.hooks.toolCall(CALL), {
      block: false,
      input: { command: "rm -rf / # a # c" },
      changedBy: ["a", "c"],
    });
    assert.deepEqual(CALL.input, { command: "rm -rf /" });
    assert.deepEqual(marks.slice(-6), ["+a", "-a", "+b", "-b", "+c", "-c"]);
  });
});

Deno.test("toolCall() blocks with the first reason, and later handlers are not asked", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        tool_call: "() => ({ block: true, reason: 'no', terminate: true })",
      }),
      "b.ts": plugin({ tool_call: "() => { throw new Error('asked'); }" }),
    },
  }, async ({ host, faults }) => {
    assert.deepEqual(await host.hooks.toolCall(CALL), {
      block: true,
      reason: "no",
      terminate: true,
    });
    assert.deepEqual(faults, []);
  });
});

const crashes: [string, string, RegExp][] = [
  ["throws", "() => { throw new Error('guard crashed'); }", /^guard crashed$/],
  [
    "throws no error",
    "() => { throw 'odd'; }",
    /^Plugin failed, blocking execution: odd$/,
  ],
  ["rejects", "() => Promise.reject(new Error('later'))", /^later$/],
  [
    "does not answer",
    "() => new Promise(() => {})",
    /"guard" blocks the call: it did not answer within 0.02 s/,
  ],
  ["returns nonsense", "() => ({ block: 'yes' })", /neither true nor false/],
  ["returns a text", "() => 'block'", /where an object is wanted/],
  [
    "makes the input no JSON",
    "(event) => { event.input.self = event.input; }",
    /cannot be written as JSON/,
  ],
];

for (const [what, handler, reason] of crashes) {
  Deno.test(`toolCall() blocks when a handler ${what}`, async () => {
    await withPlugins({
      handlerDeadlineMs: 20,
      plugins: { "guard.ts": plugin({ tool_call: handler }) },
    }, async ({ host, faults }) => {
      const decision = await host.hooks.toolCall(CALL);
      assert(decision.block);
      assert.match(decision.reason, reason);
      assert.deepEqual(faults.map(({ plugin, during }) => [plugin, during]), [
        ["guard", "tool_call"],
      ]);
    });
  });
}

Deno.test("toolResult() chains what handlers replace, and forgets the file with the full output", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        tool_result:
          "({ content }) => ({ content: [{ type: 'text', text: content[0].text.replace('secret', '***') }] })",
      }),
      "b.ts": plugin({
        tool_result:
          "({ content, isError }) => ({ isError: !isError, usage: undefined, structuredContent: content[0].text })",
      }),
    },
  }, async ({ host }) => {
    const result = {
      ...textResult("a secret"),
      details: { fullOutputPath: "/tmp/all", truncation: null },
      structuredContent: { output: "a secret" },
    };
    assert.deepEqual(
      await host.hooks.toolResult({ ...CALL, partial: false }, {
        result,
        isError: false,
      }),
      {
        result: {
          content: [{ type: "text", text: "a ***" }],
          details: { truncation: null },
          structuredContent: "a ***",
        },
        isError: true,
        isReplaced: true,
      },
    );
  });
});

for (
  const handler of [
    "() => { throw new Error('broken'); }",
    "() => ({ content: 'broken' })",
    "() => new Promise(() => {})",
  ]
) {
  Deno.test(`toolResult() withholds what a handler failed to look at: ${handler}`, async () => {
    await withPlugins({
      handlerDeadlineMs: 20,
      plugins: { "redact.ts": plugin({ tool_result: handler }) },
    }, async ({ host, faults }) => {
      const seen = await host.hooks.toolResult(
        { ...CALL, partial: true },
        { result: textResult("a secret"), isError: false },
      );
      assert.equal(seen.isError, true);
      assert.doesNotMatch(JSON.stringify(seen), /secret/);
      assert.match(
        JSON.stringify(seen.result.content),
        /withheld: the plugin \\"redact\\" failed/,
      );
      assert.equal(faults.length, 1);
    });
  });
}

const ORDINARY: Record<
  string,
  (world: {
    host: {
      hooks: import("../../src/plugin_host/plugin_hooks.ts").PluginHooks;
    };
  }) => Promise<unknown>
> = {
  input: ({ host }) =>
    host.hooks.input({ text: "hi", images: [], source: "prompt" }),
  before_agent_start: ({ host }) =>
    host.hooks.beforeAgentStart({
      prompt: "hi",
      images: [],
      systemPrompt: "s",
    }),
  context: ({ host }) =>
    host.hooks.context([{ role: "user", content: "hi", timestamp: 1 }]),
  message_end: ({ host }) =>
    host.hooks.messageEnd({ role: "user", content: "hi", timestamp: 1 }),
  before_provider_request: ({ host }) => host.hooks.providerRequest({ n: 1 }),
  before_provider_headers: ({ host }) => host.hooks.providerHeaders({ a: "b" }),
  session_before_compact: ({ host }) =>
    host.hooks.beforeCompact({ reason: "manual", tokens: 1, messages: [] }),
};

for (const [event, ask] of Object.entries(ORDINARY)) {
  Deno.test(`a handler of ${event} that fails is reported and changes nothing`, async () => {
    let untouched: unknown;
    await withPlugins({ plugins: {} }, async (world) => {
      untouched = await ask(world);
    });
    const bad = [
      "() => { throw new Error('x'); }",
      "() => 42",
      "() => [1]",
      "() => new Promise(() => {})",
    ];
    await withPlugins({
      handlerDeadlineMs: 20,
      plugins: Object.fromEntries(
        bad.map((handler, i) => [`p${i}.ts`, plugin({ [event]: handler })]),
      ),
    }, async (world) => {
      assert.deepEqual(await ask(world), untouched);
      assert.deepEqual(
        world.faults.map(({ plugin, during }) => `${plugin} ${during}`),
        bad.map((_, i) => `p${i} ${event}`),
      );
    });
  });
}

Deno.test("input() chains changes and stops when a handler deals with it", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        input: "({ text }) => ({ action: 'transform', text: text + '!' })",
      }),
      "b.ts": plugin({
        input:
          "({ text }) => text === 'stop!' ? { action: 'handled' } : { action: 'continue' }",
      }),
      "c.ts": plugin({
        input: "({ text }) => ({ action: 'transform', text: text + '?' })",
      }),
    },
  }, async ({ host }) => {
    const said = { images: [], source: "prompt" as const };
    assert.deepEqual(await host.hooks.input({ ...said, text: "go" }), {
      text: "go!?",
      images: [],
    });
    assert.equal(await host.hooks.input({ ...said, text: "stop" }), undefined);
  });
});

Deno.test("beforeAgentStart() gathers messages and lets each handler see the prompt so far", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        before_agent_start:
          "({ systemPrompt }) => ({ systemPrompt: systemPrompt + ' a', message: { customType: 'n', content: 'first' } })",
      }),
      "b.ts": plugin({
        before_agent_start:
          "({ systemPrompt }) => ({ systemPrompt: systemPrompt + ' b', message: { customType: 'n', content: 'second', display: false } })",
      }),
    },
  }, async ({ host }) => {
    assert.deepEqual(
      await host.hooks.beforeAgentStart({
        prompt: "p",
        images: [],
        systemPrompt: "s",
      }),
      {
        systemPrompt: "s a b",
        messages: [
          { customType: "n", content: "first", display: true },
          { customType: "n", content: "second", display: false },
        ],
      },
    );
  });
});

Deno.test("context() keeps messages that came back as they were the same objects", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        context: "({ messages }) => ({ messages: messages.slice(1) })",
      }),
    },
  }, async ({ host }) => {
    const messages = ["one", "two"].map((content) => ({
      role: "user" as const,
      content,
      timestamp: 1,
    }));
    const sent = await host.hooks.context(messages);
    assert.equal(sent.length, 1);
    assert.equal(sent[0], messages[1]);
  });
});

Deno.test("messageEnd() takes new content, and neither another role nor other calls", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        message_end: `({ message }) => {
  if (message.role === "user") return { message: { ...message, content: "changed", timestamp: 5 } };
  if (message.content.length === 2) return { message: { ...message, content: message.content.slice(0, 1) } };
  return { message: { ...message, role: "user" } };
}`,
      }),
    },
  }, async ({ host, faults }) => {
    const user = { role: "user", content: "hi", timestamp: 1 } as const;
    assert.deepEqual(await host.hooks.messageEnd(user), {
      role: "user",
      content: "changed",
      timestamp: 1,
    });
    const usage = {
      input: 0,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 0,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    };
    const answer = {
      role: "assistant" as const,
      content: [
        { type: "text" as const, text: "x" },
        { type: "toolCall" as const, id: "1", name: "read", arguments: {} },
      ],
      api: "openai-completions" as const,
      provider: "p",
      model: "m",
      usage,
      stopReason: "toolUse" as const,
      timestamp: 1,
    };
    assert.equal(await host.hooks.messageEnd(answer), answer);
    const short = { ...answer, content: answer.content.slice(0, 1) };
    assert.equal(await host.hooks.messageEnd(short), short);
    assert.deepEqual(faults.map(({ message }) => message), [
      "it changed the calls of the message; they are changed in tool_call",
      'it returned a message of the role "user" for one of the role "assistant"',
    ]);
  });
});

Deno.test("providerHeaders() adds headers and refuses those of credentials", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        before_provider_headers: "() => ({ 'X-Team': 'a' })",
      }),
      "b.ts": plugin({
        before_provider_headers: "() => ({ Authorization: 'Bearer stolen' })",
      }),
      "c.ts": plugin({
        before_provider_headers:
          "({ headers }) => ({ 'x-seen': Object.keys(headers).join() })",
      }),
      "d.ts": plugin({
        before_provider_headers: "() => ({ 'x-line': 'a\\nb' })",
      }),
      "e.ts": plugin({
        before_provider_headers: "() => ({ 'x\\u0001': 'a' })",
      }),
    },
  }, async ({ host, faults }) => {
    assert.deepEqual(await host.hooks.providerHeaders({ accept: "x" }), {
      "X-Team": "a",
      "x-seen": "accept,X-Team",
    });
    assert.deepEqual(faults.map(({ message }) => message), [
      'it may not set the header "Authorization"',
      'the header "x-line" holds what no request can send',
      'the header "x\\u0001" holds what no request can send',
    ]);
  });
});

Deno.test("userBash() takes the first answer, and a handler that fails gives the command up", async () => {
  const event = { command: "ls", excludeFromContext: false, cwd: "/" };
  await withPlugins({
    plugins: {
      "a.ts": plugin({ user_bash: "() => {}" }),
      "b.ts": plugin({
        user_bash: "({ command }) => ({ output: 'not ' + command })",
      }),
      "c.ts": plugin({ user_bash: "() => { throw new Error('asked'); }" }),
    },
  }, async ({ host }) => {
    assert.deepEqual(await host.hooks.userBash(event), {
      output: "not ls",
      isError: false,
    });
  });
  await withPlugins({
    plugins: {
      "a.ts": plugin({ user_bash: "() => { throw new Error('no'); }" }),
    },
  }, async ({ host }) => {
    await assert.rejects(host.hooks.userBash(event), {
      message: 'The plugin "a" gave the command up: no',
    });
  });
  await withPlugins({
    handlerDeadlineMs: 20,
    plugins: { "a.ts": plugin({ user_bash: "() => new Promise(() => {})" }) },
  }, async ({ host }) => {
    await assert.rejects(host.hooks.userBash(event), {
      message: /^The plugin "a" gave the command up: .* within 0\.02 s/,
    });
  });
});

Deno.test("notify() gives each handler a copy, and runs the list of when it began", async () => {
  await withPlugins({
    plugins: {
      "a.ts": `export default (tau) => {
  tau.on("message_start", (event) => {
    event.message.content = "spoiled";
    tau.on("message_start", () => tau.appendEntry("late"));
  });
  tau.on("message_start", (event) => tau.appendEntry("seen", event.message.content));
};`,
    },
  }, async ({ host, calls }) => {
    const message = { role: "user", content: "hi", timestamp: 1 } as const;
    await host.hooks.notify({ type: "message_start", message });
    assert.deepEqual(calls, [["appendEntry", "seen", "hi"]]);
    await host.hooks.notify({ type: "message_start", message });
    assert.deepEqual(calls.slice(1), [
      ["appendEntry", "seen", "hi"],
      ["appendEntry", "late", undefined],
    ]);
    assert.equal(message.content, "hi");
  });
});

Deno.test("a handler's time stands still while the user is asked", async () => {
  const answer = Promise.withResolvers<boolean>();
  await withPlugins({
    handlerDeadlineMs: 20,
    hasUI: true,
    ask: () => answer.promise,
    plugins: {
      "a.ts": plugin({
        tool_call:
          "async (_event, ctx) => ({ block: !await ctx.ui.confirm('Sure?', 'Really?') })",
        ui_prompt_start:
          "({ kind, title }) => tau.appendEntry('start', kind + title)",
        ui_prompt_end: "() => tau.appendEntry('end')",
      }),
    },
  }, async ({ host, calls }) => {
    const decision = host.hooks.toolCall(CALL);
    // Past the deadline by far.
    await new Promise((resolve) => setTimeout(resolve, 60));
    answer.resolve(true);
    assert.deepEqual(await decision, {
      block: false,
      input: CALL.input,
      changedBy: [],
    });
    await new Promise((resolve) => setTimeout(resolve, 0));
    assert.deepEqual(calls, [
      ["appendEntry", "start", "confirmSure?"],
      ["appendEntry", "end", undefined],
    ]);
  });
});

Deno.test("ctx.ui answers no where nobody can answer", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        agent_start: `async (_event, ctx) => {
  tau.appendEntry("answers", [
    ctx.hasUI,
    await ctx.ui.confirm("a", "b"),
    await ctx.ui.select("a", ["b"]) ?? null,
    await ctx.ui.input("a") ?? null,
    await ctx.ui.editor("a") ?? null,
  ]);
}`,
      }),
    },
  }, async ({ host, calls }) => {
    await host.hooks.notify({ type: "agent_start" });
    assert.deepEqual(calls, [
      ["appendEntry", "answers", [false, false, null, null, null]],
    ]);
  });
});

Deno.test("contexts are of no use once their plugin is unloaded", async () => {
  await withPlugins({
    plugins: {
      "a.ts": plugin({
        agent_start: "(_event, ctx) => { globalThis.oldContext = ctx; }",
      }),
    },
  }, async ({ host }) => {
    await host.hooks.notify({ type: "agent_start" });
    const { oldContext } = globalThis as unknown as {
      oldContext: Record<string, unknown>;
    };
    assert.equal(oldContext.mode, "print");
    await host.close();
    for (const member of ["cwd", "ui", "model", "signal", "sessionManager"]) {
      assert.throws(() => oldContext[member], { name: "StalePluginError" });
    }
    assert.throws(() => (oldContext.abort as () => void)(), {
      name: /TypeError|StalePluginError/,
    });
  });
});

Deno.test("runCommand() gives a command its arguments and context, and tells of what it throws", async () => {
  await withPlugins({
    plugins: {
      "a.ts": `export default (tau) => {
  tau.registerCommand("say", { handler: async (args, ctx) => { await ctx.waitForIdle(); ctx.ui.notify(args + ctx.isIdle()); } });
  tau.registerCommand("fail", { handler() { throw new Error("no"); } });
};`,
    },
  }, async ({ host, calls, faults }) => {
    assert.equal(await host.runCommand("say", "hi "), true);
    assert.equal(await host.runCommand("fail", ""), true);
    assert.equal(await host.runCommand("none", ""), false);
    assert.deepEqual(calls, [
      ["notify", "hi true", { plugin: "a", level: "info" }],
    ]);
    assert.deepEqual(
      faults.map(({ during, message }) => [during, /^no/.test(message)]),
      [
        ["/fail", true],
      ],
    );
  });
});

Deno.test("events lets plugins speak with each other, and a listener that throws stops nobody", async () => {
  await withPlugins({
    plugins: {
      "a.ts": `export default (tau) => {
  tau.events.on("news", () => { throw new Error("deaf"); });
  const stop = tau.events.on("news", () => tau.appendEntry("stopped"));
  stop();
  tau.events.on("news", (data) => tau.appendEntry("heard", data));
};`,
      "b.ts": plugin({ agent_start: "() => tau.events.emit('news', 1)" }),
    },
  }, async ({ host, calls, faults }) => {
    await host.hooks.notify({ type: "agent_start" });
    assert.deepEqual(calls, [["appendEntry", "heard", 1]]);
    assert.equal(faults[0]?.during, 'events "news"');
  });
});

Deno.test("a plugin's tool is given the context of tools, and its result is plain and bounded", async () => {
  await withPlugins({
    plugins: {
      "a.ts": `export default (tau) => {
  const tool = (name, execute) => tau.registerTool({ name, description: "x", parameters: {}, execute });
  tool("big", async () => ({ content: [{ type: "text", text: "x".repeat(300 * 1024) }] }));
  tool("odd", async () => "text");
  tool("blocks", async () => ({ content: [{ type: "video" }] }));
  tool("cyclic", async () => { const details = {}; details.self = details; return { content: [], details }; });
  tool("huge", async () => ({ content: [], details: "x".repeat(2 * 1024 * 1024) }));
  tool("nested", async (id, args, signal, onUpdate, ctx) => {
    onUpdate({ content: [{ type: "text", text: "x".repeat(20 * 1024) }] });
    const result = await ctx.executeTool("read", { path: "a" });
    await ctx.tools.read({ path: "b" });
    return { content: result.content, details: { aborted: ctx.signal.aborted, more: Object.keys(ctx.tools) } };
  });
  tau.registerTool({ name: "late", description: "x", parameters: {}, execute: async () => {
    tool("later", async () => ({ content: [] }));
    tool("big", async () => ({ content: [] }));
    return { content: [] };
  } });
};`,
    },
  }, async ({ host, calls, faults, folder, marks, toolChanges }) => {
    const updates: AgentToolResult[] = [];
    const run = async (name: string) =>
      await host.tools.find(({ definition }) => definition.name === name)
        ?.definition.execute(
          "c1",
          {},
          undefined,
          (update) => updates.push(update),
          { cwd: folder },
        );
    const big = await run("big");
    const [text, notice] = big?.content ?? [];
    assert.equal(text?.type === "text" && text.text.length, 256 * 1024);
    assert.match(JSON.stringify(notice), /Output truncated: 44.0KB more/);
    await assert.rejects(run("odd"), /returned no result/);
    await assert.rejects(run("blocks"), /neither text nor an image/);
    await assert.rejects(run("cyclic"), /details cannot be written as JSON/);
    await assert.rejects(run("huge"), /details is larger than 1.0MB/);
    assert.deepEqual(await run("nested"), {
      content: [{ type: "text", text: "done" }],
      details: { aborted: false, more: ["read"] },
    });
    assert.deepEqual(calls, [
      ["executeTool", "c1", "read"],
      ["executeTool", "c1", "read"],
    ]);
    assert.equal(JSON.stringify(updates[0]).includes("Output truncated"), true);
    await run("late");
    assert.equal(
      host.tools.some((tool) => tool.definition.name === "later"),
      true,
    );
    assert.equal(toolChanges(), 1);
    assert.deepEqual(faults.map(({ message }) => message), [
      'The tool "big" is left out: this plugin has registered one of that name',
    ]);
    assert.deepEqual(marks.slice(-2), ["+a", "-a"]);
  });
});
