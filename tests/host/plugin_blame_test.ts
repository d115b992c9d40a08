import assert from "node:assert/strict";
import { emptyUsage, textOf } from "../../src/model/message.ts";
import type { AssistantDelta, DeltaSource } from "../../src/model/stream.ts";
import { atOnce } from "../support/at_once.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Calls the tool `stuck` twice, and then tells what became of the calls. */
const source: DeltaSource = async function* (_model, { messages }) {
  const results = messages.filter(({ role }) => role === "toolResult");
  if (results.length > 1) {
    yield [
      { type: "start" },
      { type: "text_start", contentIndex: 0 },
      {
        type: "text_delta",
        contentIndex: 0,
        delta: results.map(({ content }) => textOf(content)).join("\n\n"),
      },
      { type: "text_end", contentIndex: 0 },
      { type: "done", reason: "stop", usage: emptyUsage() },
    ];
    return;
  }
  yield [
    { type: "start" },
    {
      type: "toolcall_start",
      contentIndex: 0,
      id: crypto.randomUUID(),
      toolName: "stuck",
    },
    { type: "toolcall_delta", contentIndex: 0, delta: "{}" },
    { type: "toolcall_end", contentIndex: 0 },
    { type: "done", reason: "toolUse", usage: emptyUsage() },
  ] satisfies AssistantDelta[];
};

/** A run with the plugin `culprit`, whose tool has this body, and one beside it. */
async function runWith(
  plugins: Record<string, string>,
  test: (run: HostRun, home: string) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (root) => {
    await putFiles(root, {
      "work/a.txt": "",
      ...Object.fromEntries(
        Object.entries(plugins).map(([name, text]) => [
          `home/plugins/${name}.ts`,
          `export default (tau) => {\n${text}\n};`,
        ]),
      ),
    });
    const run = await runInHost({
      cwd: `${root}/work`,
      env: { OPENAI_API_KEY: "test-key", TAU_HOME: `${root}/home` },
      source,
      model: "openai/gpt-4.1",
      session: {},
      heartbeatMs: 1000,
      kernelHeapMb: 128,
      permissions: { sandbox: "off" },
      plugins: {
        paths: [],
        folders: [`${root}/home/plugins`],
        isProjectTrusted: false,
      },
    });
    await test(run, `${root}/home`);
  });
}

const tool = (body: string) =>
  `tau.registerTool({ name: "stuck", description: "x", parameters: {}, execute: async (_id, _args, signal) => { ${body} } });`;

Deno.test("startRun() leaves the plugin out whose tool spins, printing or not, or overflows the heap, and goes on", async () => {
  await atOnce([
    "for (;;);",
    "const all = []; for (;;) all.push(new Array(1e5).fill(all.length));",
    "for (;;) { console.log(1); for (let end = Date.now() + 100; Date.now() < end;); }",
  ], async (body) => {
    await runWith({
      culprit: tool(body),
      other:
        `tau.on("session_start", ({ reason }) => { console.log("begun: " + reason); });`,
    }, async ({ result, left, log }) => {
      assert.equal(result.status, "completed", result.error?.message);
      const [death, ...others] = result.kernels ?? [];
      assert.deepEqual(others, []);
      assert.equal(death?.blamed, "culprit");
      assert.deepEqual(death?.openCalls, ["stuck"]);
      const [first, second] = result.text.split("\n\n");
      assert.match(first ?? "", /^The kernel ended while this call ran/);
      assert.equal(second, "Tool stuck not found");
      assert.deepEqual(
        log.filter((line) => line.startsWith("begun")),
        ["begun: startup", "begun: resume"],
      );
      assert.deepEqual(left, []);
      const stored = await Deno.readTextFile(result.session.file ?? "");
      assert.match(stored, /"name":"stuck"/);
    });
  });
});

const CALM = tool(`return { content: [{ type: "text", text: "ran" }] };`);

Deno.test("startRun() blocks what a guard guarded that was left out, and all calls when it guarded calls", async () => {
  await atOnce(["tool_call", "tool_result"], async (event) => {
    await runWith({
      calm: CALM,
      guard: `tau.on("${event}", () => { for (;;); });`,
    }, ({ result }) => {
      const [first, second] = result.text.split("\n\n");
      assert.match(first ?? "", /kernel hung/);
      assert.match(first ?? "", /Plugins could not judge|is withheld/);
      assert.match(second ?? "", /^Not run: the guard "guard" is not there/);
      return Promise.resolve();
    });
  });
});

