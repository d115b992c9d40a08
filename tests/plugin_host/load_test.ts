import assert from "node:assert/strict";
import { findPlugins } from "../../src/plugin_host/find_plugins.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import {
  type PluginWorld,
  toolPlugin,
  withPlugins,
} from "../support/plugin_world.ts";

function stateOf({ diagnostics, folder }: PluginWorld): Record<string, string> {
  return Object.fromEntries(
    diagnostics.map(({ name, state, reason, file, line, column }) => [
      name,
      [
        state,
        reason?.replaceAll(folder, ""),
        file && [file.replace(folder, ""), line, column].join(":"),
      ]
        .filter((part) => part !== undefined).join(" | "),
    ]),
  );
}

Deno.test("load() gives each file that cannot be loaded its reason and place, and the rest goes on", async () => {
  await withPlugins({
    plugins: {
      "good.ts": toolPlugin("good_tool"),
      "syntax.ts": "export default function( {\n",
      "throws.ts": `throw new Error("at import");`,
      "missing.ts": `import "./nope.ts";`,
      "rejects.ts": `export default async () => { throw "x"; };`,
      "noexport.ts": "export const a = 1;",
      "notfunction.ts": "export default 1;",
      "duplicate.js": "const a = 1; const a = 2; export default () => {};",
      "remote.ts":
        `import "https://127.0.0.1:9/x.ts"; export default () => {};`,
      "bare.ts": `import x from "left-pad"; export default x;`,
      "json.ts":
        `import x from "./bad.json" with { type: "json" }; export default x;`,
      "bad.json": "{bad",
    },
  }, (world) => {
    const states = stateOf(world);
    assert.deepEqual(Object.keys(states).sort(), [
      "bare",
      "duplicate",
      "good",
      "json",
      "missing",
      "noexport",
      "notfunction",
      "rejects",
      "remote",
      "syntax",
      "throws",
    ]);
    assert.equal(states.good, "loaded");
    assert.match(
      states.syntax ?? "",
      /^failed \| Syntax error: .* \| \/plugins\/syntax\.ts:1:27$/,
    );
    assert.equal(
      states.throws,
      "failed | It threw while it was loaded: at import | /plugins/throws.ts:1:7",
    );
    assert.equal(
      states.missing,
      'failed | It imports "/plugins/nope.ts", which does not exist | /plugins/missing.ts:1:8',
    );
    assert.equal(states.rejects, "failed | Its function threw: x");
    assert.match(states.noexport ?? "", /There is no default export/);
    assert.match(states.notfunction ?? "", /not a function/);
    assert.match(states.duplicate ?? "", /Syntax error: Identifier 'a'/);
    assert.match(states.remote ?? "", /bundle it into the file/);
    assert.match(states.bare ?? "", /"left-pad".*bundle it into the file/);
    assert.match(states.json ?? "", /Syntax error/);
    const names = world.host.tools.map(({ definition }) => definition.name);
    assert.deepEqual(names, ["good_tool"]);
    return Promise.resolve();
  });
});

Deno.test("load() takes TypeScript with enums, types, own modules, JSON and top-level await", async () => {
  await withPlugins({
    plugins: {
      "whole/mod.ts": `
import { size, type Size } from "./parts/size.ts";
import type { Nothing } from "./parts/only_types.ts";
import words from "./words.json" with { type: "json" };
enum Colour { Red = "red" }
const late = await Promise.resolve("late");
export default function (tau: { registerTool(tool: unknown): void }): void {
  const big: Size & Partial<Nothing> = size;
  tau.registerTool({
    name: [Colour.Red, big, words.word, late].join("_"),
    description: "A tool",
    parameters: {},
    execute: () => undefined,
  });
}
`,
      "whole/parts/size.ts":
        `export type Size = "big" | "small";\nexport const size: Size = "big";\n`,
      "whole/parts/only_types.ts": "export interface Nothing { n: number }\n",
      "whole/words.json": `{ "word": "word" }`,
      "whole/other.ts": "this is never read",
    },
  }, ({ diagnostics, host }) => {
    assert.deepEqual(diagnostics.map(({ state }) => state), ["loaded"]);
    assert.deepEqual(host.tools.map((tool) => tool.definition.name), [
      "red_big_word_late",
    ]);
    return Promise.resolve();
  });
});

