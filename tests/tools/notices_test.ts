import assert from "node:assert/strict";
import fc from "fast-check";
import { createLocalBashOperations } from "../../src/operations/local_shell_operations.ts";
import type { TruncationResult } from "../../src/sdk/truncate.ts";
import { withoutUndefined } from "../../src/model/without_undefined.ts";
import type { AgentTool } from "../../src/agent/agent_tool.ts";
import {
  createBashTool,
  createFindTool,
  createGrepTool,
  createLsTool,
  createReadTool,
} from "../../src/tools/factories.ts";
import { putFiles } from "../support/put_files.ts";
import { inTempFolder } from "../support/temp_folder.ts";
import { outcomeOf } from "../support/tool_outcome.ts";

// A notice promises something: what it says to call must give just that.

Deno.test("read() followed from notice to notice gives the whole file", () =>
  inTempFolder(async (folder) => {
    const read = createReadTool(folder);
    const line = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom("", "a", "zwei Ä", "\t😀 x") },
      { weight: 2, arbitrary: fc.constantFrom(8000, 20_000).map(wide) },
      { weight: 1, arbitrary: fc.constantFrom(30_000, 51_198).map(wide) },
    );
    const lines = fc.array(
      fc.tuple(line, fc.constantFrom(1, 1, 1, 700, 1500)),
      { minLength: 1, maxLength: 6 },
    ).map((runs) =>
      runs.flatMap(([text, times]) =>
        Array(text.length > 100 ? 1 : times).fill(text) as string[]
      )
    );
    const limit = fc.constantFrom(undefined, 997, 2500);
    await fc.assert(
      fc.asyncProperty(lines, limit, async (lines, limit) => {
        await putFiles(folder, { "a.txt": lines.join("\n") + "\n" });
        const seen: string[] = [];
        for (let offset = 1; offset <= lines.length;) {
          const params = {
            path: "a.txt",
            offset,
            ...withoutUndefined({ limit }),
          };
          const { text } = await outcomeOf(read, params);
          const tooLong = /^\[Line (\d+) is .* exceeds/.exec(text);
          if (tooLong) {
            assert.equal(Number(tooLong[1]), offset);
            seen.push(lines[offset - 1] ?? "");
            offset++;
            continue;
          }
          const [, shown = "", next = lines.length + 1] =
            /^([^]*?)(?:\n\n\[.*Use offset=(\d+) to continue\.\])?$/.exec(
              withoutBlankNote(text),
            ) ?? [];
          const count = Number(next) - offset;
          seen.push(...shown.replace(/\n$/, "").split("\n").slice(0, count));
          // Lines that are all blank are only counted.
          while (seen.length < offset - 1 + count) seen.push("");
          offset = Number(next);
        }
        assert.deepEqual(seen, lines);
      }),
      { numRuns: 40 },
    );
  }));

Deno.test("read() names a way to a line that is too long that bash can go, whatever the name, also in UTF-16", () =>
  inTempFolder(async (folder) => {
    const text = `first\n${"wörter ".repeat(20_000)}\nlast\n`;
    const utf16 = new Uint8Array(2 * text.length + 2);
    const view = new DataView(utf16.buffer);
    view.setUint16(0, 0xfeff, true);
    for (let n = 0; n < text.length; n++) {
      view.setUint16(2 * n + 2, text.charCodeAt(n), true);
    }
    const names = ["-n", "it's a $(file).txt", "ä\n.md"];
    await putFiles(folder, {
      ...Object.fromEntries(names.map((name) => [name, text])),
      "utf16.txt": utf16,
      "it’s.txt": text,
    });
    const operations = createLocalBashOperations({
      environment: { PATH: Deno.env.get("PATH") ?? "", LC_ALL: "C.UTF-8" },
    });
    const bash = createBashTool(folder, { operations });
    const read = createReadTool(folder);
    for (const path of ["utf16.txt", "it's.txt", ...names]) {
      const { text: said } = await outcomeOf(read, { path, offset: 2 });
      const command = /Use bash: ([^]*?)\](?:\n|$)/.exec(said)?.[1] ??
        assert.fail(said);
      const { text: start } = await outcomeOf(bash, { command });
      assert.equal(start.slice(0, 7000), "wörter ".repeat(1000), command);
      assert.ok(new TextEncoder().encode(start).length > 51_000, command);
    }
  }));

