import assert from "node:assert/strict";
import {
  createBashTool,
  createEditTool,
  createGrepTool,
  createReadTool,
  createWriteTool,
} from "../../src/tools/factories.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const PNG = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13]);

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
}

/** Files of a machine elsewhere, and the calls that were made. */
function elsewhere(files: Record<string, string | Uint8Array>) {
  const asked: string[] = [];
  return {
    asked,
    files,
    operations: {
      access(path: string) {
        asked.push(`access ${path}`);
        if (!(path in files)) throw missing(path);
      },
      detectImageMimeType(path: string): string | null {
        asked.push(`detect ${path}`);
        return null;
      },
      readFile(path: string) {
        asked.push(`read ${path}`);
        return files[path] ?? "";
      },
      writeFile(path: string, content: string) {
        asked.push(`write ${path}`);
        files[path] = content;
      },
      mkdir(path: string) {
        asked.push(`mkdir ${path}`);
      },
      listNames: () => ["note.txt"],
    },
  };
}

const textOf = (result: { content: { type: string; text?: string }[] }) =>
  result.content.map(({ text }) => text).join("");

Deno.test("createReadTool() asks access, then for the type of an image, then for the bytes", async () => {
  const { operations, asked } = elsewhere({
    "/far/note.txt": "one\ntwo\n",
    "/far/picture": PNG,
  });
  const read = createReadTool("/far", { operations });
  assert.equal(
    textOf(await read.execute("1", { path: "note.txt", offset: 2 })),
    "two\n",
  );
  assert.deepEqual(asked, [
    "access /far/note.txt",
    "detect /far/note.txt",
    "read /far/note.txt",
  ]);
  // It is no image, since the operations say so.
  const { content } = await read.execute("2", { path: "picture" });
  assert.deepEqual(content.map(({ type }) => type), ["text"]);
  await assert.rejects(
    read.execute("3", { path: "not.txt" }),
    /no such file; did you mean "note.txt"/,
  );
});

Deno.test("createWriteTool() and createEditTool() change files elsewhere", async () => {
  const { operations, files, asked } = elsewhere({ "/far/a": "\ufeffone\r\n" });
  const write = createWriteTool("/far", { operations });
  await write.execute("1", { path: "sub/b", content: "né" });
  assert.equal(files["/far/sub/b"], "né");
  assert.deepEqual(asked, ["mkdir /far/sub", "write /far/sub/b"]);
  const edit = createEditTool("/far", { operations });
  const edits = [{ oldText: "one", newText: "two" }];
  await edit.execute("2", { path: "a", edits });
  assert.equal(files["/far/a"], "\ufefftwo\r\n");
});

Deno.test("createGrepTool() searches by two functions in what the folders here name", async () => {
  await inTempFolder(async (cwd) => {
    await Deno.writeTextFile(`${cwd}/a.txt`, "local");
    const grep = createGrepTool(cwd, {
      operations: {
        isDirectory: (path) => path === cwd,
        readFile: () => "a needle elsewhere\n",
      },
    });
    const found = textOf(await grep.execute("1", { pattern: "needle" }));
    assert.equal(found, "a.txt:1: a needle elsewhere");
  });
});

Deno.test("createBashTool() tells operations the time in seconds, words how they end a command, and keeps what is cut", async () => {
  let seconds: number | undefined;
  const bash = (fail: () => unknown, output = "part\n") =>
    createBashTool("/", {
      operations: {
        exec(_command, _cwd, { onData, timeout }) {
          seconds = timeout;
          onData(new TextEncoder().encode(output));
          const failure = fail();
          if (failure) return Promise.reject(failure);
          return Promise.resolve({ exitCode: 0 });
        },
      },
    });
  const run = (tool: ReturnType<typeof bash>) =>
    tool.execute("1", { command: "build", timeout: 5 });
  await assert.rejects(
    run(bash(() => new Error("aborted"))),
    /^ToolError: part\n\nCommand aborted$/,
  );
  await assert.rejects(
    run(bash(() => new Error(`timeout:${seconds}`))),
    /^ToolError: part\n\nCommand timed out after 5 seconds$/,
  );
  await assert.rejects(run(bash(() => new Error("lost"))), { message: "lost" });
  const long = "line\n".repeat(3000);
  const { details } = await run(bash(() => undefined, long));
  const { fullOutputPath } = details;
  assert.equal(await Deno.readTextFile(fullOutputPath), long);
  await Deno.remove(fullOutputPath);
});
