import assert from "node:assert/strict";
import fc from "fast-check";
import { createLocalSearchOperations } from "../../src/operations/search_operations.ts";
import { needing } from "../support/needs.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { Pacer } from "../../src/tools/pacer.ts";
import { Omissions, walk } from "../../src/tools/walk.ts";

async function list(
  root: string,
): Promise<{ paths: string[]; omissions: Omissions }> {
  const omissions = new Omissions();
  const operations = createLocalSearchOperations();
  const options = { operations, omissions, pacer: new Pacer() };
  const entries = (await Array.fromAsync(walk(root, options))).flat();
  const files = entries.filter(({ kind }) => kind !== "directory");
  return { paths: files.map(({ path }) => path), omissions };
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args,
    cwd,
    clearEnv: true,
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_SYSTEM: "/dev/null",
    },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

const name = fc.constantFrom(
  ...["a", "b", "foo", "foo.log", "x y", "[id]", "!b", "#c", "A", "é"],
);
const path = fc.array(name, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"));
const rule = fc.oneof(
  fc.constantFrom(
    ...["a", "a/", "/a", "/a/", "*.log", "!*.log", "foo", "!foo", "!foo/"],
    ...["foo/*", "!foo/a", "a/**", "**/b", "a/**/b", "*", "!*/", "!/a/foo"],
    ...["x y", "x\\ y", "\\!b", "\\#c", "# c", "[id]", "\\[id\\]", "[!a]oo"],
    ...["fo?", "", " ", "b ", "é", "/*", "!a/b", "a/b", "**", "/**/foo"],
  ),
  fc.tuple(fc.constantFrom("", "!"), path, fc.constantFrom("", "/"))
    .map((parts) => parts.join("")),
);
const rules = fc.array(rule, { maxLength: 5 })
  .map((lines) => lines.join("\n") + "\n");
const tree = fc.record({
  files: fc.uniqueArray(path, { minLength: 1, maxLength: 14 }),
  ignoreFiles: fc.array(
    fc.tuple(
      fc.oneof(fc.constant(""), path.map((folder) => `${folder}/`)),
      rules,
    ),
    { maxLength: 4 },
  ),
  exclude: fc.oneof(fc.constant(""), rules),
});

needing("git")(
  "walk() lists what git lists, on random trees and rules",
  async () => {
    await inTempFolder(async (root) => {
      await git(root, "init", "-q");
      await fc.assert(
        fc.asyncProperty(tree, async ({ files, ignoreFiles, exclude }) => {
          for (const entry of await Array.fromAsync(Deno.readDir(root))) {
            if (entry.name !== ".git") {
              await Deno.remove(`${root}/${entry.name}`, { recursive: true });
            }
          }
          await Deno.mkdir(`${root}/.git/info`, { recursive: true });
          await Deno.writeTextFile(`${root}/.git/info/exclude`, exclude);
          const put = async (path: string, text: string) => {
            const folder = path.slice(0, path.lastIndexOf("/") + 1);
            try {
              await Deno.mkdir(`${root}/${folder}`, { recursive: true });
              await Deno.writeTextFile(`${root}/${path}`, text);
            } catch {
              // The name is taken by a file or a folder.
            }
          };
          for (const path of files) await put(path, "");
          for (const [folder, text] of ignoreFiles) {
            await put(`${folder}.gitignore`, text);
          }

          const asked = ["ls-files", "-co", "--exclude-standard", "-z"];
          const listed = await git(root, ...asked);
          const expected = listed.split("\0").filter((path) =>
            path && !/(?:^|\/)\./.test(path)
          );
          const { paths } = await list(root);
          assert.deepEqual(paths.toSorted(), expected.toSorted());
        }),
        { numRuns: 80, endOnFailure: true },
      );
    });
  },
);

Deno.test("walk() gives paths in the order of their code units and does not follow links", () =>
  inTempFolder(async (root) => {
    const names = ["a/b", "a-b", "a.b", "B", "é", "a/c/d"];
    await putFiles(root, Object.fromEntries(names.map((name) => [name, ""])));
    await Deno.symlink("..", `${root}/a/loop`);
    const { paths } = await list(root);
    assert.deepEqual(paths, ["B", "a-b", "a.b", "a/b", "a/c/d", "a/loop", "é"]);
    assert.deepEqual(paths, paths.toSorted());
  }));

Deno.test("walk() counts what it leaves out, folders as one", () =>
  inTempFolder(async (root) => {
    await putFiles(root, {
      ".gitignore": "build/\n*.log\n",
      ".ignore": "!keep.log\nmore/\n",
      ".git/config": "",
      ".env": "",
      "build/a": "",
      "build/b": "",
      "more/a": "",
      "x.log": "",
      "keep.log": "",
      "src/.hidden/a": "",
      "src/a": "",
    });
    const { paths, omissions } = await list(root);
    assert.deepEqual(paths, ["keep.log", "src/a"]);
    assert.deepEqual(omissions.sentences(), [
      "3 ignored and 4 hidden entries were not searched; name the path to search them",
    ]);
  }));

Deno.test("walk() applies the rules above a folder, but not those against the folder itself", () =>
  inTempFolder(async (root) => {
    await putFiles(root, {
      ".git/info/exclude": "excluded\n",
      ".gitignore": "*.log\n/build/\n/build/sub/no/\n",
      "build/.gitignore": "local\n",
      "build/sub/a": "",
      "build/sub/a.log": "",
      "build/sub/local": "",
      "build/sub/excluded": "",
      "build/sub/no/a": "",
    });
    assert.deepEqual((await list(`${root}/build/sub`)).paths, ["a"]);
    assert.deepEqual((await list(root)).paths, []);
  }));

Deno.test("walk() hears an abort between two batches", () =>
  inTempFolder(async (root) => {
    await putFiles(
      root,
      Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i}`, ""])),
    );
    const controller = new AbortController();
    const batches = walk(root, {
      operations: createLocalSearchOperations(),
      pacer: new Pacer(controller.signal),
      omissions: new Omissions(),
    });
    await batches.next();
    controller.abort(new Error("enough"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await assert.rejects(batches.next(), /enough/);
  }));

Deno.test("walk() ends soon on ignore rules and names made to take for ever", () =>
  inTempFolder(async (root) => {
    await putFiles(root, {
      ".gitignore": `${"*a".repeat(40)}b\n${"**/a/".repeat(40)}b\nskipped\n`,
      ["a".repeat(200)]: "",
      skipped: "",
    });
    const startMs = performance.now();
    assert.deepEqual((await list(root)).paths, ["a".repeat(200)]);
    assert.ok(performance.now() - startMs < 1000);
  }));
