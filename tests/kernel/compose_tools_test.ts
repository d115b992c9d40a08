import assert from "node:assert/strict";
import {
  builtInTools,
  chooseTools,
  createToolFactories,
  UnknownToolError,
} from "../../src/kernel/compose_tools.ts";
import { Type } from "@sinclair/typebox";
import type { AnyToolDefinition } from "../../src/sdk/tool_definition.ts";
import { inTempFolder } from "../support/temp_folder.ts";

/** Tools of a run in a folder, each of `more` before a built-in one of its name. */
function toolsOf(
  cwd: string,
  names: string[],
  more: AnyToolDefinition[] = [],
): AnyToolDefinition[] {
  const factories = createToolFactories({
    cwd,
    policy: { readRoots: [cwd], writeRoots: [cwd] },
    environment: { PATH: Deno.env.get("PATH") ?? "", TAU_RUN: "the-run" },
    outputDir: cwd,
  }, { killCall: () => Promise.resolve() });
  return chooseTools(names, [...more, ...builtInTools(factories)]);
}

function textOf(result: { content: unknown[] }): string {
  return (result.content[0] as { text: string }).text;
}

Deno.test("chooseTools() gives the tools that were asked for, in that order", () => {
  const names = [
    ...["ls", "find", "grep", "write", "edit"],
    ...["bash", "powershell", "read"],
  ];
  const tools = toolsOf("/work", names);
  assert.deepEqual(tools.map(({ name }) => name), names);
});

Deno.test("chooseTools() names what there is for a tool that there is not", () => {
  for (const name of ["raed", "__proto__", ""]) {
    assert.throws(
      () => toolsOf("/work", ["read", name]),
      (error: Error) => {
        assert(error instanceof UnknownToolError);
        assert(error.message.startsWith(`Unknown tool "${name}"; available`));
        assert.match(error.message, /read, bash, edit, write/);
        return true;
      },
    );
  }
});

Deno.test("chooseTools() prefers a given tool to a built-in one of its name", () => {
  const mine: AnyToolDefinition = {
    name: "read",
    label: "read",
    description: "",
    parameters: Type.Object({}),
    execute: () => Promise.resolve({ content: [] }),
  };
  const [tool] = toolsOf("/work", ["read"], [mine]);
  assert.equal(tool, mine);
});

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
