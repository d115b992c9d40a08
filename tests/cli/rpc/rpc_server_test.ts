import assert from "node:assert/strict";
import fc from "fast-check";
import { RpcServer } from "../../../src/cli/rpc/rpc_server.ts";
import type { RpcLine, RpcResponse } from "../../../src/cli/rpc/rpc_line.ts";
import { emptyUsage, textOf } from "../../../src/model/message.ts";
import type { AssistantDelta, DeltaSource } from "../../../src/model/stream.ts";
import { childEnvironment } from "../../support/host_run.ts";
import { putFiles } from "../../support/put_files.ts";
import { inTempFolder } from "../../support/temp_folder.ts";

/** Says what it was told last, after a moment. */
const echo: DeltaSource = async function* (_model, { messages }) {
  const said = messages.findLast(({ role }) => role === "user");
  await Promise.resolve();
  const deltas: AssistantDelta[] = [
    { type: "text_start", contentIndex: 0 },
    {
      type: "text_delta",
      contentIndex: 0,
      delta: `to ${said ? textOf(said.content) : "nothing"}`,
    },
    { type: "text_end", contentIndex: 0 },
    { type: "done", reason: "stop", usage: emptyUsage() },
  ];
  yield deltas;
};

interface Served {
  server: RpcServer;
  lines: RpcLine[];
  say(command: Record<string, unknown>): Promise<void>;
}

/** Lends a server that a scripted model answers. */
async function serve(
  { files = {}, source = echo }: {
    files?: Record<string, string>;
    source?: DeltaSource;
  },
  use: (served: Served) => Promise<void>,
): Promise<void> {
  await inTempFolder(async (folder) => {
    const [cwd, home] = [`${folder}/work`, `${folder}/home`];
    for (const one of [cwd, home]) Deno.mkdirSync(one);
    await putFiles(home, files);
    const lines: RpcLine[] = [];
    const server = await RpcServer.open({
      cwd,
      model: "test/scripted",
      source,
      session: {},
      maxRetries: 0,
      context: {
        instructionFiles: false,
        home,
        project: undefined,
        isTrusted: () => false,
      },
      env: { ...childEnvironment(), TAU_HOME: home },
      providers: {
        test: { api: "openai-completions", baseUrl: "http://127.0.0.1:9" },
      },
      kernel: {
        entry: new URL("../../../src/kernel/main.ts", import.meta.url),
        config: new URL("../../../deno.json", import.meta.url),
      },
    }, {
      send: (line) => void lines.push(line),
      log: () => {},
      leave: () => {},
    });
    try {
      await use({
        server,
        lines,
        say: (command) => server.take({ command }),
      });
    } finally {
      await server.close();
    }
  });
}

function responses(lines: readonly RpcLine[]): RpcResponse[] {
  return lines.filter((line) => line.type === "response");
}

/** The data of the response to the only command of a type. */
function dataOf(lines: readonly RpcLine[], type: string): unknown {
  const [response] = responses(lines).filter(({ command }) => command === type);
  assert.equal(response?.error, undefined);
  return response?.data;
}

const kinds = [
  ...["prompt", "steered", "followed"] as const,
  ...["steer", "follow_up", "abort", "bash", "get_state"] as const,
];

function commandOf(
  kind: typeof kinds[number],
  id: number,
): Record<string, unknown> {
  const message = `#${id}#`;
  switch (kind) {
    case "steered":
      return { id, type: "prompt", message, streamingBehavior: "steer" };
    case "followed":
      return { id, type: "prompt", message, streamingBehavior: "followUp" };
    case "bash":
      return { id, type: "bash", command: "true", excludeFromContext: true };
    default:
      return { id, type: kind, message };
  }
}