Deno.test("load() goes through named plugins, then folders by name, one level, each file once", async () => {
  const order = (name: string) =>
    `export default (tau) => tau.registerCommand("${name}", { handler() {} });`;
  await withPlugins({
    plugins: {
      "b.ts": order("b"),
      "a.js": order("a"),
      "c/mod.ts": order("c"),
      "c/mod.js": order("not"),
      "d/mod.js": order("d"),
      "e/plugin.ts": order("not_deeper"),
      "f/index.ts": order("f"),
      "g/package.json": `{ "main": "./src/entry.js" }`,
      "g/src/entry.js": order("g"),
      "h/package.json": `{ "main": "../b.ts" }`,
      "i.mts": order("not_this_ending"),
      "node_modules/x.ts": order("not_deeper"),
      "types.d.ts": "no plugin",
      ".hidden.ts": "no plugin",
      "readme.md": "no plugin",
    },
    named: ["plugins/d", "plugins/b.ts", "nowhere.ts", "plugins/readme.md"],
  }, (world) => {
    assert.deepEqual([...world.host.commands.keys()], [
      "d",
      "b",
      "a",
      "c",
      "f",
      "g",
    ]);
    const noPlugin =
      /^A folder is a plugin by its mod\.ts, .* "main"; a name that begins with a dot is passed over$/;
    assert.deepEqual(
      world.diagnostics.map(({ name, state, reason = "" }) => [
        name,
        state,
        noPlugin.test(reason) ? "no plugin" : reason,
      ]),
      [
        ["nowhere", "failed", "It does not exist"],
        ["readme.md", "failed", "A plugin is a file that ends in .ts or .js"],
        ["e", "failed", "no plugin"],
        ["h", "failed", "no plugin"],
        ["i.mts", "failed", "The name of a plugin ends in .ts or .js"],
        ...["d", "b", "a", "c", "f", "g"].map((name) => [name, "loaded", ""]),
      ],
    );
    return Promise.resolve();
  });
});

Deno.test("load() tells of links that lead to nothing", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, { "real.ts": "export default () => {};" });
    await Deno.symlink(`${folder}/real.ts`, `${folder}/link.ts`);
    await Deno.symlink(`${folder}/nowhere`, `${folder}/gone.ts`);
    await Deno.symlink("round.ts", `${folder}/round.ts`);
    await Deno.symlink(`${folder}/nowhere`, `${folder}/folder`);
    await Deno.symlink(`${folder}/nowhere`, `${folder}/notes.md`);
    const { sources, missing } = await findPlugins({
      paths: [],
      folders: [folder],
    });
    assert.deepEqual(sources.map(({ name }) => name), ["link"]);
    assert.deepEqual(
      missing.map(({ name, error }) => [name, error.message]),
      ["folder", "gone", "round"].map((name) => [
        name,
        "It leads to nothing that this run can read",
      ]),
    );
  });
});

Deno.test("load() leaves nothing behind of a plugin whose function fails", async () => {
  await withPlugins({
    plugins: {
      "bad.ts": `
export let given: unknown;
export default async function (tau) {
  globalThis.leaked = tau;
  tau.registerTool({
    name: "half", description: "x", parameters: {}, execute() {},
  });
  tau.registerCommand("half", { handler() {} });
  tau.on("agent_start", () => {});
  tau.events.on("channel", () => { throw new Error("heard"); });
  await Promise.resolve();
  throw new Error("after half of it");
}`,
    },
  }, async ({ host, diagnostics, faults, folder }) => {
    const [failed] = diagnostics;
    assert.equal(
      failed?.reason,
      "Its function threw: after half of it",
    );
    assert.equal(failed?.file, `${folder}/plugins/bad.ts`);
    assert.deepEqual(host.tools, []);
    assert.equal(host.commands.size, 0);
    assert.equal(host.hooks.has("agent_start"), false);
    const { leaked } = globalThis as unknown as {
      leaked: { registerTool(tool: unknown): void };
    };
    assert.throws(() => leaked.registerTool({}), { name: "StalePluginError" });
    assert.deepEqual(faults, []);
    await host.close();
  });
});

Deno.test("load() refuses actions until the plugin is loaded", async () => {
  await withPlugins({
    plugins: {
      "early.ts": `
const said = [];
export default function (tau) {
  for (const act of [
    () => tau.getActiveTools(),
    () => tau.setActiveTools([]),
    () => tau.getAllTools(),
    () => tau.sendMessage({ customType: "x", content: "y" }),
    () => tau.sendUserMessage("x"),
    () => tau.appendEntry("x"),
  ]) {
    try { act(); said.push("worked"); } catch (error) { said.push(error.message); }
  }
  tau.exec("true", []).catch((error) => said.push(error.message));
  tau.on("session_start", () => tau.appendEntry("said", said));
}`,
    },
  }, async ({ host, calls }) => {
    await host.hooks.notify({ type: "session_start", reason: "startup" });
    const text =
      "Plugin runtime not initialized. Action methods cannot be called during plugin loading.";
    assert.deepEqual(calls, [["appendEntry", "said", Array(7).fill(text)]]);
  });
});

