import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { inPlace } from "../support/tau_place.ts";
import { type TauProcess, withTau } from "../support/tau_process.ts";

// deno-lint-ignore no-explicit-any -- lines of JSON of many kinds
type Line = any;

function linesOf({ stdout }: Pick<TauProcess, "stdout">): Line[] {
  return stdout.slice(0, stdout.lastIndexOf("\n")).split("\n")
    .map((line) => JSON.parse(line));
}

/** The question that was asked last. */
async function question(tau: TauProcess, title: string): Promise<Line> {
  await tau.printed(
    new RegExp(`"extension_ui_request".*"title":"${title}".*\n`),
  );
  return linesOf(tau).findLast((line) =>
    line.type === "extension_ui_request" && line.title === title
  );
}

const PLUGIN = `export default (tau) => {
  const note = (event) => tau.appendEntry(event.type, { ...event, type: undefined, model: event.model?.id, previousModel: event.previousModel?.id });
  for (const name of ["model_select", "thinking_level_select", "ui_prompt_start", "ui_prompt_end", "session_compact", "session_compact_failed"]) tau.on(name, note);
  tau.on("tool_call", async (event, ctx) => {
    const name = await ctx.ui.input("Name", "yours");
    const colour = await ctx.ui.select("Colour", ["red", "blue"]);
    const text = await ctx.ui.editor("Text", "begin");
    const sure = await ctx.ui.confirm("Sure", "Really?");
    return { block: true, reason: [ctx.mode, ctx.hasUI, name, colour, text, sure].join(" ") };
  });
  tau.on("user_bash", ({ command, excludeFromContext }) => command === "secret" ? { output: "replaced " + excludeFromContext } : undefined);
  tau.on("user_bash", ({ command }) => { if (command === "no") throw new Error("not that"); });
  tau.on("session_before_compact", ({ reason, messages }) => ({ summary: reason + " summary of " + messages.length }));
  tau.registerCommand("stop", { handler: (_args, ctx) => ctx.abort() });
  tau.registerCommand("later", { handler: async (_args, ctx) => { await ctx.waitForIdle(); tau.appendEntry("idle", ctx.isIdle()); } });
  tau.on("input", ({ text, source }) => source === "steer" ? { action: "transform", text: text + "!" } : undefined);
};`;

Deno.test("plugins in tau rpc ask, hear of models, of commands of the user and of summaries, and stop a run", async () => {
  const long = "long ago ".repeat(2000);
  await inPlace({
    script: [
      say("", call("read", { path: "note.txt" })),
      say(long),
      say("", call("bash", { command: "sleep 60" })),
      say("after"),
    ],
    plugins: {
      "all.ts": PLUGIN.replace(
        'tool_call", async (event, ctx) => {',
        'tool_call", async (event, ctx) => { if (event.toolName === "bash") return;',
      ),
    },
    settings: {},
  }, async ({ request, root, cwd }) => {
    await withTau(["rpc"], {
      cwd,
      stdin: "open",
      env: { TAU_HOME: `${root}/home`, LAB_KEY: "key" },
    }, async (tau) => {
      const answers: [string, Record<string, unknown>][] = [
        ["Name", { value: "Ann" }],
        ["Colour", { value: "blue" }],
        ["Text", { value: "all" }],
        ["Sure", { confirmed: true }],
      ];
      await tau.send({ id: "p", type: "prompt", message: `hi ${long}` });
      for (const [title, answer] of answers) {
        const { id } = await question(tau, title);
        await tau.send({ type: "extension_ui_response", id, ...answer });
      }
      await tau.printed(/"type":"result"/);
      assert.match(
        request(1).text,
        /rpc true Ann blue all true/,
      );

      await tau.send({ id: "b", type: "bash", command: "secret" });
      await tau.printed(/"id":"b".*replaced false/);
      await tau.send({ id: "n", type: "bash", command: "no" });
      await tau.printed(/"id":"n".*gave the command up: not that/);
      await tau.send({
        id: "m",
        type: "set_model",
        provider: "lab",
        modelId: "deep",
      });
      await tau.send({ id: "t", type: "set_thinking_level", level: "high" });
      await tau.send({ id: "c", type: "compact" });
      await tau.printed(/"type":"response","id":"c"/);

      await tau.send({ id: "q", type: "prompt", message: "go on" });
      await tau.printed(/"tool_execution_start".*"toolName":"bash"/);
      await tau.send({ id: "s", type: "steer", message: "hurry" });
      await tau.printed(/"steering":\["hurry!"\]/);
      await tau.send({ id: "x", type: "steer", message: "/stop" });
      await tau.printed(/"aborted":true/);
      const entries = linesOf(tau).filter(({ type }) =>
        type === "custom_entry"
      );
      const data = (type: string) =>
        entries.find(({ customType }) => customType === type)?.data;
      assert.deepEqual(data("model_select"), {
        model: "deep",
        previousModel: "small",
      });
      assert.deepEqual(data("thinking_level_select"), {
        level: "high",
        previousLevel: "off",
      });
      const kinds = entries.map(({ customType }) => customType);
      assert.deepEqual(
        kinds.filter((kind) => kind.startsWith("ui_")).length,
        8,
      );
      assert.deepEqual(
        entries.filter(({ customType }) => customType === "session_compact")
          .map((
            { data },
          ) => [data.reason, data.summary.startsWith("manual summary of ")]),
        [["manual", true]],
      );
    });
  });
});

