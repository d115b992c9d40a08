import assert from "node:assert/strict";
import {
  createMemoryOperations,
  type MemoryEntry,
} from "../../src/operations/memory_operations.ts";
import { createWriteTool } from "../../src/tools/factories.ts";
import { editOf, fileTools } from "../support/file_tools.ts";

function session(tree: Record<string, MemoryEntry>) {
  const operations = createMemoryOperations(tree);
  return { operations, ...fileTools("/w", { operations }) };
}

Deno.test("write() makes a file and its folders, and replaces a file that nobody read", async () => {
  const { write, operations } = session({ "/w/old": "old" });
  for (
    const [path, content, name] of [
      ["a/b/c.txt", "c", "a/b/c.txt"],
      ["old", "", "old"],
      // A leading @ is a mention, so what was written has another name.
      ["@d.txt", "d", "d.txt"],
    ] as const
  ) {
    const text = await write({ path, content });
    assert.equal(text, `Successfully wrote to ${name}`);
  }
  assert.deepEqual(operations.files(), {
    "/w/old": "",
    "/w/a/b/c.txt": "c",
    "/w/d.txt": "d",
  });
});

Deno.test("write() refuses a file that others changed since it was read, until it is read again", async () => {
  const { read, write, edit, operations } = session({
    "/w/f": "one",
    "/w/link": { link: "f" },
  });
  const writeF = () => write({ path: "f", content: "mine" });
  await read({ path: "link" });
  operations.change("/w/f", "two");
  const refusal =
    'ERROR Cannot write "f": it changed since it was last read or written here; ' +
    "read it again, then repeat the change";
  assert.equal(await writeF(), refusal);
  assert.deepEqual(operations.files(), { "/w/f": "two" });
  // An edit sees the file, the model does not.
  assert.match(await edit(editOf("f", ["two", "2"])), /^Success/);
  assert.equal(await writeF(), refusal);
  await read({ path: "f" });
  assert.match(await writeF(), /^Success/);
  assert.match(await writeF(), /^Success/);
  operations.change("/w/f", undefined);
  assert.match(await writeF(), /^Success/);
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
    ["f", "\ud83d", "content holds half a surrogate pair, which is not text"],
  ];
  for (const [path, content, reason] of cases) {
    assert.equal(
      await write({ path, content }),
      `ERROR Cannot write ${JSON.stringify(path)}: ${reason}`,
    );
  }
  assert.deepEqual(operations.files(), { "/w/file": "x" });
});

Deno.test("calls begin in their order, whichever tools they are of and though the first one has to load them", async () => {
  const { write, edit, operations } = session({});
  // The one with the most code to load is before the others.
  const texts = await Promise.all([
    edit(editOf("f", ["one", "two"])),
    write({ path: "f", content: "one" }),
    edit(editOf("f", ["one", "two"])),
    write({ path: "f", content: "three" }),
    edit(editOf("f", ["three", "four"])),
  ]);
  assert.match(texts[0] ?? "", /^ERROR .*no such file/);
  assert.ok(texts.slice(1).every((text) => text.startsWith("Success")));
  assert.deepEqual(operations.files(), { "/w/f": "four" });
});

Deno.test("write() says when it had to write in place, and words what the system says when the disk is full", async () => {
  const operations = createMemoryOperations({});
  const writeWith = (writeFile: typeof operations.writeFile) =>
    fileTools("/", { operations: { ...operations, writeFile } })
      .write({ path: "f", content: "" });
  const inPlace = "it has other hard links";
  assert.equal(
    await writeWith(async (...given) => ({
      ...await operations.writeFile(...given),
      inPlace,
    })),
    "Successfully wrote to f (in place, since it has other hard links)",
  );
  const full = Object.assign(new Error("os error 28"), { code: "ENOSPC" });
  assert.equal(
    await writeWith(() => Promise.reject(full)),
    'ERROR Cannot write "f": no space left on the device',
  );
});

Deno.test("write() does nothing when it is aborted before its turn", async () => {
  const operations = createMemoryOperations({});
  const controller = new AbortController();
  const waiting = createWriteTool("/w", { operations })
    .execute("id", { path: "f", content: "x" }, controller.signal);
  controller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.deepEqual(operations.files(), {});
});
