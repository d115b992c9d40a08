import assert from "node:assert/strict";
import { createFindTool } from "../../src/tools/factories.ts";
import { folderTool } from "../support/folder_tool.ts";

const inFolder = folderTool(createFindTool);

Deno.test("find matches a pattern with a folder against the path, any other against the name", async () => {
  await inFolder({
    "src/top.spec.ts": "",
    "src/a/b/x.spec.ts": "",
    "src/a/b/y.ts": "",
    "src/a/[id].spec.ts": "",
  }, async (find, folder) => {
    const lines = async (pattern: string, path?: string) =>
      (await find(path === undefined ? { pattern } : { pattern, path })).text
        .split("\n");
    assert.deepEqual(await lines("src/**/*.spec.ts"), [
      "src/a/[id].spec.ts",
      "src/a/b/x.spec.ts",
      "src/top.spec.ts",
    ]);
    assert.deepEqual(await lines("**/b/*"), [
      "src/a/b/x.spec.ts",
      "src/a/b/y.ts",
    ]);
    assert.deepEqual(await lines("src/a/**"), [
      "src/a/[id].spec.ts",
      "src/a/b/x.spec.ts",
      "src/a/b/y.ts",
    ]);
    const named = ["src/a/[id].spec.ts", "src/a/b/x.spec.ts"];
    assert.deepEqual(await lines("*.spec.ts", "src/a"), named);
    for (const path of named) await Deno.stat(`${folder}/${path}`);
    assert.deepEqual(await lines("./src/*.ts"), ["src/top.spec.ts"]);
    assert.deepEqual(await lines(`${folder}/src/*.ts`), ["src/top.spec.ts"]);
    assert.deepEqual(await lines("b"), ["src/a/b/"]);
    assert.deepEqual(await lines("src/*/"), ["src/a/"]);
    assert.deepEqual(await lines("[!a-m].ts"), ["src/a/b/y.ts"]);
    assert.deepEqual(await lines("*.{spec,test}.ts", "src/a/b"), [
      "src/a/b/x.spec.ts",
    ]);
    assert.deepEqual(await lines("-exec"), ["No files found matching pattern"]);
  });
});

Deno.test("find ignores case only for a pattern without capitals", async () => {
  await inFolder({ "README.md": "", "readme.txt": "" }, async (find) => {
    assert.equal(
      (await find({ pattern: "readme*" })).text,
      "README.md\nreadme.txt",
    );
    assert.equal((await find({ pattern: "README*" })).text, "README.md");
  });
});

Deno.test("find says what it did not search", async () => {
  await inFolder({
    ".git/HEAD": "",
    ".gitignore": "build/\n",
    "build/g.txt": "",
    ".hidden/h.txt": "",
  }, async (find) => {
    assert.equal(
      (await find({ pattern: "g.txt" })).text,
      "No files found matching pattern\n\n[1 ignored and 2 hidden entries were not searched; name the path to search them]",
    );
    assert.equal(
      (await find({ pattern: "*", path: "build" })).text,
      "build/g.txt",
    );
    assert.equal(
      (await find({ pattern: "*", path: ".hidden" })).text,
      ".hidden/h.txt",
    );
  });
});

Deno.test("find says that there is more only when there is", async () => {
  await inFolder({ a: "", b: "", c: "" }, async (find) => {
    assert.equal((await find({ pattern: "*", limit: 3 })).text, "a\nb\nc");
    const limited = await find({ pattern: "*", limit: 2 });
    assert.equal(
      limited.text,
      "a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]",
    );
    assert.deepEqual(limited.details, { resultLimitReached: 2 });
  });
});

Deno.test("find cuts a long list by size", async () => {
  const files = Array.from(
    { length: 300 },
    (_, i) => [`${i}`.padStart(3, "0") + "x".repeat(200), ""],
  );
  await inFolder(Object.fromEntries(files), async (find) => {
    const { text, details } = await find({ pattern: "*" });
    assert.match(
      text,
      /x\n\n\[50\.0KB limit reached; refine pattern, or search a path below\]$/,
    );
    assert.equal(
      (details as { truncation: { outputLines: number } }).truncation
        .outputLines,
      250,
    );
  });
});

Deno.test("find explains a path that is none and a glob that is too much", async () => {
  await inFolder({ "source/a": "" }, async (find, folder) => {
    assert.equal(
      (await find({ pattern: "*", path: "sorce" })).text,
      'Cannot read "sorce": no such file; did you mean "source"',
    );
    assert.equal(
      (await find({ pattern: "*", path: "source/a" })).text,
      `Not a directory: ${folder}/source/a`,
    );
    const globs = [
      "*a".repeat(20),
      "**/a/".repeat(20) + "b",
      "{a,aa}".repeat(20),
    ];
    for (const glob of globs) {
      assert.equal(
        (await find({ pattern: glob })).text,
        `Invalid glob "${glob}": too many wildcards or too long`,
      );
    }
    assert.equal(
      (await find({ pattern: "" })).text,
      'Invalid glob "": it is empty',
    );
    for (const glob of ["../*", "a/./b", "**/..", ".."]) {
      assert.equal(
        (await find({ pattern: glob })).text,
        `Invalid glob "${glob}": it holds "." or ".."; name the folder to look in with path`,
      );
    }
  });
});

Deno.test("find takes parentheses and plus signs for themselves, and never hangs on them", async () => {
  await inFolder({
    "app/(auth)/+page.tsx": "",
    "app/auth/page.tsx": "",
    "c++.txt": "",
    [`${"a".repeat(40)}`]: "",
  }, async (find) => {
    const page = "app/(auth)/+page.tsx";
    for (
      const pattern of [
        "app/(auth)/*",
        "app/\\(auth\\)/*",
        "app/[(]*/*",
        "app/{(auth),x}/+page.*",
      ]
    ) assert.equal((await find({ pattern })).text, page, pattern);
    assert.equal((await find({ pattern: "*c++*" })).text, "c++.txt");
    for (const pattern of ["(a+)+b", "(?:a*)+b", "{a,aa}+b"]) {
      const { text, elapsedMs } = await find({ pattern });
      assert.equal(text, "No files found matching pattern");
      assert.ok(elapsedMs < 2000);
    }
  });
});

Deno.test("find names paths as other tools take them, also those that begin with @ or ~", async () => {
  await inFolder({ "@scope/a.ts": "", "~/a.ts": "" }, async (find) => {
    const { text } = await find({ pattern: "*.ts" });
    assert.equal(text, "./@scope/a.ts\n./~/a.ts");
    assert.equal(
      (await find({ pattern: "*.ts", path: "./@scope" })).text,
      "./@scope/a.ts",
    );
    assert.equal(
      (await find({ pattern: "*.ts", path: "@scope" })).text,
      'Cannot read "@scope": no such file; did you mean "@scope"; the @ was left out, write ./@ for a name that begins with it',
    );
  });
});