Deno.test("load() gives up a function that does not end", async () => {
  await withPlugins({
    deadlineMs: 400,
    plugins: {
      "hangs.ts": "export default () => new Promise(() => {});",
      "z.ts": toolPlugin("z"),
    },
  }, (world) => {
    assert.deepEqual(stateOf(world), {
      hangs:
        "failed | Its function did not end: it did not answer within 0.4 s",
      z: "loaded",
    });
    return Promise.resolve();
  });
});

Deno.test("load() refuses a tool whose name is taken, and lets only an override replace a built-in one", async () => {
  await withPlugins({
    plugins: {
      "a.ts": toolPlugin("same", "first"),
      "b.ts": toolPlugin("same", "second"),
      "c.ts": toolPlugin("read", "mine"),
      "d.ts": toolPlugin("bash", "mine", ", { override: true }"),
      "e.ts": toolPlugin("read", "override", ", { override: true }"),
    },
  }, ({ diagnostics, host }) => {
    assert.deepEqual(
      host.tools.map(({ definition, plugin, isOverride }) => [
        definition.name,
        plugin,
        isOverride,
      ]),
      [["same", "a", false], ["bash", "d", true], ["read", "e", true]],
    );
    assert.deepEqual(diagnostics.flatMap(({ warnings }) => warnings), [
      'The tool "same" is left out: the plugin "a" has one of that name',
      'The tool "read" is left out: there is a built-in one of that name; register it with { override: true } to replace that',
    ]);
    return Promise.resolve();
  });
});

