import assert from "node:assert/strict";
import { applyPatch } from "diff";
import fc from "fast-check";
import {
  createMemoryOperations,
  type MemoryEntry,
} from "../../src/operations/memory_operations.ts";
import type { JsonObject } from "../../src/model/content.ts";
import type { EditDiff } from "../../src/tools/edit_diff.ts";
import { createEditTool } from "../../src/tools/factories.ts";
import { editOf, fileTools } from "../support/file_tools.ts";

type Edit = [oldText: string, newText: string];

Deno.test("edit() makes all replacements, each found in the file as it was", async () => {
  assert.deepEqual(await edit("a b c", ["b", "c"], ["c", "a"], ["a", "b"]), {
    text: "Successfully replaced 3 block(s) in f.",
    file: "b c a",
  });
  const { file } = await edit(
    "one\ntwo\nthree",
    ["one\n", ""],
    ["two\n", "2\n"],
  );
  assert.equal(file, "2\nthree");
});

Deno.test("edit() changes nothing unless every edit applies, and says what would work", async () => {
  const file = "alpha beta\n  gamma\nbeta\n";
  const cases: [Edit[], string][] = [
    [
      [],
      "Edit tool input is invalid. edits must contain at least one replacement.",
    ],
    [[["", "x"]], "oldText must not be empty in f."],
    [[["alpha", "A"], ["", "x"]], "edits[1].oldText must not be empty in f."],
    [
      [["beta", "B"]],
      "Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it unique. They start on lines 1, 3.",
    ],
    [
      [["alpha", "A"], ["beta", "B"]],
      "Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique. They start on lines 1, 3.",
    ],
    [
      [["gamme\n", "x"]],
      "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.\n" +
      "The nearest text starts on line 2:\n  gamma\nbeta\n",
    ],
    [
      [["alpha", "A"], ["0123456789", "x"]],
      "Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines.",
    ],
    [
      [["beta\n  gamma", "x"], ["alpha beta", "y"]],
      "edits[0] and edits[1] overlap in f. Merge them into one edit or target disjoint regions.",
    ],
    [
      [["gamma", "gamma"]],
      "No changes made to f. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.",
    ],
    [
      [["gamma", "gamma"], ["alpha", "alpha"]],
      "No changes made to f. The replacements produced identical content.",
    ],
    [
      [["alpha", "\ud83d"]],
      "newText holds half a surrogate pair, which is not text.",
    ],
  ];
  for (const [edits, message] of cases) {
    const text = `ERROR ${message}`;
    assert.deepEqual(await edit(file, ...edits), { text, file });
  }
});

Deno.test("edit() matches loosely where it must, says so, and touches nothing else", async () => {
  const replaced = "Successfully replaced 1 block(s) in f.";
  const text = replaced + " 1 of them matched only loosely: quotes, " +
    "dashes, spaces or white space at line ends differ from oldText. Check the result.";
  const cases: [file: string, Edit, changed: string][] = [
    ["“a”  \n– b\u00a0c\t\n“z”", ['"a"\n- b c\n', "x\n"], "x\n“z”"],
    ["keep  \nit’s\t\nkeep\t", ["it's", "is"], "keep  \nis\t\nkeep\t"],
    ["ﬁle e\u0301", ["file é", "x"], "x"],
    ["a   \r\nb\r\nc", ["a\nb", "x\ny"], "x\r\ny\r\nc"],
    ["“a” b", ['"a" ', "x "], "x b"],
    ["“a”", ['"a" ', "x"], "x"],
    ["１２ ｘ", ["12", "1"], "1 ｘ"],
  ];
  for (const [before, change, file] of cases) {
    assert.deepEqual(await edit(before, change), { text, file });
  }
  // An exact match wins over a loose one.
  assert.deepEqual(await edit('say "hi"\nsay “hi”\n', ['say "hi"', "said"]), {
    text: replaced,
    file: "said\nsay “hi”\n",
  });
});

Deno.test("edit() counts occurrences that overlap, loose ones among each other, and none that begins inside a character", async () => {
  const cases: [file: string, oldText: string, error: RegExp][] = [
    ["aaa", "aa", /^ERROR Found 2 occurrences/],
    ["x".repeat(5000), "x", /^ERROR Found 1000 or more/],
    ["“a” „a‟", '"a"', /^ERROR Found 2 occurrences/],
    ["ﬁle", "ile", /^ERROR Could not find/],
    ["abc", "  ", /^ERROR Could not find/],
  ];
  for (const [file, oldText, error] of cases) {
    assert.match((await edit(file, [oldText, "y"])).text, error);
  }
});

