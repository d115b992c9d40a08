import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { needing } from "../support/needs.ts";
import { inPlace, readRequest } from "../support/tau_place.ts";

/** A plugin whose author was mistaken. */
interface Mistake {
  /** Lines before the plugin's function. */
  imports?: string;
  /** Its function, before it registers the tool. */
  setup?: string;
  /** Further members of the tool. */
  members?: string;
  /** What the tool does, before it answers with `out`. */
  work?: string;
  /** What the model reads. Default `went on`. */
  result?: RegExp;
  /** What people read of it; absent where nothing is wrong. */
  told?: RegExp;
}

const MISTAKES: Record<string, Mistake> = {
  stray_read: {
    work: `Deno.readTextFile(ctx.cwd + "/nope.txt");`,
    told: /nope\.txt|No such file/,
  },
  stray_node_read: {
    imports: `import { readFile } from "node:fs/promises";`,
    work: `readFile(ctx.cwd + "/nope.txt");`,
    told: /ENOENT/,
  },
  stray_spawn: {
    imports: `import { spawn } from "node:child_process";`,
    work: `spawn("no-such-program", [], { env: { PATH: "/usr/bin" } });`,
    told: /spawn/,
  },
  stray_stream: {
    imports: `import { createReadStream } from "node:fs";`,
    work: `createReadStream(ctx.cwd + "/nope.txt").on("data", () => {});`,
    told: /ENOENT/,
  },
  stray_fetch: { work: `fetch("http://127.0.0.1:9/");`, told: /port 9/ },
  stray_json: { work: `new Response("{").json();`, told: /JSON/ },
  stray_connect: {
    imports: `import { connect } from "node:net";`,
    work: `connect(9, "127.0.0.1");`,
    told: /127\.0\.0\.1|ECONNREFUSED/,
  },
  stray_crypto: {
    work:
      `crypto.subtle.importKey("raw", new Uint8Array(3), "AES-GCM", false, ["encrypt"]);`,
    told: /key/i,
  },
  stray_write: {
    work: `Deno.writeTextFile("/etc/x", "y");`,
    told: /write|read/,
  },
  stray_command: {
    work: `new Deno.Command("no-such-program").output();`,

    result: /no-such-program/,
  },
  stray_watch: {
    imports: `import { watch } from "node:fs";`,
    work: `watch(ctx.cwd + "/nope");`,
    result: /^went on/,
    told: /ENOENT/,
  },
  stray_emit: {
    imports: `import { EventEmitter } from "node:events";`,
    work:
      `setTimeout(() => new EventEmitter().emit("error", new Error("boom")), 5);`,
    told: /boom/,
  },
  stray_null: { work: `Promise.reject(null);`, told: /null/ },
  stray_api: { work: `tau.fetch("http://127.0.0.1:9/");`, told: /127/ },
  stray_dynamic_import: {
    work: `import("./not_there.ts");`,
    told: /not_there/,
  },
  stray_worker: {
    work:
      `new Worker(new URL("./not_there.ts", import.meta.url), { type: "module" });`,
    result: /^went on/,
    told: /child worker/,
  },
  stray_microtask: {
    work: `queueMicrotask(() => { throw new Error("later"); });`,
    told: /later/,
  },
  node_access: {
    imports: `import { access } from "node:fs/promises";`,
    work: `await access(ctx.cwd + "/note.txt");`,
  },
  node_access_callback: {
    imports: `import { access } from "node:fs";`,
    work:
      `out = await new Promise((r) => access(ctx.cwd + "/note.txt", (e) => r(e ?? "went on")));`,
  },
  node_exec: {
    imports: `import { execSync } from "node:child_process";`,
    work: `out = execSync("echo went on", { encoding: "utf8" });`,
  },
  node_spawn: {
    imports: `import { spawn } from "node:child_process";`,
    work:
      `out = await new Promise((r, n) => { const c = spawn("echo", ["went", "on"]); let s = ""; c.stdout.on("data", (d) => s += d); c.on("close", () => r(s)); c.on("error", n); });`,
  },
  temp_folders: {
    imports:
      `import { tmpdir } from "node:os"; import { mkdtemp } from "node:fs/promises";`,
    work:
      `await mkdtemp(tmpdir() + "/x-"); await Deno.makeTempDir(); await Deno.makeTempFile();`,
  },
  environment: {
    work:
      `out = ["FOO_BAR", "EDITOR"].map((name) => String(process.env[name])).join() + " " + String(Deno.env.get("NOPE")) + (process.env.HOME ? " home" : "");`,
    result: /^undefined,undefined undefined home$/,
  },
  environment_all: {
    work:
      `out = Object.keys({ ...process.env }).length > 0 ? "went on" : "nothing";`,
  },
  tools_of_its_own: {
    imports: `import { createBashTool } from "tau";`,
    work:
      `out = (await createBashTool(ctx.cwd).execute("1", { command: "echo went on" })).content[0].text;`,
  },
  system_facts: {
    imports:
      `import { userInfo, hostname, homedir, platform, cpus } from "node:os";`,
    work:
      `out = homedir().length > 0 && platform() ? "went on" : "no"; try { hostname(); cpus(); userInfo(); } catch {}`,
  },
  string_result: {
    work: `return "just a string";`,
    result: /expected \{ content/,
  },
  no_result: { work: `return;`, result: /expected \{ content/ },
  odd_details: {
    work:
      `return { content: [{ type: "text", text: "went on" }], details: { f() {}, d: new Date(), m: new Map(), u: undefined, b: 10n } };`,
    result: /details cannot be written as JSON/,
  },
  odd_fields: {
    work:
      `return { content: [{ type: "text", text: "went on" }], usage: { input: "many" }, addedToolNames: 5, terminate: "yes", isError: "no" };`,
    result: /usage lacks/,
  },
  odd_updates: {
    work:
      `onUpdate("progress"); onUpdate({ content: "x" }); await onUpdate({});`,
    result: /expected \{ content/,
  },
  odd_notices: {
    work:
      `ctx.ui.notify("saved", "success"); ctx.ui.notify(undefined); ctx.ui.notify({ a: 1 }, 5); ctx.ui.notify("x".repeat(3e6));`,
  },
  odd_label: {
    members: `label: { a: 1 }, promptSnippet: 5,`,
    told: /promptSnippet is not a text/,
    result: /Tool odd_label not found/,
  },
  odd_commands: {
    setup:
      `tau.registerCommand("odd", { description: 5, handler() {} }); tau.registerFlag("odd", { type: "string", description: {} });`,
  },
  odd_message: {
    work:
      `tau.sendMessage({ customType: "a", content: [{ type: "text", text: 5 }], display: 1 });`,
    result: /neither text nor an image/,
  },
  odd_entry: {
    work:
      `tau.appendEntry("a", { d: new Date(), f() {} }); tau.appendEntry("a", undefined); tau.appendEntry("a", 10n);`,
    result: /data cannot be written/,
  },
  odd_dialog: {
    work: `await ctx.ui.select("x", ["a", 5]);`,
    result: /ui\.select takes texts/,
  },
  unknown_event: { setup: `tau.on("nope", () => {});`, told: /nope/ },
  unknown_option: {
    members: `promptSnipet: "short", handelr: 5, cache: {},`,
    told:
      /The tool "unknown_option" has "promptSnipet", which means nothing; did you mean "promptSnippet"/,
  },
  unknown_option_of_a_command: {
    setup:
      `tau.registerCommand("odder", { descripton: "x", handler() {} }); tau.registerFlag("odder", { type: "string", defualt: "x" });`,
    told:
      /The command "odder" has "descripton", which[^]*The flag "odder" has "defualt", which/,
  },
  unknown_send_option: {
    work:
      `tau.sendMessage({ customType: "a", content: "x" }, { deliverAs: "nope" });`,
    result: /^went on/,
    told: /deliverAs is "steer" or "followUp"/,
  },
  handler_throws: {
    setup: `tau.on("turn_start", () => { throw new Error("in a handler"); });`,
    told: /in a handler/,
  },
  tool_throws: {
    work: `throw new Error("the tool is broken");`,
    result: /the tool is broken/,
  },
  tool_throws_text: { work: `throw "a text";`, result: /a text/ },
};

/** Those that other plugins would notice. */
const OF_THE_WHOLE_RUN: Record<string, Mistake> = {
  handler_returns_junk: {
    setup: `tau.on("tool_result", () => 5);`,
    told: /returned a number/,
    result: /is withheld: the plugin "handler_returns_junk"/,
  },
  exits: {
    work: `try { Deno.exit(3); } catch {}`,
    result: /code 3, in the plugin "exits"/,
    told: /left out until/,
  },
  process_exits: {
    work: `try { process.exit(3); } catch {}`,
    result: /code 3, in the plugin "process_exits"/,
    told: /left out until/,
  },
};

function pluginOf([name, mistake]: [string, Mistake]): string {
  return `${mistake.imports ?? ""}
export default function (tau) {
  ${mistake.setup ?? ""}
  tau.registerTool({
    name: ${JSON.stringify(name)},
    description: "A tool",
    executionMode: "sequential",
    ${mistake.members ?? ""}
    parameters: tau.Type.Object({}),
    async execute(id, params, signal, onUpdate, ctx) {
      let out = "went on";
      ${mistake.work ?? ""}
      await new Promise((resolve) => setTimeout(resolve, 40));
      return { content: [{ type: "text", text: String(out) }] };
    },
  });
}
`;
}

/** Runs a prompt in which the model calls the tool of each plugin. */
async function assertTold(mistakes: [string, Mistake][]): Promise<void> {
  await inPlace({
    script: [say("", ...mistakes.map(([name]) => call(name, {}))), say("done")],
    files: { "work/note.txt": "alpha\n" },
    plugins: Object.fromEntries(
      mistakes.map((mistake) => [`${mistake[0]}.ts`, pluginOf(mistake)]),
    ),
  }, async ({ ask, requests }) => {
    const { code, stderr } = await ask(["--max-retries", "0", "hi"]);
    assert.equal(code, 0, stderr);
    const results = readRequest(requests.at(-1)).said("tool");
    assert.equal(results.length, mistakes.length);
    for (const [place, [name, { result, told }]] of mistakes.entries()) {
      assert.match(results[place] ?? "", result ?? /^went on\s*$/, name);
      const lines = stderr.split("\n").filter((line) =>
        line.startsWith(`tau: Plugin "${name}" `)
      ).join("\n");
      if (told) assert.match(lines, told, `${name}: ${lines}`);
      else assert.equal(lines, "", name);
    }
  });
}

Deno.test("no mistake of a plugin ends a run or another plugin, and each is told with its plugin", async () => {
  await assertTold(Object.entries(MISTAKES));
});

for (const mistake of Object.entries(OF_THE_WHOLE_RUN)) {
  Deno.test(`the mistake ${mistake[0]} ends no run, and is told with its plugin`, async () => {
    await assertTold([mistake]);
  });
}

/** Members of a tool that shows itself, and what is seen of it. */
const RENDERERS: Record<
  string,
  { members: string; seen?: string; told?: RegExp }
> = {
  lines: {
    members: `renderCall: () => ["one line", 2], renderResult: () => [],`,
    seen: "one line\n2",
  },
  text: {
    members: `renderCall: () => "a text\\nof two lines",`,
    seen: "a text\nof two lines",
  },
  component: {
    members: `renderCall: () => ({ render: (width) => ["in " + width] }),`,
    seen: "in 80",
  },
  promise: {
    members: `async renderCall() { return ["late"]; },`,
    seen: "late",
  },
  state: {
    members:
      `renderCall(args, theme, ctx) { ctx.state.n = 1; return ["begins"]; }, renderResult(result, options, theme, ctx) { return ["ends " + ++ctx.state.n]; },`,
    seen: "begins\nends 2",
  },
  nothing: { members: `renderCall: () => null,`, seen: "nothing {}" },
  number: {
    members: `renderCall: () => 5,`,
    seen: "number {}",
    told: /failed in renderCall: It returned neither lines nor a text/,
  },
  throws: {
    members: `renderResult() { throw new Error("no picture"); },`,
    told: /failed in renderResult: no picture/,
  },
  huge: {
    members: `renderCall: () => Array(3e5).fill("y".repeat(300)),`,
    seen: "yyyy",
  },
};

needing("script")(
  "renderers that give a text, a component, a promise or junk end no run, and the call is shown",
  async () => {
    const tools = Object.entries(RENDERERS);
    await inPlace({
      script: [say("", ...tools.map(([name]) => call(name, {}))), say("done")],
      plugins: Object.fromEntries(
        tools.map((
          [name, { members }],
        ) => [`${name}.ts`, pluginOf([name, { members }])]),
      ),
    }, async ({ shell }) => {
      const { code, stdout } = await shell(
        `script -qec "stty cols 80; \${TAU[*]@Q} -p hi" /dev/null`,
        { env: { TERM: "xterm", NO_COLOR: "1" } },
      );
      const screen = stdout.replaceAll("\r", "");
      assert.equal(code, 0, screen);
      assert.match(screen, /done\s*$/);
      for (const [name, { seen = "", told }] of tools) {
        assert(screen.includes(seen), `${name}: ${screen.slice(0, 4000)}`);
        const isTold = screen.includes(`Plugin "${name}"`);
        assert.equal(isTold, told !== undefined, name);
        if (told) assert.match(screen, told);
      }
    });
  },
);
