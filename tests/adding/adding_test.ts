import assert from "node:assert/strict";
import { call, say } from "../support/provider_double.ts";
import { inPlace, type TauPlace } from "../support/tau_place.ts";
import { runTau } from "../support/tau_process.ts";
import { addTo } from "./tree_copy.ts";

// What "How to add" of src/ARCHITECTURE.md promises, tried on a copy of the tree:
// each addition works, and touches no file but those that its paragraph names.

Deno.test("An option acts, and is known to help, completions and pages, after its row", async () => {
  await addTo("An option", async (tree) => {
    await tree.before(
      "src/cli/options/option_table.ts",
      `  "output-last-message": {`,
      `  bell: { help: "ring the terminal's bell when the run has ended" },\n`,
    );
    await tree.after(
      "src/cli/run_command.ts",
      `  warnings.forEach((warning) => console.warn(warning));\n`,
      `  if (flags.bell) console.stderr.write("\\x07");\n`,
    );
  }, async ({ main, root }) => {
    await inPlace({ script: [say("Done.")] }, async ({ ask }) => {
      const { code, stderr } = await ask(["--bell", "go"], { main });
      assert.equal(code, 0);
      assert(stderr.includes("\x07"));
    });
    for (const args of [["--help"], ["completions", "fish"]]) {
      const { stdout } = await runTau(args, { main });
      assert.match(stdout, /bell.*ring the terminal/);
    }
    const page = await Deno.readTextFile(`${root}docs/command-line.md`);
    assert(page.includes("`--bell`"));
  });
});

Deno.test("A limit ends a run with its status after its row", async () => {
  await addTo("A limit", async (tree) => {
    await tree.before(
      "src/cli/options/option_table.ts",
      `  "max-repeats": {`,
      `"max-failed-calls": {
        value: count({ min: 1, max: MAX_COUNT, example: "5" }),
        help: "end after N calls that failed",
        target: "limits.maxFailedCalls",
      },`,
    );
    const limits = "src/session/run_limits.ts";
    await tree.before(
      limits,
      "  /** Times that the same call may have",
      `  /** Calls that failed; no limit when absent. */
       maxFailedCalls?: number | undefined;\n`,
    );
    await tree.before(
      limits,
      "  /** Times in a row that",
      `  failedCalls: number;\n`,
    );
    await tree.before(limits, "    repeats: 0,", `    failedCalls: 0,\n`);
    await tree.before(
      limits,
      "      const seen = JSON",
      `      if (isError) counts.failedCalls++;\n`,
    );
    await tree.before(
      limits,
      "    maxRepeats = DEFAULT_MAX_REPEATS,",
      `    maxFailedCalls = Infinity,\n`,
    );
    await tree.after(
      limits,
      "  return [\n",
      `    {
      kind: "failure_limit",
      reason: "Not run: too many calls have failed",
      isReached: ({ failedCalls }) => failedCalls >= maxFailedCalls,
    },\n`,
    );
    await tree.before(
      "src/session/run_outcome.ts",
      `  | "repeat_limit"`,
      `  | "failure_limit"\n`,
    );
    await tree.before(
      "src/protocol/exit_codes.ts",
      "  /** The same call had",
      "  failure_limit: 20,\n",
    );
    await tree.before(
      "src/host/run_record.ts",
      "  repeat_limit:",
      `  failure_limit: "The run reached the limit of --max-failed-calls",\n`,
    );
    await tree.before(
      "docs/output.md",
      "| 20   | `repeat_limit`",
      "| 20   | `failure_limit` | `--max-failed-calls` is reached |\n",
    );
  }, async ({ main }) => {
    const missing = call("read", { path: "missing.txt" });
    const script = [say("", missing), say("", missing)];
    await inPlace({ script }, async (place) => {
      const lines = await linesOf(place, main, "--max-failed-calls 2");
      const { status, exitCode } = lines.at(-1) ?? {};
      assert.deepEqual([status, exitCode], ["failure_limit", 20]);
    });
  });
});