Deno.test("edit() gives new text the line ends of the line it starts in, and keeps those of the lines around a change", async () => {
  const cases: [file: string, Edit, changed: string][] = [
    ["a\nb\r\nc\n", ["b", "1\n2"], "a\n1\r\n2\r\nc\n"],
    ["a\r\nb\nc\r\n", ["b", "1\r\n2"], "a\r\n1\n2\nc\r\n"],
    ["a\r\nb", ["b", "1\n2"], "a\r\n1\r\n2"],
    ["a\rb\rc", ["a\nb", "1\n2\n3"], "1\r2\r3\rc"],
    ["abc", ["b", "1\r\n2"], "a1\r\n2c"],
    ["a\r\nb\r\n", ["\nb", "\n1"], "a\r\n1\r\n"],
    ["a\r\nb", ["a\r\n", ""], "b"],
    ["x\ry\nz", ["x\ry", "q"], "q\nz"],
    ["a\r\nb\nc\n", ["a\nb\nc\n", "A\nb\nc\n"], "A\r\nb\nc\n"],
    ["a\r\nb\nc\r\n", ["a\nb\nc", "a\nB\nc"], "a\r\nB\nc\r\n"],
    ["a\nb\r\nc\n", ["a\nb\nc\n", "a\nb\nC\n"], "a\nb\r\nC\n"],
    ["a\r\nb\nc\r\n", ["a\nb\nc\n", "a\nc\n"], "a\r\nc\r\n"],
    ["a\nb\r\nc\n", ["a\nb\n", "a\nx\nb\n"], "a\nx\r\nb\r\nc\n"],
    ["a\r\na\nb", ["a\na\nb", "a\na\na\nb"], "a\r\na\na\nb"],
    ["a\r\n\nb\n", ["a\n\nb\n", "a\n\n\n"], "a\r\n\n\n"],
    ["a\r\nb\n", ["a\nb\n", ""], ""],
  ];
  for (const [before, change, file] of cases) {
    assert.equal((await edit(before, change)).file, file);
  }
});

Deno.test("edit() neither loses nor doubles a byte order mark", async () => {
  for (const bom of ["", "\ufeff"]) {
    const operations = createMemoryOperations({ "/w/f": "\ufeffone\n" });
    await fileTools("/w", { operations })
      .edit(editOf("f", [`${bom}one`, `${bom}1`]));
    const { stamp } = await operations.openFile("/w/f");
    assert.deepEqual([operations.files()["/w/f"], stamp.size], ["1\n", 5]);
  }
});

Deno.test("edit() refuses what is no UTF-8 text, is too large or is not there, and leaves its bytes", async () => {
  const operations = createMemoryOperations({
    "/w/binary": Uint8Array.of(0x61, 0, 0x62),
    "/w/latin1": Uint8Array.of(0x61, 0xe9, 0x62),
    "/w/utf16": Uint8Array.of(0xff, 0xfe, 0x61, 0),
    "/w/notes.txt": "a",
  });
  const before = operations.files();
  const textOnly = "and edit changes UTF-8 text only";
  const huge = {
    ...operations,
    openFile: async (path: string) => ({
      ...await operations.openFile(path),
      stamp: { size: 65 * 1024 * 1024, mtimeMs: 0 },
    }),
  };
  const cases: [path: string, reason: string, on?: typeof operations][] = [
    ["binary", `it is a binary file, ${textOnly}`],
    ["latin1", `it holds bytes that are not valid UTF-8, ${textOnly}`],
    ["utf16", `it is UTF-16LE text, ${textOnly}`],
    ["note.txt", 'no such file; did you mean "notes.txt"'],
    [
      "notes.txt",
      "it is larger than 64.0MB; change it with a program",
      huge,
    ],
  ];
  for (const [path, reason, on = operations] of cases) {
    assert.equal(
      await fileTools("/w", { operations: on }).edit(editOf(path, ["a", "x"])),
      `ERROR Cannot edit ${JSON.stringify(path)}: ${reason}`,
    );
  }
  assert.deepEqual(operations.files(), before);
});

Deno.test("edit() refuses a file that others change while it works", async () => {
  const operations = createMemoryOperations({ "/w/f": "a" });
  const { edit } = fileTools("/w", {
    operations: {
      ...operations,
      writeFile(path, data, options) {
        operations.change("/w/f", "theirs");
        return operations.writeFile(path, data, options);
      },
    },
  });
  const text = await edit(editOf("f", ["a", "b"]));
  assert.match(text, /^ERROR Cannot edit "f": it changed since/);
  assert.deepEqual(operations.files(), { "/w/f": "theirs" });
});

Deno.test("edit() loses no change when calls to one file run at once, by whatever name", async () => {
  const operations = createMemoryOperations({
    "/w/n": "1\n2\n3\n",
    "/w/alias": { link: "n" },
  });
  const { edit } = fileTools("/w", { operations });
  await Promise.all([
    edit(editOf("n", ["1", "one"])),
    edit(editOf("./n", ["2", "two"])),
    edit(editOf("alias", ["3", "three"])),
  ]);
  assert.equal(operations.files()["/w/n"], "one\ntwo\nthree\n");
});

