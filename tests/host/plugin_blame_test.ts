import assert from "node:assert/strict";
import { emptyUsage } from "../../src/model/message.ts";
import type { AssistantDelta, DeltaSource } from "../../src/model/stream.ts";
import { atOnce } from "../support/at_once.ts";
import { type HostRun, runInHost } from "../support/host_run.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Calls the tool `stuck` again and again. */
const source: DeltaSource = async function* () {
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

Deno.test("startRun() names the plugin whose tool spins, printing or not, or overflows the heap, and keeps the session", async () => {
  await atOnce([
    "for (;;);",
    "const all = []; for (;;) all.push(new Array(1e5).fill(all.length));",
    "for (;;) { console.log(1); for (let end = Date.now() + 100; Date.now() < end;); }",
  ], async (body) => {
    await runWith({
      culprit: tool(body),
      other: `tau.on("tool_call", async () => {});`,
    }, async ({ result, left }) => {
      assert.equal(result.exitCode, 32);
      assert.match(
        result.error?.message ?? "",
        /, in the plugin "culprit"(;|$)/m,
      );
      assert.deepEqual(left, []);
      const stored = await Deno.readTextFile(result.session.file ?? "");
      assert.match(stored, /"name":"stuck"/);
    });
  });
});

Deno.test("startRun() names the plugin whose handler, function or module spins", async () => {
  await atOnce([
    `tau.on("agent_start", () => { for (;;); });`,
    "for (;;);",
  ], async (text) => {
    await runWith({ spin: text }, ({ result }) => {
      assert.equal(result.exitCode, 32);
      assert.match(result.error?.message ?? "", /, in the plugin "spin"/);
      return Promise.resolve();
    });
  });
});

Deno.test("startRun() blames no plugin that had returned", async () => {
  await runWith({
    calm: tool(
      `setTimeout(() => { for (;;); }, 0); return { content: [] };`,
    ),
  }, ({ result }) => {
    assert.equal(result.exitCode, 32);
    assert.doesNotMatch(result.error?.message ?? "", /plugin/);
    return Promise.resolve();
  });
});
