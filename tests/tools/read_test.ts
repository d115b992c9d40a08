import assert from "node:assert/strict";
import fc from "fast-check";
import type { ReadOperations } from "../../src/operations/file_operations.ts";
import {
  createMemoryOperations,
  type MemoryEntry,
} from "../../src/operations/memory_operations.ts";
import {
  createReadTool,
  createReadToolDefinition,
} from "../../src/tools/factories.ts";
import { readWindow } from "../../src/tools/read_text.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

Deno.test("read() shows a file as it is, its final newline and CRLF included", async () => {
  for (const text of ["alpha", "a\r\nb\r\n", numbers(2000)]) {
    assert.equal(await read(text), text);
  }
});

Deno.test("read() shows the lines asked for, at most 2000, and how many there are more", async () => {
  const cases: [file: string, params: Lines, end: string][] = [
    [
      numbers(3000),
      {},
      "\n2000\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]",
    ],
    [
      numbers(5000),
      { limit: 4000 },
      "\n2000\n\n[Showing lines 1-2000 of 5000. Use offset=2001 to continue.]",
    ],
    [numbers(3000), { offset: 2999 }, "2999\n3000\n"],
    [
      numbers(10),
      { offset: 3, limit: 2 },
      "3\n4\n\n[6 more lines in file. Use offset=5 to continue.]",
    ],
    [numbers(10), { offset: 9, limit: 2 }, "9\n10\n"],
    [
      numbers(10),
      { offset: 0, limit: 1 },
      "1\n\n[9 more lines in file. Use offset=2 to continue.]",
    ],
    [
      numbers(10),
      { offset: 2.7, limit: 0 },
      "2\n\n[8 more lines in file. Use offset=3 to continue.]",
    ],
    [numbers(10), { offset: -4 }, numbers(10)],
    [
      numbers(10),
      { offset: 11 },
      "ERROR Offset 11 is beyond end of file (10 lines total)",
    ],
    ["", { offset: 2 }, "ERROR Offset 2 is beyond end of file (0 lines total)"],
    [
      "a\n\n\n\nb",
      { offset: 2, limit: 3 },
      "\n\n\n\n[1 more lines in file. Use offset=5 to continue.]\n[3 lines, all blank.]",
    ],
  ];
  for (const [file, params, end] of cases) {
    const text = await read(file, params);
    if (end.includes("Showing")) assert.ok(text.startsWith("1\n2\n"));
    assert.equal(text.slice(-end.length), end);
    if (!end.includes("Showing")) assert.equal(text, end);
  }
});