Deno.test("grep, find and ls called with the limits that they name end with all results", () =>
  inTempFolder(async (folder) => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `${n % 7}/${n}.txt`,
        "needle\nhay\n".repeat(n % 5),
      ]),
    );
    await putFiles(folder, files);
    const cases: [AgentTool, Record<string, string>, number][] = [
      [
        createGrepTool(folder),
        { pattern: "needle" },
        Object.values(files).join("").split("needle").length - 1,
      ],
      [createFindTool(folder), { pattern: "*.txt" }, 60],
      [createFindTool(folder), { pattern: "*" }, 67],
      [createLsTool(folder), { path: "0" }, 9],
    ];
    for (const [tool, params, all] of cases) {
      for (const first of [1, 3, all - 1, all, all + 3]) {
        let before: string[] = [];
        for (let limit: number | undefined = first; limit !== undefined;) {
          const { text } = await outcomeOf(tool, { ...params, limit });
          const [list = "", notice = ""] = text.split("\n\n[");
          const lines = list.split("\n");
          assert.equal(lines.length, Math.min(limit, all));
          assert.equal(new Set(lines).size, lines.length);
          assert.ok(before.every((line) => lines.includes(line)));
          const next = /Use limit=(\d+) for more/.exec(notice)?.[1];
          assert.equal(next !== undefined, limit < all);
          before = lines;
          limit = next === undefined ? undefined : Number(next);
        }
      }
    }
  }));

Deno.test("grep cuts long lines around the match and splits no character", () =>
  inTempFolder(async (folder) => {
    const grep = createGrepTool(folder);
    const filler = fc.array(fc.constantFrom("a", "ä", "😀", "👩‍💻"), {
      minLength: 0,
      maxLength: 900,
      size: "max",
    }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(filler, filler, async (before, after) => {
        await putFiles(folder, { "f.txt": `${before}needle${after}` });
        const { text } = await outcomeOf(grep, { pattern: "needle" });
        assert.ok(text.isWellFormed() && !text.includes("\ufffd"));
        assert.match(text, /^f\.txt:1: .*needle/u);
        const [shown = ""] = text.split("\n\n[");
        assert.ok(shown.length < 600);
      }),
      { numRuns: 60 },
    );
  }));

function wide(bytes: number): string {
  return "é".repeat(bytes);
}

function withoutBlankNote(text: string): string {
  return text.replace(/\n?\[(?:1 line, blank|\d+ lines, all blank)\.\]$/, "");
}

Deno.test("grep, find and ls show 100, 1000 and 500 results unless they are told otherwise", () =>
  inTempFolder(async (folder) => {
    const names = Array.from({ length: 1001 }, (_, n) => `${n}.txt`);
    await putFiles(
      folder,
      Object.fromEntries(names.map((name) => [name, "needle\n"])),
    );
    const cases: [AgentTool, limit: number, what: string, details: object][] = [
      [createGrepTool(folder), 100, "matches", { matchLimitReached: 100 }],
      [createFindTool(folder), 1000, "results", { resultLimitReached: 1000 }],
      [createLsTool(folder), 500, "entries", { entryLimitReached: 500 }],
    ];
    for (const [tool, limit, what, expected] of cases) {
      const pattern = what === "matches" ? "needle" : "*.txt";
      const { text, details } = await outcomeOf(tool, { pattern });
      const [list = "", notice] = text.split("\n\n");
      assert.equal(list.split("\n").length, limit);
      const more = what === "entries" ? "" : ", or refine pattern";
      assert.equal(
        notice,
        `[${limit} ${what} limit reached. Use limit=${
          2 * limit
        } for more${more}]`,
      );
      assert.deepEqual(details, expected);
    }
  }));

Deno.test("find and ls name no higher limit where the size is what cuts", () =>
  inTempFolder(async (folder) => {
    const names = Array.from(
      { length: 300 },
      (_, n) => `${n}`.padEnd(240, "x"),
    );
    await putFiles(folder, Object.fromEntries(names.map((name) => [name, ""])));
    for (
      const [tool, advice] of [
        [createFindTool(folder), "refine pattern, or search a path below"],
        [createLsTool(folder), "use find with a pattern"],
      ] as const
    ) {
      const params = { pattern: "*", limit: 250 };
      const { text, details } = await outcomeOf(tool, params);
      const [list = "", notice] = text.split("\n\n");
      assert.equal(notice, `[50.0KB limit reached; ${advice}]`);
      const { truncation } = details as { truncation: TruncationResult };
      assert.equal(truncation.outputLines, list.split("\n").length);
    }
  }));