Deno.test("startRun() goes on without the handlers of a plugin that spins in an event which it only hears", async () => {
  await runWith({
    calm: CALM,
    spin: `tau.on("agent_start", () => { for (;;); });`,
  }, ({ result }) => {
    assert.equal(result.text, "ran\n\nran");
    assert.equal(result.kernels?.[0]?.blamed, "spin");
    return Promise.resolve();
  });
});

Deno.test("startRun() ends with 32 where a plugin spins while it is loaded", async () => {
  await runWith({ spin: "for (;;);" }, ({ result }) => {
    assert.equal(result.exitCode, 32);
    assert.match(result.error?.message ?? "", /, in the plugin "spin"/);
    assert.equal(result.kernels?.length, 2);
    return Promise.resolve();
  });
});

Deno.test("startRun() blames no plugin that had returned", async () => {
  await runWith({
    calm: tool(
      `setTimeout(() => { for (;;); }, 0); return { content: [{ type: "text", text: "ran" }] };`,
    ),
  }, ({ result }) => {
    assert.equal(result.status, "completed");
    assert.match(result.text, /^ran/);
    assert((result.kernels?.length ?? 0) > 0);
    for (const { reason, blamed } of result.kernels ?? []) {
      assert.equal(blamed, undefined);
      assert.doesNotMatch(reason, /plugin/);
    }
    return Promise.resolve();
  });
});

const HEARD = [
  ...["session_start", "input", "before_agent_start", "agent_start"],
  ...["turn_start", "message_start", "message_update", "message_end"],
  ...["tool_execution_start", "tool_execution_end", "context", "turn_end"],
  ...["agent_end", "agent_settled"],
];

Deno.test("startRun() completes, without the plugin, when a handler of any event never gives way", async () => {
  const lanes = [0, 1, 2];
  await atOnce(lanes, async (lane) => {
    for (const event of HEARD.filter((_, n) => n % lanes.length === lane)) {
      await runWith({
        calm: CALM,
        spin: `tau.on("${event}", () => { for (;;); });`,
      }, ({ result, left }) => {
        assert.equal(result.status, "completed", event);
        assert.equal(result.text, "ran\n\nran", event);
        assert.deepEqual(
          result.kernels?.map(({ blamed }) => blamed),
          ["spin"],
          event,
        );
        assert.deepEqual(left, [], event);
        return Promise.resolve();
      });
    }
  });
});

/** The most hostile answer of a handler of each event that decides something. */
const HOSTILE: Record<string, string> = {
  input: `{ action: "transform", text: "x".repeat(5e7) }`,
  before_agent_start: `{ systemPrompt: "x".repeat(5e6) }`,
  message_end:
    `{ message: { role: "assistant", content: [], stopReason: "error", usage: {} } }`,
  context: `{ messages: Array(1e4).fill({ role: "user", content: "x" }) }`,
  session_before_compact: `{ summary: "x".repeat(5e6) }`,
};

Deno.test("startRun() ends in good order whatever a handler returns", async () => {
  await atOnce(Object.entries(HOSTILE), async ([event, answer]) => {
    await runWith({
      calm: CALM,
      hostile: `tau.on("${event}", () => (${answer}));`,
    }, ({ result }) => {
      if (event === "context") {
        // The model hears nothing of its calls, and makes them until the limit.
        assert.equal(result.status, "repeat_limit");
        return Promise.resolve();
      }
      assert.equal(result.status, "completed", event);
      // The text of an answer is a plugin's to change; that it was one is not.
      if (event !== "message_end") assert.match(result.text, /ran/, event);
      assert.equal(result.turns, 3, event);
      return Promise.resolve();
    });
  });
});

Deno.test("startRun() gives a kernel that takes over each entry of the session once, in order", async () => {
  await runWith({
    calm:
      `tau.registerTool({ name: "stuck", description: "x", parameters: {}, execute: async (_id, _args, _signal, _update, ctx) => ({ content: [{ type: "text", text: ctx.sessionManager.getEntries().map(({ type, message, customType }) => message?.role ?? customType).join(" ") }] }) });
      tau.on("session_start", () => tau.appendEntry("begun", 1));`,
    spin: `tau.on("turn_end", () => { for (;;); });`,
  }, ({ result }) => {
    const [first, second] = result.text.split("\n\n");
    assert.equal(first, "begun system user assistant");
    // The run goes on while the other kernel loads: what it adds may be there
    // before the plugin begins again.
    assert.match(
      second ?? "",
      /^begun system user assistant toolResult (begun assistant|assistant begun)$/,
    );
    return Promise.resolve();
  });
});