Deno.test("edit() does nothing when it is aborted before its turn", async () => {
  const operations = createMemoryOperations({ "/w/f": "a" });
  const controller = new AbortController();
  const waiting = createEditTool("/w", { operations })
    .execute("id", editOf("f", ["a", "b"]), controller.signal);
  controller.abort();
  await assert.rejects(waiting, { name: "AbortError" });
  assert.deepEqual(operations.files(), { "/w/f": "a" });
});

Deno.test("edit() mends the shapes in which models send edits", () => {
  const prepare = createEditTool("/w").prepareArguments;
  const one = { oldText: "a", newText: "b" };
  const two = { oldText: "c", newText: "d" };
  const cases: [raw: JsonObject, edits: JsonObject[]][] = [
    [{ edits: JSON.stringify([one]) }, [one]],
    [{ edits: JSON.stringify(one) }, [one]],
    [{ edits: one }, [one]],
    [one, [one]],
    [{ edits: [one], ...two }, [one, two]],
    [{ edits: [one] }, [one]],
  ];
  for (const [raw, edits] of cases) {
    assert.deepEqual(prepare?.({ path: "f", ...raw }), { path: "f", edits });
  }
  // What cannot be mended is left to the schema.
  const unmendable: JsonObject[] = [{ edits: "{" }, { oldText: "a" }];
  for (const raw of unmendable) {
    assert.deepEqual(prepare?.(raw), raw);
  }
});

Deno.test("edit() does what a naive search over all ranges does, byte for byte", async () => {
  const part = fc.constantFrom("a", "b", "ab", "\n", "\r\n", "é");
  const text = textOf(part, 12);
  const oldText = textOf(part, 4);
  await fc.assert(
    fc.asyncProperty(text, oldText, text, async (before, oldText, newText) => {
      const { text: answer, file } = await edit(before, [oldText, newText]);
      const ranges = naiveRanges(before, oldText);
      const [range] = ranges;
      if (ranges.length !== 1 || !range) {
        assert.match(
          answer,
          ranges.length > 1 ? /Found \d+ occurrences/ : /Could not find/,
        );
        assert.equal(file, before);
        return;
      }
      if (/\r\n/.test(before) && /(?<!\r)\n/.test(before)) {
        // Which line end each new line gets is the table's matter, above.
        const head = before.slice(0, range.start);
        const tail = before.slice(range.end);
        assert(file.startsWith(head) && file.endsWith(tail));
        assert.equal(toLf(file), toLf(head + newText + tail));
        return;
      }
      const newline = naiveNewline(before, range.start);
      const inserted = newline === undefined
        ? newText
        : newText.replace(/\r?\n/g, () => newline);
      const expected = before.slice(0, range.start) + inserted +
        before.slice(range.end);
      assert.equal(file, expected);
      assert.equal(answer.startsWith("ERROR No changes"), expected === before);
    }),
    { numRuns: 300 },
  );
});

/** A text of some parts. */
function textOf(
  part: fc.Arbitrary<string>,
  maxLength: number,
): fc.Arbitrary<string> {
  return fc.array(part, { minLength: 1, maxLength })
    .map((parts) => parts.join(""));
}

function toLf(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

Deno.test("edit() keeps every byte outside a loose match, on any text", async () => {
  const part = fc.constantFrom(
    ...["a", "“", '"', "’", "–", "-", " ", "\u00a0", "\n", "\r\n"],
    ...["e\u0301", "ﬁ", "한", "ᄒ", "ᅡ", "ᆫ"],
  );
  const text = textOf(part, 14);
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat(), async (before, from, length) => {
      const loose = naiveLoose(before);
      const start = from % loose.length;
      const oldText = loose.slice(start, start + 1 + length % 6);
      if (oldText === "") return;
      const { text: answer, file } = await edit(before, [oldText, "<NEW>"]);
      if (answer.startsWith("ERROR")) {
        assert.equal(file, before);
        return;
      }
      const at = file.indexOf("<NEW>");
      const [head, tail] = [file.slice(0, at), file.slice(at + 5)];
      assert.ok(before.startsWith(head) && before.endsWith(tail));
      const removed = before.slice(head.length, before.length - tail.length);
      const [found, wanted] = [removed, oldText].map(naiveLoose);
      assert.equal(found?.trimEnd(), wanted?.trimEnd());
    }),
    { numRuns: 500 },
  );
});