Deno.test("RpcServer.take() answers every command once, and loses nothing that was said, in whatever order things come", async () => {
  await serve({}, async ({ server, lines, say }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(fc.constantFrom(...kinds), fc.nat({ max: 12 })),
          { minLength: 1, maxLength: 8 },
        ),
        async (commands) => {
          lines.length = 0;
          const taken: Promise<void>[] = [];
          for (const [index, [kind, ticks]] of commands.entries()) {
            taken.push(say(commandOf(kind, index)));
            for (let tick = 0; tick < ticks; tick++) {
              await new Promise((resolve) => setTimeout(resolve));
            }
          }
          await Promise.all(taken);
          await server.idle();
          assert.deepEqual(
            responses(lines).map(({ id }) => Number(id)).sort(),
            commands.map((_, index) => index),
          );
          assert(responses(lines).every(({ success }) => success));
          const said = lines.flatMap((line) =>
            line.type === "message_end" && line.message.role === "user"
              ? [textOf(line.message.content)]
              : []
          );
          const wanted = commands.flatMap(([kind], index) =>
            ["abort", "bash", "get_state"].includes(kind) ? [] : [`#${index}#`]
          );
          assert.deepEqual(said.sort(), wanted.sort());
          const started = lines.filter(({ type }) => type === "agent_start");
          const results = lines.filter(({ type }) => type === "result");
          assert.equal(results.length, started.length);
        },
      ),
      { numRuns: 40 },
    );
  });
});

Deno.test("RpcServer.take() answers hostile lines, and goes on", async () => {
  await serve({}, async ({ lines, say }) => {
    const hostile = [
      { type: { toString: 1 } },
      { type: "__proto__" },
      { type: "constructor", id: ["a"] },
      { id: 1 },
      { type: "extension_ui_response", id: { toString: 1 } },
      { type: "prompt", message: ["a"] },
      { type: "prompt", message: "a", images: [{ type: "image" }] },
      { type: "prompt", message: "/skill:none" },
      { type: "bash", command: 1 },
      { type: "switch_session", sessionPath: "/" },
      { type: "set_model", provider: "nobody", modelId: "nothing" },
      { type: "set_thinking_level", level: "nonsense" },
      { type: "set_session_name", name: " " },
    ];
    for (const command of hostile) await say(command);
    assert.deepEqual(
      responses(lines).map(({ success }) => success),
      hostile.map(() => false),
    );
    await say({ id: "s", type: "get_state" });
    assert.equal(responses(lines).at(-1)?.success, true);
    assert.equal(lines.filter(({ type }) => type === "result").length, 0);
  });
});

Deno.test("RpcServer.take() tells of templates, models, levels, entries and the session's name", async () => {
  const files = { "prompts/review.md": "Look at $1" };
  await serve({ files }, async ({ server, lines, say }) => {
    await say({ type: "prompt", message: "/review it" });
    await server.idle();
    for (
      const command of [
        { type: "get_commands" },
        { type: "get_available_models" },
        { type: "get_available_thinking_levels" },
        { type: "cycle_thinking_level" },
        { type: "set_session_name", name: "a name" },
        { type: "get_entries" },
        { type: "get_state" },
        { type: "get_last_assistant_text" },
      ]
    ) await say(command);
    assert.deepEqual(dataOf(lines, "get_commands"), {
      commands: [{ name: "review", source: "prompt" }],
    });
    const { models } = dataOf(lines, "get_available_models") as {
      models: { provider: string }[];
    };
    assert(models.some(({ provider }) => provider === "test"));
    assert.deepEqual(dataOf(lines, "get_available_thinking_levels"), {
      levels: ["off"],
    });
    assert.deepEqual(dataOf(lines, "cycle_thinking_level"), {
      thinkingLevel: "off",
    });
    const { entries, leafId } = dataOf(lines, "get_entries") as {
      entries: { id: string; type: string }[];
      leafId: string;
    };
    assert.equal(entries.at(-1)?.id, leafId);
    assert.equal(entries.at(-1)?.type, "session_info");
    const state = dataOf(lines, "get_state") as Record<string, unknown>;
    assert.equal(state.sessionName, "a name");
    assert.deepEqual(dataOf(lines, "get_last_assistant_text"), {
      text: "to Look at it",
    });
  });
});

Deno.test("RpcServer.settled() waits for what runs, and leaves no question open", async () => {
  await serve({}, async ({ server, lines, say }) => {
    await say({ id: "b", type: "bash", command: "sleep 0.1; echo done" });
    await say({ id: "p", type: "prompt", message: "and this" });
    await server.settled();
    assert.deepEqual(
      responses(lines).map(({ id, success }) => [id, success]).sort(),
      [["b", true], ["p", true]],
    );
    assert.equal(lines.filter(({ type }) => type === "result").length, 1);
  });
});
