import assert from "node:assert/strict";
import { createFindTool } from "../../src/tools/factories.ts";
import { assertTexts, folderTool } from "../support/folder_tool.ts";

const inFolder = folderTool(createFindTool);

Deno.test("find matches a pattern with a folder against the path, any other against the name", () =>
  inFolder({
    "src/top.spec.ts": "",
    "src/a/b/x.spec.ts": "",
    "src/a/b/y.ts": "",
    "src/a/[id].spec.ts": "",
  }, async (find, folder) => {
    const files = ["src/a/[id].spec.ts", "src/a/b/x.spec.ts"];
    await assertTexts(find, [
      [
        { pattern: "src/**/*.spec.ts" },
        [...files, "src/top.spec.ts"].join("\n"),
      ],
      [{ pattern: "**/b/*" }, "src/a/b/x.spec.ts\nsrc/a/b/y.ts"],
      [{ pattern: "src/a/**" }, [...files, "src/a/b/y.ts"].join("\n")],
      [{ pattern: "*.spec.ts", path: "src/a" }, files.join("\n")],
      [{ pattern: "./src/*.ts" }, "src/top.spec.ts"],
      [{ pattern: `${folder}/src/*.ts` }, "src/top.spec.ts"],
      [{ pattern: "b" }, "src/a/b/"],
      [{ pattern: "src/*/" }, "src/a/"],
      [{ pattern: "[!a-m].ts" }, "src/a/b/y.ts"],
      [
        { pattern: "*.{spec,test}.ts", path: "src/a/b" },
        "src/a/b/x.spec.ts",
      ],
      [{ pattern: "-exec" }, "No files found matching pattern"],
    ]);
    for (const path of files) await Deno.stat(`${folder}/${path}`);
  }));

Deno.test("find ignores case only for a pattern without capitals", () =>
  inFolder({ "README.md": "", "readme.txt": "" }, (find) =>
    assertTexts(find, [
      [{ pattern: "readme*" }, "README.md\nreadme.txt"],
      [{ pattern: "README*" }, "README.md"],
    ])));

Deno.test("find explains a path that is none and a glob that is too much", () =>
  inFolder({ "source/a": "" }, async (find, folder) => {
    const invalid = (pattern: string, why: string) =>
      [{ pattern }, `Invalid glob ${JSON.stringify(pattern)}: ${why}`] as const;
    await assertTexts(find, [
      [
        { pattern: "*", path: "sorce" },
        'Cannot read "sorce": no such file; did you mean "source"',
      ],
      [
        { pattern: "*", path: "source/a" },
        `Not a directory: ${folder}/source/a`,
      ],
      ...["*a".repeat(20), "**/a/".repeat(20) + "b", "{a,aa}".repeat(20)]
        .map((glob) => invalid(glob, "too many wildcards or too long")),
      invalid("", "it is empty"),
      ...["../*", "a/./b", "**/..", ".."].map((glob) =>
        invalid(
          glob,
          'it holds "." or ".."; name the folder to look in with path',
        )
      ),
    ]);
  }));

Deno.test("find takes parentheses and plus signs for themselves, and never hangs on them", () =>
  inFolder({
    "app/(auth)/+page.tsx": "",
    "app/auth/page.tsx": "",
    "c++.txt": "",
    [`${"a".repeat(40)}`]: "",
  }, async (find) => {
    const page = "app/(auth)/+page.tsx";
    await assertTexts(find, [
      [{ pattern: "app/(auth)/*" }, page],
      [{ pattern: "app/\\(auth\\)/*" }, page],
      [{ pattern: "app/[(]*/*" }, page],
      [{ pattern: "app/{(auth),x}/+page.*" }, page],
      [{ pattern: "*c++*" }, "c++.txt"],
    ]);
    for (const pattern of ["(a+)+b", "(?:a*)+b", "{a,aa}+b"]) {
      const { text, elapsedMs } = await find({ pattern });
      assert.equal(text, "No files found matching pattern");
      assert.ok(elapsedMs < 2000);
    }
  }));

Deno.test("find names paths as other tools take them, also those that begin with @ or ~", () =>
  inFolder({ "@scope/a.ts": "", "~/a.ts": "" }, (find) =>
    assertTexts(find, [
      [{ pattern: "*.ts" }, "./@scope/a.ts\n./~/a.ts"],
      [{ pattern: "*.ts", path: "./@scope" }, "./@scope/a.ts"],
      [
        { pattern: "*.ts", path: "@scope" },
        'Cannot read "@scope": no such file; did you mean "@scope"; the @ was left out, write ./@ for a name that begins with it',
      ],
    ])));
