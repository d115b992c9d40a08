import assert from "node:assert/strict";
import { docBlock } from "../support/doc_pages.ts";
import { call, say } from "../support/provider_double.ts";
import { putFiles } from "../support/put_files.ts";
import { inPlace } from "../support/tau_place.ts";
import { isCompiled, runTau, type TauRun } from "../support/tau_process.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** A type checker takes long where others work, too. */
const MAX_LIFE_MS = 90_000;

/** A plugin in the output of `--json`. */
interface Said {
  state: "loaded" | "failed" | "skipped";
  path: string;
  message?: string;
  file?: string;
  line?: number;
  column?: number;
  tools?: string[];
  events?: string[];
  warnings?: string[];
}

Deno.test("the plugin of docs/plugins.md, and one that tau plugins new wrote and somebody changed, are used", async () => {
  await inPlace({
    script: [
      say(
        "",
        call("hello", { who: "Ada" }),
        call("count_words", { sentence: "three short words" }),
      ),
      say("Greeted."),
    ],
    plugins: {
      "count_words.js": await docBlock(
        "docs/plugins.md",
        "js",
        '"count_words"',
      ),
    },
  }, async ({ tau, ask, request }) => {
    const made = await tau(["plugins", "new", "hello"]);
    assert.equal(made.code, 0, made.stderr);
    const path = made.stdout.trim();
    const text = await Deno.readTextFile(path);
    const changed = text.replace("Hello, ", "Good day, ");
    assert.notEqual(changed, text);
    await Deno.writeTextFile(path, changed);

    const [checked, used] = await Promise.all([
      tau(["plugins", "check", path], { maxLifeMs: MAX_LIFE_MS }),
      ask(["greet Ada"]),
    ]);
    assert.equal(checked.code, 0, checked.stdout);
    const types = await isCompiled() ? "not checked: .*" : "right";
    assert.match(
      checked.stdout,
      new RegExp(`tools +hello\n +types are ${types}\n$`),
    );
    assert.equal(used.stdout, "Greeted.\n");
    assert.equal(used.code, 0);
    const told = request(1).text;
    assert(told.includes("Good day, Ada!") && told.includes("3 words"), told);
  });
});

const PLUGINS = {
  "a_good.ts": `
import type { PluginAPI } from "tau";
export default function (tau: PluginAPI): void {
  console.log("net", Deno.permissions.querySync({ name: "net" }).state);
  tau.on("session_start", () => console.log("session_start was told"));
  tau.registerCommand("hi", { handler() {} });
}`,
  "b_syntax.ts": "export default function () {\n  const x = ;\n}\n",
  "c_throws.ts":
    'export default function () {\n  throw new Error("no luck");\n}\n',
  "d_none.ts": "export const x = 1;\n",
  "e_schema.js": `
export default (tau) => tau.registerTool({
  name: "odd", label: "Odd", description: "Odd",
  parameters: { anyOf: [{ type: "string" }] },
  execute: () => Promise.resolve({ content: [] }),
});`,
  "f_waits/mod.ts": "await new Promise(() => {});\nexport default () => {};\n",
};

Deno.test("tau plugins list loads plugins as a run would, in a kernel, and says what became of each", async () => {
  await inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/home/plugins`, { recursive: true });
    await putFiles(`${folder}/home/plugins`, PLUGINS);
    await putFiles(folder, { "project/.tau/plugins/x.ts": "" });
    const run = await runTau(["plugins", "list", "--json", "--timeout", "1"], {
      cwd: `${folder}/project`,
      env: { TAU_HOME: `${folder}/home` },
    });
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^net (?:denied|prompt)$/m);
    assert.doesNotMatch(run.stderr, /session_start was told/);
    const [good, syntax, throws, none, schema, waits, skipped] = saidBy(run);
    assert.deepEqual([good?.state, good?.events], ["loaded", [
      "session_start",
    ]]);
    const line = await isCompiled() ? undefined : 2;
    assert.deepEqual([syntax?.state, syntax?.line], ["failed", line]);
    assert.match(syntax?.message ?? "", /^Syntax error/);
    assert.deepEqual([throws?.state, throws?.line], ["failed", 2]);
    assert.match(throws?.message ?? "", /no luck/);
    assert.match(none?.message ?? "", /no default export/);
    assert.equal(schema?.state, "loaded");
    assert.match(schema?.warnings?.[0] ?? "", /"odd" is left out/);
    assert.match(waits?.message ?? "", /did not end/);
    assert.deepEqual([skipped?.state, skipped?.path], [
      "skipped",
      `${folder}/project/.tau/plugins/x.ts`,
    ]);
  });
});

Deno.test("tau plugins list blames the plugin that never gives JavaScript back, and no other", async () => {
  await inTempFolder(async (home) => {
    await putFiles(home, {
      "plugins/a_spins.js": "while (true);\n",
      "plugins/b_good.js": "export default () => {};\n",
    });
    const run = await runTau(["plugins", "--json", "--timeout", "1"], {
      env: { TAU_HOME: home },
    });
    assert.equal(run.code, 1);
    const [spins, good] = saidBy(run);
    assert.match(spins?.message ?? "", /^The kernel hung.*"a_spins"/);
    assert.equal(good?.state, "loaded");
  });
});

Deno.test("tau plugins check says where types are wrong, as editors read it", async () => {
  await inTempFolder(async (folder) => {
    await putFiles(folder, {
      "wrong.ts": `import { type PluginAPI, Type } from "tau";
export default function (tau: PluginAPI): void {
  tau.registerTool({
    name: "add",
    label: "Add",
    description: "Adds",
    parameters: Type.Object({ by: Type.Number() }),
    execute: (_id, { by }) => Promise.resolve({ content: [by] }),
  });
}
`,
    });
    const run = await runTau(["plugins", "check", "wrong.ts"], {
      cwd: folder,
      env: { TAU_HOME: `${folder}/home` },
      maxLifeMs: MAX_LIFE_MS,
    });
    if (await isCompiled()) return assert.match(run.stdout, /not checked/);
    assert.equal(run.code, 1);
    assert(
      run.stdout.startsWith(`${folder}/wrong.ts:8:`),
      run.stdout + run.stderr,
    );
    assert.match(run.stdout, /'number' is not assignable/);
  });
});

function saidBy({ stdout }: TauRun): Said[] {
  return JSON.parse(stdout);
}

Deno.test("tau plugins list tells of each plugin once, of one that fails behind its own back too", async () => {
  await inTempFolder(async (home) => {
    await putFiles(home, {
      "plugins/calm.ts": "export default () => {};",
      "plugins/forgets.ts":
        `export default () => { Promise.reject(new Error("lost")); };`,
    });
    const run = await runTau(["plugins", "list", "--json"], {
      env: { TAU_HOME: home },
    });
    assert.equal(run.code, 1, run.stderr);
    const said: Said[] = JSON.parse(run.stdout);
    assert.deepEqual(
      said.map(({ path, state, message = "" }) => [
        path.slice(path.lastIndexOf("/") + 1),
        state,
        message.split(" (")[0],
      ]),
      [["calm.ts", "loaded", ""], ["forgets.ts", "failed", "lost"]],
    );
  });
});