Deno.test("tau rpc loads plugins anew with the modules that they import, not in the midst of a run, and lists their commands", async () => {
  const main = `import { V } from "./dep.ts";
export default (tau) => {
  tau.registerTool({ name: "v", description: "x", parameters: {}, execute: async () => ({ content: [{ type: "text", text: V }] }) });
  tau.registerCommand("say", { description: "says " + V, handler: (args) => tau.appendEntry("said", V + " " + args) });
};`;
  await inPlace({
    script: [
      say("", call("v", {})),
      say("one"),
      say("", call("v", {})),
      say("two"),
      say("", call("v", {})),
      say("three"),
      say("", call("bash", { command: "sleep 60" })),
    ],
    plugins: { "p/mod.ts": main, "p/dep.ts": `export const V = "old";` },
  }, async ({ requests, root, cwd }) => {
    await withTau(["rpc"], {
      cwd,
      stdin: "open",
      env: { TAU_HOME: `${root}/home`, LAB_KEY: "key" },
    }, async (tau) => {
      const dep = `${root}/home/plugins/p/dep.ts`;
      const ask = async (id: string, command: Record<string, unknown>) => {
        await tau.send({ id, ...command });
        await tau.printed(new RegExp(`"type":"response","id":"${id}".*\n`));
        return linesOf(tau).find((line) =>
          line.type === "response" && line.id === id
        );
      };
      const reload = (id: string) => ask(id, { type: "reload" });
      const prompt = async (text: string) => {
        await tau.send({ type: "prompt", message: text });
        await tau.printed(new RegExp(`"type":"result".*"text":"${text}"`));
        return JSON.parse(requests.at(-1)?.text ?? "").messages.at(-1)
          .content;
      };
      assert.equal(await prompt("one"), "old");
      await Deno.writeTextFile(dep, `export const V = "new";`);
      assert.deepEqual((await reload("r1")).data, {
        loaded: ["p"],
        failed: [],
      });
      assert.equal(await prompt("two"), "new");
      assert.deepEqual((await ask("c", { type: "get_commands" })).data, {
        commands: [{ name: "say", description: "says new", source: "plugin" }],
      });
      await Deno.writeTextFile(dep, `export const V = ;`);
      assert.deepEqual((await reload("r2")).data, {
        loaded: ["p"],
        failed: ["p"],
      });
      assert.match(tau.stderr, /"p" is not loaded .*dep\.ts.*stays active/);
      assert.equal(await prompt("three"), "new");
      await tau.send({ type: "prompt", message: "/say hi" });
      await tau.printed(/"customType":"said","data":"new hi"/);

      await tau.send({ type: "prompt", message: "wait" });
      await tau.printed(/"tool_execution_start".*"toolName":"bash"/);
      assert.match((await reload("r3")).error, /Wait for the current response/);
      await tau.send({ type: "abort" });
      await tau.printed(/"status":"interrupted"/);
    });
  });
});

Deno.test("tau rpc has nothing to load anew in a session that began without plugins", async () => {
  await inPlace({ script: [] }, async ({ root, cwd }) => {
    await withTau(["rpc"], {
      cwd,
      stdin: "open",
      env: { TAU_HOME: `${root}/home`, LAB_KEY: "key" },
    }, async (tau) => {
      await tau.send({ id: 1, type: "get_commands" });
      await tau.printed(
        /"get_commands","success":true,"data":\{"commands":\[\]/,
      );
      await tau.send({ id: 2, type: "reload" });
      await tau.printed(/"reload","success":false.*began without plugins/);
    });
  });
});