Deno.test("A built-in tool can be chosen, called and ruled after its entries", async () => {
  await addTo("A tool", async (tree) => {
    await tree.before(
      "src/policy/built_in_tools.ts",
      "  powershell:",
      `  count: { about: "path", reads: true, byDefault: false },\n`,
    );
    await tree.before(
      "src/tools/builtin.ts",
      `  ls: shown({\n    name: "ls",`,
      `  count: shown({
        name: "count",
        label: "count",
        description: "Count the names in a folder.",
        promptSnippet: "Count names",
        parameters: Type.Object({ path: text("Folder to count in") }),
      }),\n`,
    );
    await tree.write(
      "src/tools/count_names.ts",
      `import type { AgentToolResult } from "../agent/agent_tool.ts";
import type { LsOperations } from "../operations/search_operations.ts";
import { fileCall } from "./explain_file_error.ts";
import type { CallOptions, PathToolOptions } from "./tool_options.ts";

/** Counts the names in a folder. */
export async function countNames(
  { path }: { path: string },
  { operations, cwd, homeDir }: CallOptions<PathToolOptions<LsOperations>, undefined>,
): Promise<AgentToolResult<undefined>> {
  const call = { action: "read" as const, path, cwd, homeDir, operations };
  return await fileCall(call, async (root) => {
    const { length } = await operations.readDirectory(root);
    const text = \`\${length} names\`;
    return { content: [{ type: "text", text }], details: undefined };
  });
}
`,
    );
    await tree.before(
      "src/tools/implementations.ts",
      "export { editFile }",
      `export { countNames } from "./count_names.ts";\n`,
    );
    await tree.before(
      "src/tools/factories.ts",
      "/** Settings of the bash tool. */",
      `/** Defines the count tool. */
export const createCountToolDefinition = factory(
  () => FILE_TOOLS.count,
  ({ operations }: PathToolOptions<LsOperations>) =>
    operations ?? createLocalSearchOperations(),
  ({ countNames }) => countNames,
);

/** Makes the count tool. */
export const createCountTool = standalone(createCountToolDefinition);

`,
    );
    await tree.before(
      "src/sdk/tool_factories.ts",
      "  /** Returns the definition of `ls`",
      `  /** Returns the definition of \`count\`, with operations of your own if you give them. */
  createCountToolDefinition(
    options?: { operations?: LsOperations },
  ): AnyToolDefinition;\n`,
    );
    await tree.before(
      "src/kernel/built_in_tools.ts",
      "    createLsToolDefinition:",
      `    createCountToolDefinition: inRun(createCountToolDefinition, search),\n`,
    );
    await tree.before(
      "src/kernel/built_in_tools.ts",
      "  createEditToolDefinition,",
      `  createCountToolDefinition,\n`,
    );
    await tree.before(
      "build/docs/page_outline.ts",
      `      "createLsToolDefinition",`,
      `      "createCountToolDefinition",\n`,
    );
  }, async ({ main }) => {
    await inPlace(
      { script: [say("", call("count", { path: "." })), say("Done.")] },
      async ({ ask, request }) => {
        const { code } = await ask(["--tools", "count", "go"], { main });
        assert.equal(code, 0);
        assert.equal(request(1).last("tool"), "1 names");
      },
    );
  });
});

Deno.test("A provider is known to runs, models and help after its entry", async () => {
  await addTo("A provider", async (tree) => {
    await tree.before(
      "src/providers/presets.ts",
      `  local("ollama"`,
      `  hosted("example", "https://api.example.com/v1"),\n`,
    );
    await tree.before(
      "docs/models.md",
      "| `ollama`     | none",
      "| `example` | `EXAMPLE_API_KEY` | `openai-completions` |\n",
    );
  }, async ({ main }) => {
    await inPlace({ script: [say("Hello.")] }, async ({ ask, url }) => {
      const run = await ask(["--model", "example/any", "go"], {
        main,
        env: { EXAMPLE_API_KEY: "sk-CANARY", EXAMPLE_BASE_URL: url },
      });
      assert.equal(run.stdout, "Hello.\n");
    });
    const { stdout } = await runTau(["--help"], { main });
    assert(stdout.includes("EXAMPLE_API_KEY"));
  });
});

Deno.test("An event reaches stdout, the schema and a page after its schema", async () => {
  await addTo("An event", async (tree) => {
    await tree.before(
      "src/protocol/event_schemas.ts",
      `  kind("check_start"`,
      `  kind("check_wanted", { command: text }),\n`,
    );
    await tree.before(
      "src/session/check_goal.ts",
      `  | { type: "check_start"`,
      `  | { type: "check_wanted"; command: string }\n`,
    );
    await tree.before(
      "src/session/check_goal.ts",
      `      await emit({ type: "check_start"`,
      `      await emit({ type: "check_wanted", command });\n`,
    );
    await tree.before(
      "docs/output.md",
      "| `check_start`",
      "| `check_wanted` | the command of `--check` is about to run |\n",
    );
  }, async ({ main }) => {
    await inPlace({ script: [say("Done.")] }, async (place) => {
      const lines = await linesOf(place, main, "--check true");
      assert.deepEqual(
        lines.filter(({ type }) => type === "check_wanted"),
        [{ type: "check_wanted", command: "true" }],
      );
    });
    const { stdout } = await runTau(["schema", "event"], { main });
    assert(stdout.includes("check_wanted"));
  });
});

/** Lines that the changed program prints, which this tree's schemas do not know. */
async function linesOf(
  { shell, cwd }: TauPlace,
  main: string,
  options: string,
): Promise<Record<string, unknown>[]> {
  const format = "--output-format stream-json";
  await shell(`tau -p ${format} ${options} go > lines.txt || true`, { main });
  const text = await Deno.readTextFile(`${cwd}/lines.txt`);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}
