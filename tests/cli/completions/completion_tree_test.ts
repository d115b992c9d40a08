import assert from "node:assert/strict";
import { parseCommandLine } from "../../../src/cli/command_line.ts";
import {
  type CompletedCommand,
  completionTree,
} from "../../../src/cli/completions/completion_tree.ts";
import { FakeSink, FakeSource } from "../fake_streams.ts";
import { runCli } from "../../../src/cli/run_cli.ts";

Deno.test("completionTree() has every option that a run takes, and what its value is", async () => {
  const run = await command("");
  const { flags } = await parseCommandLine([]) as { flags: object };
  const known = [...Object.keys(flags), "help", "version"];
  assert.deepEqual(
    run.options.map(({ long }) => long).toSorted(),
    known.toSorted(),
  );
  const values = new Map(run.options.map(({ long, value }) => [long, value]));
  assert.deepEqual(values.get("print"), { kind: "none" });
  assert.deepEqual(values.get("cd"), { kind: "folder" });
  assert.deepEqual(values.get("output-schema"), { kind: "file" });
  assert.deepEqual(values.get("timeout"), { kind: "text" });
  assert.deepEqual(values.get("on-limit"), {
    kind: "words",
    words: ["stop", "summarize"],
  });
});

Deno.test("completionTree() offers only commands and words that are understood", async () => {
  for (const { name, words } of await completionTree()) {
    for (const word of words) {
      const needsMore = (name === "sessions" && word !== "list") ||
        (name === "plugins" && (word === "check" || word === "new"));
      const args = [name, word, ...(needsMore ? ["3afa9a54"] : [])];
      const { kind } = await parseCommandLine(args);
      assert.equal(kind, name, args.join(" "));
    }
  }
});

Deno.test("completionTree() has the command of no name first, and nothing hidden", async () => {
  const [first, ...others] = await completionTree();
  assert.equal(first?.name, "");
  for (const name of ["demo", "sessions", "schema", "completions"]) {
    assert.ok(others.some((other) => other.name === name), name);
  }
  for (const { name } of others) assert.match(name, /^[a-z-]+$/);
});

Deno.test("tau completions prints a script for a shell that it knows, and says which those are", async () => {
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout } = await tau(["completions", shell]);
    assert.equal(code, 0);
    assert.ok(stdout.includes("--output-last-message") || shell === "fish");
    assert.ok(stdout.includes("output-last-message"));
  }
  for (const args of [["completions"], ["completions", "constructor"]]) {
    const { code, stdout, stderr } = await tau(args);
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /^tau: Expected a shell, such as .*bash.*\n$/);
  }
});

async function command(name: string): Promise<CompletedCommand> {
  const found = (await completionTree()).find((one) => one.name === name);
  return found ?? assert.fail(`no command ${name}`);
}

async function tau(
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const stdout = new FakeSink(false);
  const stderr = new FakeSink(false);
  const code = await runCli({
    args,
    env: {},
    stdin: new FakeSource([]),
    stdout,
    stderr,
    kernel: { entry: new URL("file:///kernel.ts") },
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}