Deno.test("read() cuts at 50KB after whole lines, and names the way to a line that is too long, quoted for the shell", async () => {
  const line = "é".repeat(499) + "\n"; // 999 bytes
  assert.equal(
    await read(line.repeat(60)),
    line.repeat(51).slice(0, -1) +
      "\n\n[Showing lines 1-51 of 60 (50.0KB limit). Use offset=52 to continue.]",
  );
  // The limit falls on the end of the last line: nothing to cut.
  const full = "x".repeat(51199) + "\n";
  assert.equal(await read("\n" + full), "\n" + full);
  assert.match(
    await read("\nx" + full),
    /^\n\n\[Showing lines 1-1 of 2 \(50\.0KB limit\)/,
  );
  const text = "ok\n" + "x".repeat(60_000) + "\nend";
  assert.equal(
    await read(text, { offset: 2 }),
    "[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' f.txt | head -c 51200]",
  );
  assert.equal(
    await read(text),
    "ok\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]",
  );
  const path = "-a 'b;rm";
  const operations = createMemoryOperations({
    [`/w/${path}`]: "x".repeat(60_000),
  });
  assert.match(
    await readWith(operations, { path }),
    /sed -n '1p' '\.\/-a '\\''b;rm' \| head -c 51200\]$/,
  );
});

Deno.test("read() details say what was cut, without the text", async () => {
  const operations = createMemoryOperations({ "/w/f.txt": numbers(3000) });
  const { details } = await createReadTool("/w", { operations })
    .execute("id", { path: "f.txt" });
  assert.deepEqual(details, {
    truncation: {
      truncated: true,
      truncatedBy: "lines",
      totalLines: 3000,
      outputLines: 2000,
      outputBytes: 8892,
      lastLinePartial: false,
      firstLineExceedsLimit: false,
      maxLines: 2000,
      maxBytes: 51200,
    },
  });
});

Deno.test("read() shows bytes that are no text as escapes, decodes UTF-16, and names binary and empty files", async () => {
  const escaped = "[Bytes that are not UTF-8 text are shown as \\xNN.]";
  const cases: [file: string, shown: string, params?: Lines][] = [
    [
      "caf\xe9 au lait, vo\xeela\n",
      `caf\\xe9 au lait, vo\\xeela\n\n${escaped}`,
    ],
    ["\xe4".repeat(100), "[Binary file, 100B: not shown as text.]"],
    // A NUL that comes late is no reason to hide what was text so far.
    [
      "line\n".repeat(20_000) + "\0",
      `line\n\\x00\n\n${escaped}`,
      { offset: 20_000 },
    ],
    [
      "PK\x03\x04\0\0\0\x08\xff\xfe",
      "[Binary file (ZIP archive), 10B: not shown as text.]",
    ],
    [
      "\x7fELF\x02\x01\x01" + "\0\x80".repeat(300),
      "[Binary file (ELF program), 607B: not shown as text.]",
    ],
    ["\xff\xfeh\0i\0\n\0", "hi\n\n[Decoded from UTF-16LE.]"],
    ["\xfe\xff\0h\0i\xd8\0", "hi\\ufffd\n\n[Decoded from UTF-16BE.]"],
    ["\xef\xbb\xbfone\n", "one\n"],
    ["", "[The file is empty (0 bytes).]"],
    ["\n", "\n\n[1 line, blank.]"],
    ["\xef\xbb\xbf", "[The file holds nothing but a byte order mark.]"],
  ];
  for (const [latin1, shown, params] of cases) {
    const bytes = Uint8Array.from(latin1, (sign) => sign.charCodeAt(0));
    assert.equal(await read(bytes, params), shown);
  }
});

Deno.test("read() counts no lines of a file over 64 MB and says only where to go on", async () => {
  const { operations, bytesRead } = endlessLines(200 * 1024 * 1024);
  assert.equal(
    await readWith(operations, { path: "f.txt", limit: 1 }),
    "0123456\n\n[More lines in file. Use offset=2 to continue.]",
  );
  assert.match(
    await readWith(operations, { path: "f.txt" }),
    /\n\n\[Showing lines 1-2000\. Use offset=2001 to continue\.\]$/,
  );
  assert.ok(bytesRead() <= 1024 * 1024);
});

Deno.test("read() reports progress on a long file and hears an abort", async () => {
  const { operations, bytesRead } = endlessLines(200 * 1024 * 1024);
  const tool = createReadTool("/w", { operations });
  const controller = new AbortController();
  const reports: unknown[] = [];
  await assert.rejects(
    tool.execute(
      "id",
      { path: "f.txt", offset: 20_000_000 },
      controller.signal,
      (update) => {
        reports.push(update.content);
        if (reports.length === 2) controller.abort();
      },
    ),
    { name: "AbortError" },
  );
  assert.deepEqual(reports, [
    [{ type: "text", text: "Searched 16.0MB…" }],
    [{ type: "text", text: "Searched 32.0MB…" }],
  ]);
  assert.ok(bytesRead() < 33 * 1024 * 1024);
});

Deno.test("read() words failures and proposes the nearest name", async () => {
  const operations = createMemoryOperations({
    "/w/notes.txt": "alpha",
    "/w/src/main.ts": "",
    "/w/loop": { link: "loop" },
    "/w/pipe": { kind: "named pipe" },
  });
  const cases: [string, string][] = [
    ["note.txt", 'no such file; did you mean "notes.txt"'],
    ["NOTES.TXT", 'no such file; did you mean "notes.txt"'],
    ["src/mian.ts", 'no such file; did you mean "src/main.ts"'],
    ["quite-different", "no such file"],
    ["lib/main.ts", "no such file; its folder does not exist either"],
    ["notes.txt/x", "a part of the path is a file, not a folder"],
    ["src", "it is a directory; use ls to list it"],
    ["loop", "too many symbolic links"],
    ["pipe", "it is a named pipe, not a regular file"],
  ];
  for (const [path, reason] of cases) {
    assert.equal(
      await readWith(operations, { path }),
      `ERROR Cannot read ${JSON.stringify(path)}: ${reason}`,
    );
  }
});

Deno.test("read() finds a file under another spelling of its name", async () => {
  const operations = createMemoryOperations({
    "/w/Shot at 9.41\u202fAM.txt": "shot",
    "/w/l\u2019e\u0301te\u0301.txt": "été",
  });
  assert.equal(
    await readWith(operations, { path: "Shot at 9.41 AM.txt" }),
    "shot",
  );
  assert.equal(await readWith(operations, { path: "l'été.txt" }), "été");
});

Deno.test("read() closes the file whatever happens", async () => {
  let open = 0;
  const memory = createMemoryOperations({ "/w/f.txt": "a", "/w/b.bin": "\0" });
  const operations: ReadOperations = {
    ...memory,
    async openFile(path) {
      const file = await memory.openFile(path);
      open++;
      return { ...file, close: () => void open-- };
    },
  };
  await readWith(operations, { path: "f.txt" });
  await readWith(operations, { path: "f.txt", offset: 9 });
  await readWith(operations, { path: "b.bin" });
  await readWith({
    ...operations,
    openFile: async (path) => ({
      ...await operations.openFile(path),
      read: () => Promise.reject(new Error("broken")),
    }),
  }, { path: "f.txt" });
  assert.equal(open, 0);
});

Deno.test("read() starts at the folder of the call, else of the tool, and at the home folder for ~", async () => {
  const operations = createMemoryOperations({
    "/w/f": "w",
    "/v/f": "v",
    "/home/u/f": "home",
  });
  const options = { operations, homeDir: "/home/u" };
  const { execute } = createReadToolDefinition("/w", options);
  for (
    const [cwd, path, text] of [
      ["", "f", "w"],
      ["/v", "@f", "v"],
      ["/v", "~/f", "home"],
    ] as const
  ) {
    const { content } = await execute(
      "id",
      { path },
      undefined,
      undefined,
      { cwd },
    );
    assert.deepEqual(content, [{ type: "text", text }]);
  }
});

Deno.test("readWindow() keeps the same lines however the stream is cut", async () => {
  const line = fc.constantFrom("", "a", "bb", "cccc", "dddddddd");
  await fc.assert(fc.asyncProperty(
    fc.array(line, { maxLength: 12 }),
    fc.boolean(),
    fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
    fc.integer({ min: 1, max: 14 }),
    fc.integer({ min: 1, max: 5 }),
    async (lines, finalNewline, cuts, firstLine, maxLines) => {
      const text = lines.join("\n") + (finalNewline ? "\n" : "");
      const options = { firstLine, maxLines, maxBytes: 10, size: text.length };
      const window = await readWindow(chunksOf(text, cuts), options);
      const all = text === "" ? [] : text.replace(/\n$/, "").split("\n");
      const wanted = all.slice(firstLine - 1, firstLine - 1 + maxLines);
      const kept = [...wanted];
      while (kept.join("\n").length > 10) kept.pop();
      const got = new TextDecoder().decode(window.bytes);
      assert.deepEqual(
        {
          ...window,
          bytes: got === "" ? [] : got.replace(/\n$/, "").split("\n"),
        },
        {
          bytes: kept,
          overflows: kept.length < wanted.length,
          firstLineBytes: all[firstLine - 1]?.length ?? 0,
          lines: all.length,
          counted: true,
        },
      );
    },
  ));
});

/** The bytes of a text in pieces, all in one buffer, as a reader has it. */
async function* chunksOf(
  text: string,
  cuts: number[],
): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const buffer = new Uint8Array(9);
  for (let at = 0, i = 0; at < bytes.byteLength; i++) {
    const chunk = bytes.subarray(at, at + (cuts[i % cuts.length] ?? 1));
    buffer.set(chunk);
    yield await buffer.subarray(0, chunk.byteLength);
    at += chunk.byteLength;
  }
}

