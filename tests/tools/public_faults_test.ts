// Faults that other agents' users reported about read, write and edit, on a
// real folder, with exact bytes.
import assert from "node:assert/strict";
import { fileTools, hexOf } from "../support/file_tools.ts";
import { inTempFolder } from "../support/temp_folder.ts";

Deno.test("read() and edit() neither show, lose nor double a byte order mark", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/b.txt`, "\ufeffone\ntwo\n");
    const { read, edit } = fileTools(folder);
    assert.equal(await read({ path: "b.txt" }), "one\ntwo\n");
    await edit({
      path: "b.txt",
      edits: [{ oldText: "one\ntwo", newText: "one\nTWO" }],
    });
    assert.equal(await hexOf(`${folder}/b.txt`), "efbbbf6f6e650a54574f0a");
    await edit({
      path: "b.txt",
      edits: [{ oldText: "\ufeffone\nTWO", newText: "\ufeffone\n2" }],
    });
    assert.equal(await hexOf(`${folder}/b.txt`), "efbbbf6f6e650a320a");
  }));

Deno.test("edit() writes dollar patterns as they are", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/d.sh`, "pre X post");
    const { details } = fileTools(folder);
    const newText = "$& $$ $1 $` $' $<n> \\1";
    const result = await details({
      path: "d.sh",
      edits: [{ oldText: "X", newText }],
    });
    assert.equal(
      await hexOf(`${folder}/d.sh`),
      "70726520242620242420243120246020242720243c6e3e205c3120706f7374",
    );
    assert.deepEqual(result.details, {
      diff: `-1 pre X post\n+1 pre ${newText} post`,
      patch:
        `--- d.sh\n+++ d.sh\n@@ -1,1 +1,1 @@\n-pre X post\n\\ No newline at end of file\n+pre ${newText} post\n\\ No newline at end of file\n`,
      firstChangedLine: 1,
    });
  }));

Deno.test("edit() and write() change the target of a link and leave the link", () =>
  inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/real`);
    await Deno.mkdir(`${folder}/link`);
    await Deno.writeTextFile(`${folder}/real/c.ini`, "v=1\n");
    await Deno.symlink("../real/c.ini", `${folder}/link/c.ini`);
    const { edit, write } = fileTools(folder);
    await edit({
      path: "link/c.ini",
      edits: [{ oldText: "v=1", newText: "v=2" }],
    });
    assert.equal(await Deno.readTextFile(`${folder}/real/c.ini`), "v=2\n");
    await write({ path: "link/c.ini", content: "v=3\n" });
    assert.equal(await Deno.readTextFile(`${folder}/real/c.ini`), "v=3\n");
    assert.equal(await Deno.readLink(`${folder}/link/c.ini`), "../real/c.ini");
    assert.deepEqual(await namesIn(`${folder}/real`), ["c.ini"]);
    assert.deepEqual(await namesIn(`${folder}/link`), ["c.ini"]);
  }));

Deno.test("edit() loses no change when calls to one file run at once, by whatever name", () =>
  inTempFolder(async (folder) => {
    await Deno.symlink("n.txt", `${folder}/alias.txt`);
    const { edit } = fileTools(folder);
    for (let round = 0; round < 20; round++) {
      await Deno.writeTextFile(
        `${folder}/n.txt`,
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
      );
      const results = await Promise.all([
        edit({ path: "n.txt", edits: [{ oldText: "3", newText: "three" }] }),
        edit({ path: "./n.txt", edits: [{ oldText: "7", newText: "seven" }] }),
        edit({ path: "alias.txt", edits: [{ oldText: "9", newText: "nine" }] }),
      ]);
      assert.deepEqual(results.filter((text) => text.startsWith("ERROR")), []);
      assert.equal(
        await Deno.readTextFile(`${folder}/n.txt`),
        "1\n2\nthree\n4\n5\n6\nseven\n8\nnine\n",
      );
    }
  }));

Deno.test("read() tells an empty file from one with a blank line", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/empty.txt`, "");
    await Deno.writeTextFile(`${folder}/nl.txt`, "\n");
    await Deno.writeTextFile(`${folder}/bom.txt`, "\ufeff");
    const { read } = fileTools(folder);
    assert.equal(
      await read({ path: "empty.txt" }),
      "[The file is empty (0 bytes).]",
    );
    assert.equal(await read({ path: "nl.txt" }), "\n\n[1 line, blank.]");
    assert.equal(
      await read({ path: "bom.txt" }),
      "[The file holds nothing but a byte order mark.]",
    );
  }));

