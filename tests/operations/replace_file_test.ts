import assert from "node:assert/strict";
import type { FileSystemCalls } from "../../src/operations/guarded_paths.ts";
import { createLocalFileOperations } from "../../src/operations/local_file_operations.ts";
import { inTempFolder } from "../support/temp_folder.ts";

const HOUR_MS = 60 * 60 * 1000;

const OLD = "old bytes";
const NEW = "new and longer bytes";

Deno.test("writeFile() leaves the old bytes and no other file, whichever call fails", () =>
  inTempFolder(async (folder) => {
    const path = `${folder}/f.txt`;
    for (const [kind, prepare] of Object.entries(situations(folder))) {
      for (let n = 1;; n++) {
        await prepare();
        const before = await Deno.readTextFile(path).catch(() => undefined);
        const faults = failAtCall(n);
        const outcome = await createLocalFileOperations({ calls: faults.calls })
          .writeFile(path, new TextEncoder().encode(NEW))
          .then(() => "written", () => "failed");
        const after = await Deno.readTextFile(path).catch(() => undefined);
        const expected = outcome === "written" ? NEW : before;
        assert.equal(after, expected, `${kind}, call ${n}`);
        assert.deepEqual(await tempFiles(folder), [], `${kind}, call ${n}`);
        if (!faults.failed()) break;
        assert.ok(n < 60);
      }
    }
  }));

Deno.test("writeFile() keeps mode bits, and new files and folders get the usual ones", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/s.sh`, OLD);
    await Deno.chmod(`${folder}/s.sh`, 0o750);
    const operations = createLocalFileOperations();
    await operations.mkdir(`${folder}/new/deep`);
    for (const path of ["s.sh", "new/deep/n"]) {
      await operations.writeFile(`${folder}/${path}`, new Uint8Array(1));
    }
    const umask = Deno.umask();
    for (
      const [path, mode] of [
        ["s.sh", 0o750],
        ["new/deep/n", 0o644 & ~umask],
        ["new", 0o777 & ~umask],
        ["new/deep", 0o777 & ~umask],
      ] as const
    ) {
      const stat = await Deno.stat(`${folder}/${path}`);
      assert.equal((stat.mode ?? 0) & 0o7777, mode, path);
    }
  }));

Deno.test("writeFile() writes a file with other hard links in place and says so", () =>
  inTempFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/f.txt`, OLD);
    await Deno.link(`${folder}/f.txt`, `${folder}/twin.txt`);
    const outcome = await createLocalFileOperations()
      .writeFile(`${folder}/f.txt`, new TextEncoder().encode("new"));
    assert.equal(outcome.inPlace, "it has other hard links");
    assert.equal(await Deno.readTextFile(`${folder}/twin.txt`), "new");
  }));

Deno.test("writeFile() writes in place where the folder takes no new file, the owner would change, or the file is a mount", () =>
  inTempFolder(async (folder) => {
    const path = `${folder}/f.txt`;
    const refusals: [string, Partial<FileSystemCalls>][] = [
      ["its folder takes no new files", {
        open: (path, options) =>
          options?.createNew
            ? Promise.reject(new Deno.errors.PermissionDenied("no"))
            : Deno.open(path, options),
      }],
      ["its owner would change", {
        chown: () => Promise.reject(new Deno.errors.PermissionDenied("no")),
        open: async (path, options) => {
          const file = await Deno.open(path, options);
          const stat = async () => ({ ...await file.stat(), uid: 4711 });
          return options?.createNew ? withStat(file, stat) : file;
        },
      }],
      ["it is a mount point", {
        rename: () => Promise.reject(new Deno.errors.Busy("no")),
      }],
    ];
    for (const [reason, changed] of refusals) {
      await Deno.writeTextFile(path, OLD);
      await Deno.chmod(path, 0o600);
      const { ino } = await Deno.stat(path);
      const calls = { ...Deno, ...changed };
      const outcome = await createLocalFileOperations({ calls })
        .writeFile(path, new TextEncoder().encode("new"));
      assert.equal(outcome.inPlace, reason);
      assert.equal(await Deno.readTextFile(path), "new");
      assert.equal((await Deno.stat(path)).ino, ino);
      assert.deepEqual(await tempFiles(folder), []);
    }
  }));

Deno.test("writeFile() refuses when the file was replaced while the new one was prepared", () =>
  inTempFolder(async (folder) => {
    const path = `${folder}/f.txt`;
    await Deno.writeTextFile(path, OLD);
    const calls: FileSystemCalls = {
      ...Deno,
      chmod: async (temp, mode) => {
        await Deno.writeTextFile(`${folder}/theirs`, "theirs");
        await Deno.rename(`${folder}/theirs`, path);
        await Deno.chmod(temp, mode);
      },
    };
    await assert.rejects(
      createLocalFileOperations({ calls }).writeFile(path, new Uint8Array(1)),
      { name: "FileChangedError" },
    );
    assert.equal(await Deno.readTextFile(path), "theirs");
    assert.deepEqual(await tempFiles(folder), []);
  }));

