// What both implementations must do alike, then what only the local one can.
import assert from "node:assert/strict";
import {
  FileChangedError,
  type FileOperations,
  NotRegularFileError,
  PathRefusedError,
} from "../../src/operations/file_operations.ts";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import { createMemoryOperations } from "../../src/operations/memory_operations.ts";
import { resolveRealPath } from "../../src/operations/guarded_paths.ts";
import type { PathPolicy } from "../../src/policy/path_policy.ts";
import {
  swapWhileReading,
  swapWhileWriting,
} from "../support/swapped_links.ts";
import { inTempFolder } from "../support/temp_folder.ts";

type Make = (policy?: PathPolicy) => FileOperations;

/** Runs a test on `{folder}/ws` and `{folder}/away`, on the disk and in memory. */
function onBoth(
  name: string,
  test: (make: Make, folder: string) => Promise<void>,
): void {
  Deno.test(`createLocalFileOperations() ${name}`, () =>
    inTempFolder(async (folder) => {
      await Deno.mkdir(`${folder}/ws/dir`, { recursive: true });
      await Deno.mkdir(`${folder}/away`);
      await Deno.writeTextFile(`${folder}/ws/a.txt`, "alpha");
      await Deno.writeTextFile(`${folder}/away/s.txt`, "secret");
      await Deno.symlink("../away", `${folder}/ws/exit`);
      await Deno.symlink("../away/new.txt", `${folder}/ws/leaf.txt`);
      await Deno.symlink("dir/../a.txt", `${folder}/ws/round.txt`);
      await Deno.symlink("exit/../ws/made.txt", `${folder}/ws/up.txt`);
      await Deno.symlink("loop", `${folder}/ws/loop`);
      await new Deno.Command("mkfifo", { args: [`${folder}/ws/pipe`] })
        .output();
      await test((policy) => createLocalFileOperations({ policy }), folder);
    }));
  Deno.test(`createMemoryOperations() ${name}`, () =>
    test((policy) =>
      createMemoryOperations({
        "/t/ws/dir": { kind: "directory" },
        "/t/ws/a.txt": "alpha",
        "/t/away/s.txt": "secret",
        "/t/ws/exit": { link: "../away" },
        "/t/ws/leaf.txt": { link: "../away/new.txt" },
        "/t/ws/round.txt": { link: "dir/../a.txt" },
        "/t/ws/up.txt": { link: "exit/../ws/made.txt" },
        "/t/ws/loop": { link: "loop" },
        "/t/ws/pipe": { kind: "named pipe" },
      }, policy && { policy }), "/t"));
}

onBoth("reads through links and names the real file", async (make, folder) => {
  const operations = make();
  assert.equal(await read(operations, `${folder}/ws/round.txt`), "alpha");
  assert.equal(await read(operations, `${folder}/ws/exit/s.txt`), "secret");
  const file = await operations.openFile(`${folder}/ws/round.txt`);
  file.close();
  assert.equal(file.realPath, `${folder}/ws/a.txt`);
  assert.equal(file.stamp.size, 5);
});

onBoth("follows links to nothing, part by part", async (make, folder) => {
  const { realPath } = make();
  for (
    const [path, real] of [
      ["leaf.txt", "away/new.txt"],
      ["exit/x/y", "away/x/y"],
      // `..` behind a link leads to the parent of its target.
      ["up.txt", "ws/made.txt"],
    ]
  ) assert.equal(await realPath(`${folder}/ws/${path}`), `${folder}/${real}`);
  await assert.rejects(realPath(`${folder}/ws/loop`), /loop|too many/i);
});

onBoth("rejects with the class that fits", async (make, folder) => {
  const operations = make();
  const open = (path: string) => operations.openFile(`${folder}/ws/${path}`);
  const write = (path: string) =>
    operations.writeFile(`${folder}/ws/${path}`, new Uint8Array(1));
  const directory = new NotRegularFileError("directory");
  const pipe = new NotRegularFileError("named pipe");
  const { NotADirectory, NotFound } = Deno.errors;
  await assert.rejects(open("none"), NotFound);
  await assert.rejects(open("a.txt/x"), NotADirectory);
  await assert.rejects(open("dir"), directory);
  await assert.rejects(open("pipe"), pipe);
  await assert.rejects(write("none/x"), NotFound);
  await assert.rejects(write("dir"), directory);
  await assert.rejects(write("pipe"), pipe);
  await assert.rejects(operations.mkdir(`${folder}/ws/a.txt`), NotADirectory);
  await assert.rejects(operations.listNames(`${folder}/ws/none`, 9), NotFound);
});