Deno.test("edit() gives a patch that makes the new file of the old one", async () => {
  const line = fc.constantFrom("a", "b", "c", "", "dd");
  const body = fc.array(line, { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      body,
      fc.boolean(),
      fc.array(fc.nat(39), { minLength: 1, maxLength: 3 }),
      async (lines, final, picks) => {
        // Unique lines, so that edits can name them.
        const before = lines.map((line, i) => `${line}#${i}|`).join("\n") +
          (final ? "\n" : "");
        const edits = [...new Set(picks.map((pick) => pick % lines.length))]
          .map((i): Edit => [
            `#${i}|`,
            i % 2 === 0 ? `!${i}` : `!\nmore ${i}\n`,
          ]);
        const { file: after, patch = "", firstChangedLine } = await diffOf(
          before,
          ...edits,
        );
        assert.equal(applyPatch(before, patch), after);
        const [old, now] = [before.split("\n"), after.split("\n")];
        assert.equal(
          firstChangedLine,
          now.findIndex((line, i) => line !== old[i]) + 1,
        );
      },
    ),
    { numRuns: 100 },
  );
});

Deno.test("edit() diffs show far changes with their line numbers and what is skipped", async () => {
  const before = Array.from({ length: 30 }, (_, i) => `l${i + 1}\n`).join("");
  const { diff } = await diffOf(before, ["l3\n", "l3\nnew\n"], ["l20\n", ""]);
  assert.equal(
    diff,
    `  1 l1
  2 l2
  3 l3
+ 4 new
  4 l4
  5 l5
  6 l6
  7 l7
    ...
 16 l16
 17 l17
 18 l18
 19 l19
-20 l20
 21 l21
 22 l22
 23 l23
 24 l24
    ...`,
  );
});

Deno.test("edit() writes dollar patterns as they are, and gives the patch", async () => {
  const newText = "$& $$ $1 $` $' $<n> \\1";
  const none = "\\ No newline at end of file";
  assert.deepEqual(await diffOf("pre X post", ["X", newText]), {
    file: `pre ${newText} post`,
    diff: `-1 pre X post\n+1 pre ${newText} post`,
    patch:
      `--- f\n+++ f\n@@ -1,1 +1,1 @@\n-pre X post\n${none}\n+pre ${newText} post\n${none}\n`,
    firstChangedLine: 1,
  });
});

Deno.test("edit() details stay small whatever is replaced", async () => {
  const before = "start\n" + "old line\n".repeat(20_000) + "end\n";
  const { diff, patch } = await diffOf(before, [
    before,
    "new line\n".repeat(20_000),
  ]);
  assert.ok(diff.length < 10_000);
  assert.match(diff, / \.\.\. \(39602 more lines\)$/);
  assert.equal(patch, undefined);
  const x = "x".repeat(100);
  const { file, ...details } = await diffOf("x".repeat(20_000_000) + "MARK\n", [
    "MARK",
    "DONE",
  ]);
  assert.equal(file.slice(-6), "xDONE\n");
  assert.deepEqual(details, {
    diff:
      `-1 [19999900 characters] …${x}MARK\n+1 [19999900 characters] …${x}DONE`,
    firstChangedLine: 1,
  });
});

async function edit(
  content: MemoryEntry,
  ...edits: Edit[]
): Promise<{ text: string; file: string }> {
  const operations = createMemoryOperations({ "/w/f": content });
  const text = await fileTools("/w", { operations }).edit(
    editOf("f", ...edits),
  );
  return { text, file: operations.files()["/w/f"] ?? "" };
}

/** The new file, and the details of the result. */
async function diffOf(
  content: string,
  ...edits: Edit[]
): Promise<EditDiff & { file: string }> {
  const operations = createMemoryOperations({ "/w/f": content });
  const { details } = await createEditTool("/w", { operations })
    .execute("id", editOf("f", ...edits));
  return { file: operations.files()["/w/f"] ?? "", ...details as EditDiff };
}

/** Every range that reads like the text once CRLF counts as LF, none that splits a CRLF. */
function naiveRanges(
  text: string,
  wanted: string,
): { start: number; end: number }[] {
  const lf = (part: string) => part.replaceAll("\r\n", "\n");
  const splits = (place: number) =>
    text[place - 1] === "\r" && text[place] === "\n";
  const ranges = [];
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= text.length; end++) {
      if (splits(start) || splits(end)) continue;
      if (lf(text.slice(start, end)) === lf(wanted)) {
        ranges.push({ start, end });
      }
    }
  }
  return ranges;
}

/** The line end of the line that holds a place, else of the last line that has one. */
function naiveNewline(text: string, place: number): string | undefined {
  const after = /\r?\n/.exec(text.slice(place))?.[0];
  return after ?? [...text.matchAll(/\r?\n/g)].at(-1)?.[0];
}

function naiveLoose(text: string): string {
  return text.replaceAll("\r\n", "\n").normalize("NFKC").split("\n")
    .map((line) => line.trimEnd()).join("\n")
    .replace(/[‘’‚‛]/g, "'").replace(/[“”„‟]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}