Deno.test("load() mends schemas or leaves their tools out, never the others", async () => {
  const schemas = {
    t1:
      `{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"b":{"type":"number"}},"required":["b"]}]}`,
    t2:
      `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"$ref":"#/$defs/B"}}},"B":{"type":"string"}}}`,
    t3: `{"type":"string"}`,
    t4: "{}",
    t5: `{"type":"object","properties":{"n":{"$ref":"#"}}}`,
    t6: `{"type":"object","properties":{"ok":{"type":"boolean"}}}`,
  };
  const tools = Object.entries(schemas).map(([name, schema]) =>
    `tau.registerTool({ name: "${name}", description: "x", parameters: ${schema}, execute: async (_id, args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }) });`
  );
  await withPlugins({
    plugins: { "s.ts": `export default (tau) => {${tools.join("\n")}}` },
  }, async ({ diagnostics, host }) => {
    const warnings = diagnostics[0]?.warnings ?? [];
    assert.equal(warnings.length, 2);
    assert.match(warnings[0] ?? "", /"t3" is left out: no provider takes/);
    assert.match(warnings[1] ?? "", /"t5".*#\/properties\/n/);
    const byName = new Map(
      host.tools.map(({ definition }) => [definition.name, definition]),
    );
    assert.deepEqual([...byName.keys()], ["t1", "t2", "t4", "t6"]);
    for (const { parameters } of byName.values()) {
      assert.equal(parameters.type, "object");
      assert.doesNotMatch(JSON.stringify(parameters), /\$ref|^.{1,3}anyOf/);
    }
    // What was joined for the provider is still checked as it was meant.
    const t1 = byName.get("t1");
    const call = (args: unknown) =>
      t1?.execute("id", args, undefined, undefined, { cwd: "/" });
    assert.deepEqual(await call({ a: "x" }), {
      content: [{ type: "text", text: '{"a":"x"}' }],
    });
    await assert.rejects(() => Promise.resolve(call({})), {
      name: "ToolError",
      message: /Validation failed for tool "t1"/,
    });
  });
});

Deno.test("load() tells a plugin's author of names, events and fields that are wrong", async () => {
  const plugins = {
    "a.ts": `export default (tau) => tau.on("tool_cal", () => {});`,
    "b.ts":
      `export default (tau) => tau.registerCommand("no spaces", { handler() {} });`,
    "c.ts":
      `export default (tau) => tau.registerFlag("x", { type: "number" });`,
    "d.ts":
      `export default (tau) => { tau.registerTool({ name: "with space" }); tau.registerTool(null); tau.registerTool({ name: "x", description: "x", parameters: {}, execute() {}, promptGuidelines: "one" }); };`,
  };
  await withPlugins({ plugins }, ({ diagnostics }) => {
    assert.deepEqual(diagnostics[0]?.warnings, [
      'There is no event "tool_cal", so its handler is never called; did you mean "tool_call"',
    ]);
    assert.match(diagnostics[1]?.reason ?? "", /got "no spaces"/);
    assert.match(diagnostics[2]?.reason ?? "", /"boolean" or "string"/);
    assert.deepEqual(diagnostics[3]?.warnings, [
      'The tool "with space" is left out: a name has 1 to 64 letters, digits, _ and -',
      "A tool is left out: it is not an object",
      'The tool "x" is left out: its promptGuidelines is not a list of texts',
    ]);
    return Promise.resolve();
  });
});

Deno.test("getFlag() gives what the user set, else the default", async () => {
  await withPlugins({
    flagValues: new Map<string, boolean | string>([["level", "high"], [
      "loud",
      "no boolean",
    ]]),
    plugins: {
      "f.ts": `export default (tau) => {
  tau.registerFlag("level", { type: "string", default: "low" });
  tau.registerFlag("loud", { type: "boolean", default: true });
  tau.on("agent_start", () => tau.appendEntry("flags", [tau.getFlag("level"), tau.getFlag("loud"), tau.getFlag("none") ?? null]));
};`,
    },
  }, async ({ host, calls }) => {
    await host.hooks.notify({ type: "agent_start" });
    assert.deepEqual(calls, [["appendEntry", "flags", ["high", true, null]]]);
  });
});

Deno.test("reload() takes up a changed module, keeps the last good version, and says so", async () => {
  const main =
    `import { V } from "./dep.ts";\nexport default (tau) => tau.registerTool({ name: "v", description: "x", parameters: {}, execute: async () => ({ content: [{ type: "text", text: V }] }) });`;
  await withPlugins({
    plugins: { "p/mod.ts": main, "p/dep.ts": `export const V = "old";` },
  }, async ({ host, folder, diagnostics, toolChanges }) => {
    const call = async () => {
      const tool = host.tools.find(({ definition }) => definition.name === "v");
      const result = await tool?.definition.execute(
        "id",
        {},
        undefined,
        undefined,
        { cwd: folder },
      );
      return result?.content;
    };
    const text = (text: string) => [{ type: "text", text }];
    assert.deepEqual(await call(), text("old"));

    await putFiles(`${folder}/plugins`, {
      "p/dep.ts": `export const V = "new";`,
    });
    await host.reload();
    assert.deepEqual(await call(), text("new"));

    await putFiles(`${folder}/plugins`, { "p/dep.ts": "export const V = ;" });
    await host.reload();
    assert.deepEqual(await call(), text("new"));
    const last = diagnostics.at(-1);
    assert.equal(last?.state, "failed");
    assert.match(
      last?.reason ?? "",
      /Syntax error.*the version that was loaded before stays active/,
    );
    assert.equal(last?.file, `${folder}/plugins/p/dep.ts`);
    assert.equal(toolChanges(), 2);
  });
});

Deno.test("reload() leaves what has not changed as it is, takes new plugins up and lets removed ones go", async () => {
  const counts = (name: string) =>
    `let n = 0; export default (tau) => { tau.registerCommand("${name}" + ++n, { handler() {} }); globalThis["${name}"] = tau; };`;
  await withPlugins({
    plugins: { "kept.ts": counts("kept"), "gone.ts": counts("gone") },
  }, async ({ host, folder }) => {
    await Deno.remove(`${folder}/plugins/gone.ts`);
    await putFiles(`${folder}/plugins`, { "fresh.ts": counts("fresh") });
    await host.reload();
    assert.deepEqual([...host.commands.keys()], ["fresh1", "kept1"]);
    const { gone, kept } = globalThis as unknown as Record<
      string,
      { getActiveTools(): string[] }
    >;
    assert.deepEqual(kept?.getActiveTools(), ["read"]);
    assert.throws(() => gone?.getActiveTools(), { name: "StalePluginError" });
  });
});

Deno.test("reload() removes the copies of what is no longer loaded, and waits for one before", async () => {
  const plugin = (text: string) =>
    `export default (tau) => tau.registerCommand("${text}", { handler() {} });`;
  await withPlugins({ plugins: { "p.ts": plugin("c0") } }, async (world) => {
    const { host, folder } = world;
    const copies = () => [...Deno.readDirSync(`${folder}/copies`)].length;
    for (let n = 1; n <= 5; n++) {
      await putFiles(`${folder}/plugins`, { "p.ts": plugin(`c${n}`) });
      const outcomes = await Promise.all([host.reload(), host.reload()]);
      const outcome = { loaded: ["p"], failed: [] };
      assert.deepEqual(outcomes, [outcome, outcome]);
      assert.deepEqual([...host.commands.keys()], [`c${n}`]);
      assert.equal(copies(), 1);
    }
    await putFiles(`${folder}/plugins`, { "p.ts": "export default (" });
    assert.deepEqual(await host.reload(), { loaded: ["p"], failed: ["p"] });
    assert.equal(copies(), 1);
    await Deno.remove(`${folder}/plugins/p.ts`);
    assert.deepEqual(await host.reload(), { loaded: [], failed: [] });
    assert.equal(copies(), 0);
  });
});

Deno.test("takeStray() finds whose an error is that nobody waits for, and tells of so many", async () => {
  await withPlugins({
    plugins: {
      "a.ts": `export default (tau) => {
  tau.registerCommand("own", { handler: () => { throw globalThis.own = new Error("own"); } });
  tau.registerCommand("api", { handler: () => tau.exec("x", []).catch((error) => { globalThis.api = error; }) });
};`,
      "b.ts": "export default () => {};",
    },
    services: { exec: () => Promise.reject(new Error("api")) },
  }, async ({ host, faults }) => {
    await host.runCommand("own", "");
    await host.runCommand("api", "");
    const { own, api } = globalThis as unknown as Record<string, Error>;
    faults.length = 0;
    for (const error of [own, api, new Error("placeless"), "text", undefined]) {
      assert.equal(host.takeStray(error), true);
    }
    assert.deepEqual(
      faults.map(({ plugin, message }) => [plugin, message.split(/ \(|;/)[0]]),
      [
        ["a", "own"],
        ["a", "api"],
        ["a, b", "placeless"],
        ["a, b", "text"],
        ["a, b", "undefined"],
      ],
    );
    for (let n = 0; n < 50; n++) host.takeStray(own);
    assert.equal(faults.length, 20);
    assert.match(faults.at(-1)?.message ?? "", /further ones are not reported/);
  });
});

Deno.test("load() takes so many tools, warnings, commands and flags of a plugin", async () => {
  const many = (what: string) =>
    `export default (tau) => { for (let n = 0; n < 1000; n++) { ${what} } };`;
  await withPlugins({
    plugins: {
      "commands.ts": many(`tau.registerCommand("c" + n, { handler() {} });`),
      "flags.ts": many(`tau.registerFlag("f" + n, { type: "string" });`),
      "tools.ts": many(
        `tau.registerTool({ name: "t" + n, description: "x", parameters: {}, async execute() {} });`,
      ),
    },
  }, ({ diagnostics }) => {
    assert.deepEqual(
      diagnostics.map(({ name, reason, tools, warnings }) => [
        ...[name, reason, tools.length],
        ...[warnings.length, warnings.at(-1)?.replace(/^.*; /, "")],
      ]),
      [
        [
          "commands",
          "Its function threw: A plugin may have 256 commands",
          0,
          0,
          undefined,
        ],
        [
          "flags",
          "Its function threw: A plugin may have 256 flags",
          0,
          0,
          undefined,
        ],
        ["tools", undefined, 256, 50, "further warnings are left out"],
      ],
    );
    return Promise.resolve();
  });
});

Deno.test("reload() takes modules from outside the plugin's folder, and files that it reads beside itself, with it", async () => {
  await withPlugins({
    plugins: {
      "p/mod.ts":
        `import { V } from "../lib/v.ts"; const word = Deno.readTextFileSync(new URL("./data/word.txt", import.meta.url)); export default (tau) => { tau.registerCommand(V + word, { handler() {} }); if (V === "bad") throw new Error("bad"); };`,
      "p/data/word.txt": "word",
      "p/picture.png": "\u{ff}",
      "lib/v.ts": `export const V = "old";`,
    },
  }, async ({ host, folder, diagnostics }) => {
    const change = (text: string) =>
      putFiles(`${folder}/plugins`, { "lib/v.ts": text });
    assert.deepEqual([...host.commands.keys()], ["oldword"]);
    await change(`export const V = "new";`);
    await host.reload();
    assert.deepEqual([...host.commands.keys()], ["newword"]);
    await change(`export const V = "bad";`);
    await host.reload();
    const { file, line, reason } = diagnostics.at(-1) ?? {};
    assert.deepEqual([file, line], [`${folder}/plugins/p/mod.ts`, 1]);
    assert.match(reason ?? "", /^Its function threw: bad; the version/);
    await change(`export const V = ""; throw new Error("1");`);
    await host.reload();
    assert.equal(diagnostics.at(-1)?.file, `${folder}/plugins/lib/v.ts`);
    assert.deepEqual([...host.commands.keys()], ["newword"]);
  });
});