onBoth("lists at most as many names as asked for", async (make, folder) => {
  const operations = make();
  assert.deepEqual(
    (await operations.listNames(`${folder}/ws`, 100)).sort(),
    ["a.txt", "dir", "exit", "leaf.txt", "loop", "pipe", "round.txt", "up.txt"],
  );
  assert.equal((await operations.listNames(`${folder}/ws`, 2)).length, 2);
});

onBoth(
  "writes through links, makes folders, and gives the new stamp",
  async (make, folder) => {
    const operations = make();
    await operations.mkdir(`${folder}/ws/new/deep`);
    await operations.mkdir(`${folder}/ws/new`);
    for (
      const [path, real] of [
        ["new/deep/n", "ws/new/deep/n"],
        ["leaf.txt", "away/new.txt"],
      ]
    ) {
      const at = `${folder}/ws/${path}`;
      const { realPath, stamp } = await operations.writeFile(at, bytes("new"));
      assert.equal(realPath, `${folder}/${real}`);
      assert.equal(await read(operations, realPath), "new");
      const file = await operations.openFile(at);
      file.close();
      assert.deepEqual(file.stamp, stamp);
    }
  },
);

onBoth(
  "refuses to write a file that is not as expected",
  async (make, folder) => {
    const operations = make();
    const options = { expected: { size: 4, mtimeMs: 1 } };
    const write = (name: string) =>
      operations.writeFile(`${folder}/ws/${name}`, bytes("new"), options);
    await assert.rejects(write("a.txt"), FileChangedError);
    assert.equal(await read(operations, `${folder}/ws/a.txt`), "alpha");
    await write("b.txt");
  },
);

onBoth("asks the policy about real paths", async (make, folder) => {
  const roots = [`${folder}/ws`];
  const operations = make({ readRoots: roots, writeRoots: roots });
  const outside = {
    name: "PathRefusedError",
    message: /^outside the workspace/,
  };
  const at = (path: string) => `${folder}/ws/${path}`;
  for (
    const call of [
      () => operations.openFile(at("exit/s.txt")),
      // Whether a file exists outside is not told either.
      () => operations.openFile(at("exit/none.txt")),
      () => operations.listNames(at("exit"), 9),
      () => operations.writeFile(at("exit/x"), bytes("")),
      () => operations.writeFile(at("leaf.txt"), bytes("")),
      () => operations.mkdir(at("exit/deep/er")),
    ]
  ) await assert.rejects(call, outside);
  await assert.rejects(
    operations.writeFile(at(".envrc"), bytes("")),
    /is protected/,
  );
  await operations.writeFile(at("up.txt"), bytes("inside"));
  assert.equal(await read(operations, at("made.txt")), "inside");
});

Deno.test("createLocalFileOperations() refuses a file whose folder became a link while it was opened", () =>
  inTempFolder(async (folder) => {
    await Deno.mkdir(`${folder}/ws/in`, { recursive: true });
    await Deno.mkdir(`${folder}/away`);
    await Deno.writeTextFile(`${folder}/ws/in/f`, "mine");
    await Deno.writeTextFile(`${folder}/away/f`, "secret");
    const roots = [`${folder}/ws`];
    const swap = async () => {
      await Deno.rename(`${folder}/ws/in`, `${folder}/ws/was`);
      await Deno.symlink("../away", `${folder}/ws/in`);
    };
    // The swap happens after the policy was asked, right before the file is opened.
    const operations = createLocalFileOperations({
      policy: { readRoots: roots, writeRoots: roots },
      calls: {
        ...Deno,
        open: async (...args) => {
          await swap();
          return await Deno.open(...args);
        },
      },
    });
    const inFolder = (name: string) => `${folder}/ws/in/${name}`;
    for (
      const call of [
        () => operations.openFile(inFolder("f")),
        () => operations.writeFile(inFolder("f"), bytes("lost")),
        () => operations.writeFile(inFolder("new"), bytes("lost")),
      ]
    ) {
      await assert.rejects(call, PathRefusedError);
      await Deno.remove(`${folder}/ws/in`);
      await Deno.rename(`${folder}/ws/was`, `${folder}/ws/in`);
    }
    assert.equal(await Deno.readTextFile(`${folder}/away/f`), "secret");
    const names = await Array.fromAsync(Deno.readDir(`${folder}/away`));
    assert.deepEqual(names.map((entry) => entry.name), ["f"]);
  }));