Deno.test("writeFile() removes what a killed process left in the folder, and nothing else", () =>
  inTempFolder(async (folder) => {
    const old = new Date(Date.now() - 2 * HOUR_MS);
    const left = `.tau-${crypto.randomUUID()}.tmp`;
    const fresh = `.tau-${crypto.randomUUID()}.tmp`;
    const named = [".tau-notes.tmp", `x${left}`, left.toUpperCase()];
    for (const name of [left, fresh, ...named]) {
      await Deno.writeTextFile(`${folder}/${name}`, "x");
      if (name !== fresh) await Deno.utime(`${folder}/${name}`, old, old);
    }
    const link = `.tau-${crypto.randomUUID()}.tmp`;
    await Deno.symlink(`${folder}/.tau-notes.tmp`, `${folder}/${link}`);
    const operations = createLocalFileOperations();
    await operations.writeFile(`${folder}/a.txt`, new Uint8Array(1));

    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name);
    assert.deepEqual(names.sort(), ["a.txt", fresh, link, ...named].sort());
  }));

Deno.test("writeFile() looks for leftovers once in each folder, and writes where it cannot look", () =>
  inTempFolder(async (folder) => {
    const looked: string[] = [];
    const operations = createLocalFileOperations({
      calls: {
        ...Deno,
        readDir: (path) => {
          looked.push(String(path));
          throw new Deno.errors.PermissionDenied("no");
        },
      },
    });
    await Deno.mkdir(`${folder}/b`);
    for (const name of ["a.txt", "c.txt", "b/d.txt", "a.txt"]) {
      await operations.writeFile(`${folder}/${name}`, new Uint8Array(1));
    }
    assert.deepEqual(looked, [folder, `${folder}/b`]);
  }));

function situations(folder: string): Record<string, () => Promise<void>> {
  const [path, twin] = [`${folder}/f.txt`, `${folder}/twin.txt`];
  const clear = async () => {
    for (const name of [path, twin]) await Deno.remove(name).catch(() => {});
  };
  const existing = async () => {
    await clear();
    await Deno.writeTextFile(path, OLD);
  };
  return {
    "a new file": clear,
    "an existing file": existing,
    "a file with two links": async () => {
      await existing();
      await Deno.link(path, twin);
    },
  };
}

/** Deno's calls, of which the n-th fails as a full or broken disk does. */
function failAtCall(n: number): { calls: FileSystemCalls; failed(): boolean } {
  let made = 0;
  const fault = <T>(call: () => Promise<T>): Promise<T> =>
    ++made === n ? Promise.reject(new Error("Input/output error")) : call();
  const calls: FileSystemCalls = {
    chmod: (...args) => fault(() => Deno.chmod(...args)),
    chown: (...args) => fault(() => Deno.chown(...args)),
    lstat: (...args) => fault(() => Deno.lstat(...args)),
    mkdir: (...args) => fault(() => Deno.mkdir(...args)),
    open: (...args) =>
      fault(async () => faultyFile(await Deno.open(...args), fault)),
    readDir: Deno.readDir,
    readLink: (...args) => fault(() => Deno.readLink(...args)),
    realPath: (...args) => fault(() => Deno.realPath(...args)),
    // Cleaning up is what the test looks at, so it does not fail.
    remove: Deno.remove,
    rename: (...args) => fault(() => Deno.rename(...args)),
    stat: (...args) => fault(() => Deno.stat(...args)),
  };
  return { calls, failed: () => made >= n };
}

function faultyFile(
  file: Deno.FsFile,
  fault: <T>(call: () => Promise<T>) => Promise<T>,
): Deno.FsFile {
  return new Proxy(file, {
    get(target, key) {
      const value = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target);
      if (key === "close") return call;
      // A write that fails may have written some of it.
      if (key === "write") {
        return (data: Uint8Array) =>
          fault(() => call(data.subarray(0, 7))).catch(async (error) => {
            await target.write(data.subarray(0, 3));
            throw error;
          });
      }
      return (...args: unknown[]) => fault(() => call(...args));
    },
  });
}

function withStat(
  file: Deno.FsFile,
  stat: () => Promise<Deno.FileInfo>,
): Deno.FsFile {
  return new Proxy(file, {
    get(target, key) {
      if (key === "stat") return stat;
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function tempFiles(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder));
  return entries.map(({ name }) => name)
    .filter((name) => !["f.txt", "twin.txt"].includes(name));
}
