import assert from "node:assert/strict";
import { createLocalSearchOperations } from "../../src/operations/search_operations.ts";
import { createGrepTool } from "../../src/tools/factories.ts";
import { assertTexts, folderTool } from "../support/folder_tool.ts";
import { needing } from "../support/needs.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

const inFolder = folderTool(createGrepTool);

Deno.test("grep takes no pattern for an option, and says when one is no regular expression", () =>
  inFolder({
    "s.md": "a -> b\n--flag=1\n[x](y)\n",
    "evil.sh": "#!/bin/sh\ntouch pwned\ncat\n",
  }, async (grep, folder) => {
    await Deno.chmod(`${folder}/evil.sh`, 0o755);
    await assertTexts(grep, [
      [{ pattern: "--flag" }, "s.md:2: --flag=1"],
      [{ pattern: "-> b" }, "s.md:1: a -> b"],
      [{ pattern: "--pre=./evil.sh" }, "No matches found"],
      [{ pattern: "[x](", literal: true }, "s.md:3: [x](y)"],
    ]);
    await assert.rejects(Deno.stat(`${folder}/pwned`), Deno.errors.NotFound);
    const invalid = await grep({ pattern: "[x](" });
    assert.ok(invalid.isError);
    assert.match(invalid.text, /^Invalid regular expression \/\[x\]\(\/: /);
  }));

Deno.test("grep says what it did not search, and searches it when it is named", () =>
  inFolder({
    ".git/HEAD": "NEEDLE\n",
    ".gitignore": "build/\n",
    "build/g.txt": "NEEDLE\n",
    ".hidden/h.txt": "NEEDLE\n",
    "plain.txt": "NEEDLE\n",
  }, async (grep) => {
    const pattern = "NEEDLE";
    const left =
      "[1 ignored and 2 hidden entries were not searched; name the path to search them]";
    await assertTexts(grep, [
      [{ pattern }, `plain.txt:1: NEEDLE\n\n${left}`],
      [{ pattern, path: "build" }, "build/g.txt:1: NEEDLE"],
      [{ pattern, path: ".hidden" }, ".hidden/h.txt:1: NEEDLE"],
      [{ pattern, path: "build/g.txt" }, "build/g.txt:1: NEEDLE"],
      [{ pattern: "NOWHERE" }, `No matches found\n\n${left}`],
    ]);
  }));

Deno.test("grep bounds what it shows and says what it cut", async () => {
  const many = Array.from({ length: 5000 }, (_, i) => `NEEDLE ${i + 1}`);
  await inFolder({
    "blob.bin": "NEEDLE\0\x01bin",
    "many.txt": many.join("\n"),
    "min.js": "x".repeat(5_000_000) + "NEEDLE" + "y".repeat(100),
  }, async (grep) => {
    const cutLine = `min.js:1: [truncated] ...${"x".repeat(394)}NEEDLE${
      "y".repeat(100)
    }`;
    const all = await grep({ pattern: "NEEDLE" });
    // A file with many matches does not hide the ones behind it.
    assert.deepEqual(all.text.split("\n"), [
      "Binary file blob.bin matches",
      ...many.slice(0, 98).map((line, i) => `many.txt:${i + 1}: ${line}`),
      cutLine,
      "",
      "[100 matches limit reached. Use limit=200 for more, or refine pattern. " +
      "Some lines truncated to 500 chars. Use read tool to see full lines]",
    ]);
    assert.deepEqual(all.details, {
      matchLimitReached: 100,
      linesTruncated: true,
    });

    await assertTexts(grep, [
      [
        { pattern: "NEEDLE", glob: "*.js" },
        `${cutLine}\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
      ],
      [{ pattern: "NEEDLE 4321" }, "many.txt:4321: NEEDLE 4321"],
    ]);
    const tooMuch = await grep({
      pattern: "NEEDLE",
      limit: 1e9,
      glob: "many.txt",
    });
    assert.ok(tooMuch.text.length < 52_000);
    assert.match(
      tooMuch.text,
      /\n\n\[50\.0KB limit reached; refine pattern, or search a path below\]$/,
    );
  });
});

Deno.test("grep shows lines around matches once, and those behind the last one of the limit", () =>
  inFolder({ "a.txt": "1\n2 x\n3 x\n4\n5\n6\n7 x\n8\n" }, async (grep) => {
    const start = "a.txt-1- 1\na.txt:2: 2 x\na.txt:3: 3 x\na.txt-4- 4\n";
    await assertTexts(grep, [
      [
        { pattern: "x", context: 1 },
        `${start}a.txt-6- 6\na.txt:7: 7 x\na.txt-8- 8`,
      ],
      [
        { pattern: "x", context: 1, limit: 2 },
        `${start}\n[2 matches limit reached. Use limit=4 for more, or refine pattern]`,
      ],
      [{ pattern: "^[27]", limit: 2 }, "a.txt:2: 2 x\na.txt:7: 7 x"],
      [{ pattern: "^2", limit: 0.5 }, "a.txt:2: 2 x"],
    ]);
  }));

Deno.test("grep shares its limit among files and gives the rest to the first", async () => {
  const lines = (count: number) => "x\n".repeat(count);
  await inFolder({
    "a": lines(20),
    "b": lines(1),
    "c": lines(20),
    "d": lines(20),
  }, async (grep) => {
    const counts = async (limit: number) => {
      const { text, details } = await grep({ pattern: "x", limit });
      const of = (name: string) => text.split(`${name}:`).length - 1;
      return [of("a"), of("b"), of("c"), of("d"), details !== undefined];
    };
    assert.deepEqual(await counts(61), [20, 1, 20, 20, false]);
    assert.deepEqual(await counts(60), [20, 1, 20, 19, true]);
    assert.deepEqual(await counts(10), [6, 1, 2, 1, true]);
    assert.deepEqual(await counts(1), [1, 0, 0, 0, true]);
  });
});

Deno.test("grep searches in the order of paths, within the glob, and knows CRLF, UTF-16 and BOM", async () => {
  const utf16 = new Uint8Array([
    0xff,
    0xfe,
    ...[..."wide é x"].flatMap((c) => [c.charCodeAt(0), 0]),
  ]);
  await inFolder({
    "b.ts": "x\r\ny x$\r\n",
    "a/c.ts": "\ufeffx\n",
    "a.md": "x",
    "w.ts": utf16,
    "e.ts": "",
  }, async (grep) => {
    await assertTexts(grep, [
      [
        { pattern: "x" },
        "a.md:1: x\na/c.ts:1: x\nb.ts:1: x\nb.ts:2: y x$\nw.ts:1: wide é x",
      ],
      [{ pattern: "^x$", glob: "*.ts" }, "a/c.ts:1: x\nb.ts:1: x"],
      [{ pattern: "^x", glob: "!*.ts" }, "a.md:1: x"],
      [{ pattern: "^x", glob: "./a/**" }, "a/c.ts:1: x"],
      [{ pattern: "X", ignoreCase: true, path: "a" }, "a/c.ts:1: x"],
    ]);
  });
});

Deno.test("grep says when lines are too long for its pattern, or hold no line end", () =>
  inFolder({
    "a.txt": `${"a".repeat(10_000)}b\nab\n`,
    "b.txt": "one\ntwo\n",
  }, async (grep) => {
    const nothing = "No matches found";
    const why =
      `${nothing}\n\n[Lines are searched one by one, so that no match holds a line end]`;
    await assertTexts(grep, [
      [
        { pattern: "(?<!x)a+b" },
        "a.txt:2: ab\n\n[1 lines over 3162 chars not searched, too long for this pattern; use bash: grep -P]",
      ],
      [{ pattern: "one\ntwo" }, why],
      [{ pattern: "one\\ntwo" }, why],
      [{ pattern: "a\nb", literal: true }, why],
      [{ pattern: "a\\nb", literal: true }, nothing],
      [{ pattern: "two\n?" }, "b.txt:2: two"],
    ]);
  }));

Deno.test("grep refuses a pattern that would never end, and ends on abort at once", async () => {
  const text = `${"a".repeat(50)}!\n`.repeat(20_000);
  await inFolder(
    { "a.txt": text, "b.txt": text, "c.txt": text },
    async (grep, folder) => {
      const endless = await grep({ pattern: "^(a+)+$", path: "a.txt" });
      assert.ok(endless.isError);
      assert.match(endless.text, /could take for ever/);
      const tool = createGrepTool(folder);
      const controller = new AbortController();
      const { promise, resolve } = Promise.withResolvers<number>();
      setTimeout(() => {
        resolve(performance.now());
        controller.abort();
      }, 0);
      const call = outcomeOf(tool, { pattern: "a*a*a*c" }, {
        signal: controller.signal,
      });
      const abortedMs = await promise;
      assert.ok((await call).isError);
      assert.ok(performance.now() - abortedMs < 200);
    },
  );
});

Deno.test("grep names what it could not read and goes on", async () => {
  await inFolder(
    { "a/x.txt": "x\n", "b/x.txt": "x\n", "z.txt": "x\n" },
    async (_grep, folder) => {
      const policy = {
        readRoots: [folder],
        writeRoots: [],
        deniedPatterns: ["a", "z.txt"].map((name) => ({
          access: "read" as const,
          pattern: `${folder}/${name}`,
          rule: "of a test",
        })),
      };
      const tool = createGrepTool(folder, {
        operations: createLocalSearchOperations({ policy }),
      });
      const { text } = await outcomeOf(tool, { pattern: "x" });
      assert.match(
        text,
        /^b\/x\.txt:1: x\n\n\[Cannot read "a": reading "\S+\/a" is denied by the rule of a test, and 1 more like it\]$/,
      );
    },
  );
});

Deno.test("grep words a missing path with what would work, and keeps names and lines from looking like others", () =>
  inFolder({
    "source/a.txt": "y\n",
    "a\nb.txt:1: fake": "\x1b[31mred\x1b[0m x\n",
  }, (grep) =>
    assertTexts(grep, [
      [
        { pattern: "x", path: "sorce" },
        'Cannot read "sorce": no such file; did you mean "source"',
      ],
      [{ pattern: "x" }, '"a\\nb.txt:1: fake":1: red x'],
    ])));

needing("linux")(
  "grep does not take a file without a size for an empty one",
  async () => {
    const grep = createGrepTool("/proc/self");
    assert.equal(
      (await outcomeOf(grep, { pattern: "Name", path: "status" })).text,
      'Cannot read "status": it is a special file, not a regular file',
    );
  },
);

Deno.test("grep follows no link and reads no pipe", () =>
  inFolder({ "a.txt": "x\n" }, async (grep, folder) => {
    await Deno.symlink(".", `${folder}/loop`);
    await Deno.symlink("a.txt", `${folder}/link.txt`);
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).output();
    await assertTexts(grep, [
      [{ pattern: "x" }, "a.txt:1: x"],
      [
        { pattern: "x", path: "pipe" },
        'Cannot read "pipe": it is a named pipe, not a regular file',
      ],
    ]);
  }));