Deno.test("file operations read and write nothing outside when a link takes a folder's place between their steps", async () => {
  const reads = await swapWhileReading(400, 1);
  assert.equal(reads.escapes, 0);
  // Else the swaps would not fall between the steps.
  assert(reads.refused > 50 && reads.done > 50, JSON.stringify(reads));
  const writes = await swapWhileWriting(200, 2);
  assert.equal(writes.escapes, 0);
  assert(writes.refused > 30 && writes.done > 30, JSON.stringify(writes));
});

Deno.test("createLocalFileOperations() refuses devices and a silent pipe behind /dev/stdin at once", async () => {
  const operations = createLocalFileOperations();
  await assert.rejects(
    operations.openFile("/dev/zero"),
    new NotRegularFileError("character device"),
  );
  const file = import.meta.resolve(
    "../../src/operations/local_file_operations.ts",
  );
  const script = `const { createLocalFileOperations } = await import("${file}");
    await createLocalFileOperations().openFile("/dev/stdin")
      .catch(({ message }) => console.log(message));`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-lock", "--quiet", script],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  // The child ends by itself although nobody writes to it or closes its stdin.
  const text = await new Response(child.stdout).text();
  await child.status;
  await child.stdin.close();
  assert.equal(text, "Not a regular file but a named pipe\n");
});

Deno.test("createLocalFileOperations() does not wait for ever for a file that has no size and says nothing", () =>
  inTempFolder(async (folder) => {
    const path = `${folder}/kmsg`;
    await Deno.writeTextFile(path, "");
    const calls = {
      ...Deno,
      async open(path: string | URL) {
        const file = await Deno.open(path);
        file.read = () => new Promise(() => {});
        return file;
      },
    };
    const operations = createLocalFileOperations({ calls, maxWaitMs: 20 });
    const file = await operations.openFile(path);
    await assert.rejects(file.read(new Uint8Array(8)), Deno.errors.TimedOut);
    file.close();
  }));

Deno.test("resolveRealPath() gives up after as many links as the system does", () =>
  inTempFolder(async (folder) => {
    for (let i = 0; i < 60; i++) {
      await Deno.symlink(`l${i + 1}`, `${folder}/l${i}`);
    }
    await assert.rejects(resolveRealPath(`${folder}/l0`, Deno));
    assert.deepEqual(await resolveRealPath(`${folder}/l30`, Deno), {
      path: `${folder}/l60`,
      exists: false,
    });
  }));

Deno.test("resolveRealPath() asks the system little for a link with a long target", () =>
  inTempFolder(async (folder) => {
    await Deno.symlink("x/".repeat(1900) + "y", `${folder}/long`);
    await Deno.symlink("x/../".repeat(700) + "y", `${folder}/zigzag`);
    let calls = 0;
    const counted = {
      realPath: (path: string | URL) => (calls++, Deno.realPath(path)),
      readLink: (path: string | URL) => (calls++, Deno.readLink(path)),
    };
    const long = await resolveRealPath(`${folder}/long`, counted);
    assert.equal(long.path, `${folder}/${"x/".repeat(1900)}y`);
    assert.deepEqual(await resolveRealPath(`${folder}/zigzag`, counted), {
      path: `${folder}/y`,
      exists: false,
    });
    assert.ok(calls < 5000, `${calls} calls`);
  }));

async function read(operations: FileOperations, path: string): Promise<string> {
  const file = await operations.openFile(path);
  const buffer = new Uint8Array(100);
  const count = await file.read(buffer) ?? 0;
  assert.equal(await file.read(buffer), null);
  file.close();
  return new TextDecoder().decode(buffer.subarray(0, count));
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