Deno.test("read() names binary files and decodes UTF-16, without NUL and U+FFFD", () =>
  inTempFolder(async (folder) => {
    await Deno.writeFile(
      `${folder}/x.ods`,
      bytes("PK\x03\x04\0\0\0\x08\xff\xfe"),
    );
    await Deno.writeFile(
      `${folder}/tool`,
      bytes("\x7fELF\x02\x01\x01" + "\0\x80".repeat(300)),
    );
    await Deno.writeFile(`${folder}/u16.txt`, bytes("\xff\xfeh\0i\0\n\0"));
    await Deno.writeFile(`${folder}/u16be.txt`, bytes("\xfe\xff\0h\0i\xd8\0"));
    const { read } = fileTools(folder);
    assert.equal(
      await read({ path: "x.ods" }),
      "[Binary file (ZIP archive), 10B: not shown as text.]",
    );
    assert.equal(
      await read({ path: "tool" }),
      "[Binary file (ELF program), 607B: not shown as text.]",
    );
    assert.equal(
      await read({ path: "u16.txt" }),
      "hi\n\n[Decoded from UTF-16LE.]",
    );
    assert.equal(
      await read({ path: "u16be.txt" }),
      "hi\\ufffd\n\n[Decoded from UTF-16BE.]",
    );
  }));

Deno.test("read() and edit() refuse pipes, devices and directories at once", () =>
  inTempFolder(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await Deno.mkdir(`${folder}/dir`);
    const { read, edit, write } = fileTools(folder);
    const pipe = "it is a named pipe, not a regular file";
    assert.equal(
      await read({ path: "pipe" }),
      `ERROR Cannot read "pipe": ${pipe}`,
    );
    assert.equal(
      await edit({ path: "pipe", edits: [{ oldText: "a", newText: "b" }] }),
      `ERROR Cannot edit "pipe": ${pipe}`,
    );
    assert.equal(
      await write({ path: "pipe", content: "a" }),
      `ERROR Cannot write "pipe": ${pipe}`,
    );
    assert.equal(
      await read({ path: "/dev/zero", limit: 1 }),
      'ERROR Cannot read "/dev/zero": it is a character device, not a regular file',
    );
    assert.equal(
      await read({ path: "dir" }),
      'ERROR Cannot read "dir": it is a directory; use ls to list it',
    );
  }));

Deno.test("read() refuses /dev/stdin when that is a silent pipe", async () => {
  const script = `
    import { createReadTool } from ${
    JSON.stringify(import.meta.resolve("../../src/tools/factories.ts"))
  };
    try {
      await createReadTool("/").execute("call", { path: "/dev/stdin" });
    } catch (error) {
      await Deno.stdout.write(new TextEncoder().encode(error.message));
    }`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--config",
      new URL("../../deno.json", import.meta.url).pathname,
      "--no-check",
      "--no-lock",
      "--quiet",
      "data:text/typescript," + encodeURIComponent(script),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  // The child ends by itself although nobody writes to it or closes its stdin.
  const [text] = await Promise.all([
    new Response(child.stdout).text(),
    child.status,
  ]);
  await child.stdin.close();
  assert.equal(
    text,
    'Cannot read "/dev/stdin": it is a named pipe, not a regular file',
  );
});

Deno.test("edit() and write() keep mode bits, and new files get the usual ones", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/s.sh`, "#!/bin/sh\necho 1\n");
    await Deno.chmod(`${folder}/s.sh`, 0o750);
    await Deno.writeTextFile(`${folder}/c.conf`, "k=1\n");
    await Deno.chmod(`${folder}/c.conf`, 0o640);
    const { edit, write } = fileTools(folder);
    await edit({
      path: "s.sh",
      edits: [{ oldText: "echo 1", newText: "echo 2" }],
    });
    await write({ path: "c.conf", content: "k=2\n" });
    await write({ path: "new/deep/n.txt", content: "n\n" });
    const mode = async (path: string) =>
      ((await Deno.stat(`${folder}/${path}`)).mode ?? 0) & 0o7777;
    const umask = Deno.umask();
    assert.deepEqual(
      await Promise.all(
        ["s.sh", "c.conf", "new/deep/n.txt", "new", "new/deep"].map(mode),
      ),
      [0o750, 0o640, 0o644 & ~umask, 0o777 & ~umask, 0o777 & ~umask],
    );
    const { stdout } = await new Deno.Command(`${folder}/s.sh`).output();
    assert.equal(new TextDecoder().decode(stdout), "2\n");
  }));

Deno.test("edit() of a 20 MB line keeps its details small", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(
      `${folder}/one.txt`,
      "x".repeat(20_000_000) + "MARK\n",
    );
    const { details } = fileTools(folder);
    const result = await details({
      path: "one.txt",
      edits: [{ oldText: "MARK", newText: "DONE" }],
    });
    const file = await Deno.readTextFile(`${folder}/one.txt`);
    assert.equal(file.length, 20_000_005);
    assert.equal(file.slice(-6), "xDONE\n");
    const x = "x".repeat(100);
    assert.deepEqual(result.details, {
      diff:
        `-1 [19999900 characters] …${x}MARK\n+1 [19999900 characters] …${x}DONE`,
      firstChangedLine: 1,
    });
  }));

function bytes(latin1: string): Uint8Array {
  return Uint8Array.from(latin1, (character) => character.charCodeAt(0));
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map((entry) =>
    entry.name
  ).sort();
}