function numbers(count: number): string {
  return Array.from({ length: count }, (_, i) => `${i + 1}\n`).join("");
}

type Lines = { offset?: number; limit?: number };

function read(content: MemoryEntry, params: Lines = {}): Promise<string> {
  const operations = createMemoryOperations({ "/w/f.txt": content });
  return readWith(operations, { path: "f.txt", ...params });
}

async function readWith(
  operations: ReadOperations,
  params: Lines & { path: string },
): Promise<string> {
  const tool = createReadTool("/w", { operations });
  const { text, isError } = await outcomeOf(tool, params);
  return isError ? `ERROR ${text}` : text;
}

/** A file of lines of eight bytes that takes no memory. */
function endlessLines(
  size: number,
): { operations: ReadOperations; bytesRead(): number } {
  const block = new TextEncoder().encode("0123456\n".repeat(32 * 1024));
  let read = 0;
  return {
    bytesRead: () => read,
    operations: {
      listNames: () => Promise.resolve([]),
      openFile: () =>
        Promise.resolve({
          realPath: "/w/f.txt",
          stamp: { size, mtimeMs: 0 },
          read(buffer) {
            const count = Math.min(buffer.byteLength, block.byteLength);
            buffer.set(block.subarray(0, count));
            read += count;
            return Promise.resolve(count);
          },
          close() {},
        }),
    },
  };
}
