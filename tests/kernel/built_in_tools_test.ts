import assert from "node:assert/strict";
import {
  builtInTools,
  createToolFactories,
} from "../../src/kernel/built_in_tools.ts";
import type { AnyToolDefinition } from "../../src/sdk/tool_definition.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Tools of a run in a folder. */
function toolsOf(cwd: string, names: string[]): AnyToolDefinition[] {
  const factories = createToolFactories({
    cwd,
    policy: { readRoots: [cwd], writeRoots: [cwd] },
    environment: { PATH: Deno.env.get("PATH") ?? "", TAU_RUN: "the-run" },
    outputDir: cwd,
  }, { killCall: () => Promise.resolve() });
  return builtInTools(factories).filter(({ name }) => names.includes(name));
}

function textOf(result: { content: unknown[] }): string {
  return (result.content[0] as { text: string }).text;
}

Deno.test("createToolFactories() keeps file tools inside the policy's roots, also through links", async () => {
  await inTempFolder(async (folder) => {
    const cwd = `${folder}/work`;
    await Deno.mkdir(cwd);
    await Deno.writeTextFile(`${folder}/secret.txt`, "secret");
    await Deno.symlink(folder, `${cwd}/out`);
    const tools = toolsOf(cwd, ["read", "write", "ls", "grep", "find"]);
    const attacks: Record<string, Record<string, string>[]> = {
      read: [{ path: "../secret.txt" }, { path: "out/secret.txt" }],
      write: [
        { path: "../new.txt", content: "x" },
        { path: "out/new.txt", content: "x" },
      ],
      ls: [{ path: ".." }, { path: "out" }],
      grep: [{ pattern: "secret", path: ".." }, {
        pattern: "secret",
        path: "out",
      }],
      find: [{ pattern: "*.txt", path: "out" }],
    };
    for (const tool of tools) {
      for (const args of attacks[tool.name] ?? assert.fail(tool.name)) {
        await assert.rejects(
          tool.execute("c", args, undefined, undefined, { cwd }),
          Error,
          `${tool.name} ${JSON.stringify(args)}`,
        );
      }
    }
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
    assert.deepEqual(names.sort(), ["secret.txt", "work"]);
  });
});

Deno.test("createToolFactories() keeps the policy where operations are given as undefined", async () => {
  await inTempFolder(async (cwd) => {
    const { createReadToolDefinition } = createToolFactories({
      cwd,
      policy: { readRoots: [cwd], writeRoots: [] },
      environment: {},
      outputDir: cwd,
    }, { killCall: () => Promise.resolve() });
    const options = { operations: undefined } as object;
    await assert.rejects(
      createReadToolDefinition(options)
        .execute("c", { path: "/etc/passwd" }, undefined, undefined, { cwd }),
      /outside the workspace/,
    );
  });
});

Deno.test("createToolFactories() gives commands the run's marker, that the host finds them", async () => {
  await inTempFolder(async (cwd) => {
    const [bash] = toolsOf(cwd, ["bash"]);
    const result = await bash?.execute(
      "c",
      { command: "echo $TAU_RUN $TAU_SESSION_ID" },
      undefined,
      undefined,
      { cwd, sessionEnvironment: { TAU_SESSION_ID: "s1" } },
    );
    assert.equal(result && textOf(result), "the-run s1\n");
  });
});
