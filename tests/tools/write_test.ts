import assert from "node:assert/strict";
import {
  createMemoryOperations,
  type MemoryEntry,
} from "../../src/operations/memory_operations.ts";
import { plainTheme } from "../../src/sdk/theme.ts";
import { createWriteToolDefinition } from "../../src/tools/factories.ts";
import { fileTools } from "../support/file_tools.ts";

function session(tree: Record<string, MemoryEntry>) {
  const operations = createMemoryOperations(tree);
  return { operations, ...fileTools("/w", { operations }) };
}

Deno.test("write() makes a file and its folders, and replaces a file that nobody read", async () => {
  const { write, operations } = session({ "/w/old": "old" });
  assert.equal(
    await write({ path: "a/b/c.txt", content: "c" }),
    "Successfully wrote to a/b/c.txt",
  );
  assert.equal(
    await write({ path: "old", content: "" }),
    "Successfully wrote to old",
  );
  // A leading @ is a mention, so what was written has another name.
  assert.equal(
    await write({ path: "@d.txt", content: "d" }),
    "Successfully wrote to d.txt",
  );
  assert.deepEqual(operations.files(), {
    "/w/old": "",
    "/w/a/b/c.txt": "c",
    "/w/d.txt": "d",
  });
});

Deno.test("write() refuses a file that others changed since it was read, until it is read again", async () => {
  const { read, write, operations } = session({
    "/w/f": "one",
    "/w/link": { link: "f" },
  });
  await read({ path: "link" });
  operations.change("/w/f", "two");
  const refusal =
    'ERROR Cannot write "f": it changed since it was last read or written here; ' +
    "read it again, then repeat the change";
  assert.equal(await write({ path: "f", content: "mine" }), refusal);
  assert.deepEqual(operations.files(), { "/w/f": "two" });
  await read({ path: "f" });
  assert.equal(
    await write({ path: "f", content: "mine" }),
    "Successfully wrote to f",
  );
  assert.equal(
    await write({ path: "f", content: "again" }),
    "Successfully wrote to f",
  );
});

Deno.test("write() after an edit still refuses what others changed before the edit", async () => {
  const { read, write, edit, operations } = session({ "/w/f": "one\n" });
  await read({ path: "f" });
  operations.change("/w/f", "one\ntwo\n");
  assert.match(
    await edit({ path: "f", edits: [{ oldText: "one", newText: "1" }] }),
    /^Success/,
  );
  assert.match(
    await write({ path: "f", content: "1\n" }),
    /^ERROR .*it changed since/,
  );
});

Deno.test("write() makes a file anew that others removed since it was read", async () => {
  const { read, write, operations } = session({ "/w/f": "one" });
  await read({ path: "f" });
  operations.change("/w/f", undefined);
  assert.equal(
    await write({ path: "f", content: "mine" }),
    "Successfully wrote to f",
  );
});

Deno.test("write() refuses folders and text that has no bytes", async () => {
  const { write, operations } = session({
    "/w/dir": { kind: "directory" },
    "/w/file": "x",
  });
  const cases: [string, string, string][] = [
    ["dir", "x", "it is a directory; use ls to list it"],
    ["dir/", "x", "the path names a folder, not a file"],
    ["", "x", "the path names a folder, not a file"],
    ["a/..", "x", "the path names a folder, not a file"],
    ["file/x", "x", "a part of the path is a file, not a folder"],
    [
      "f",
      "\ud83d",
      "content holds half a surrogate pair, which is not text",
    ],
  ];
  for (const [path, content, reason] of cases) {
    assert.equal(
      await write({ path, content }),
      `ERROR Cannot write ${JSON.stringify(path)}: ${reason}`,
    );
  }
  assert.deepEqual(operations.files(), { "/w/file": "x" });
});

Deno.test("write() says when it had to write in place", async () => {
  const operations = createMemoryOperations({});
  const { write } = fileTools("/", {
    operations: {
      ...operations,
      writeFile: async (path, data) => ({
        ...await operations.writeFile(path, data),
        inPlace: "it has other hard links",
      }),
    },
  });
  assert.equal(
    await write({ path: "f", content: "" }),
    "Successfully wrote to f (in place, since it has other hard links)",
  );
});

Deno.test("write() does nothing when it is aborted before its turn", async () => {
  const operations = createMemoryOperations({});
  const { execute } = createWriteToolDefinition("/w", { operations });
  const controller = new AbortController();
  const waiting = execute(
    "id",
    { path: "f", content: "x" },
    controller.signal,
    undefined,
    { cwd: "" },
  );
  controller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.deepEqual(operations.files(), {});
});

Deno.test("write() words what the system says when the disk is full", async () => {
  const operations = createMemoryOperations({});
  const { write } = fileTools("/w", {
    operations: {
      ...operations,
      writeFile: () =>
        Promise.reject(
          Object.assign(new Error("os error 28"), { code: "ENOSPC" }),
        ),
    },
  });
  assert.equal(
    await write({ path: "f", content: "x" }),
    'ERROR Cannot write "f": no space left on the device',
  );
});

Deno.test("write() renders the first lines of what it writes", () => {
  const definition = createWriteToolDefinition("/w");
  assert.deepEqual(
    definition.renderCall?.(
      { path: "/w/f", content: "\x1b[2J\n" + "x\n".repeat(20) },
      plainTheme,
      { cwd: "/w", width: 80 },
    ),
    ["write f", "␛[2J", ...Array(9).fill("x"), "... (11 more lines)"],
  );
});
