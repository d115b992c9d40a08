import assert from "node:assert/strict";
import { textWidth, wrapText } from "../../../src/cli/line_mode/text_width.ts";

Deno.test("textWidth() counts the columns that terminals give to letters", () => {
  const widths: [string, number][] = [
    ["", 0],
    ["plain", 5],
    ["日本", 4],
    ["e\u0301", 1],
    ["✅⭐⌚", 6],
    ["🎉", 2],
    ["👩‍👩‍👧‍👦", 2],
    ["🇦🇹", 2],
    ["→ ─ é", 5],
    ["１２", 4],
  ];
  for (const [text, width] of widths) {
    assert.equal(textWidth(text), width, text);
  }
});

Deno.test("wrapText() breaks at spaces, and words that are too long where it must", () => {
  assert.deepEqual(wrapText("one two three", 8), ["one two", "three"]);
  assert.deepEqual(wrapText("one two", 7), ["one two"]);
  assert.deepEqual(wrapText("abcdefgh", 3), ["abc", "def", "gh"]);
  assert.deepEqual(wrapText("日本語", 4), ["日本", "語"]);
  assert.deepEqual(wrapText("a日本", 2), ["a", "日", "本"]);
  assert.deepEqual(wrapText("", 5), [""]);
});

Deno.test("wrapText() ends in a terminal of one column, whatever the text", () => {
  assert.deepEqual(wrapText("日👩‍👧a", 1), ["日", "👩‍👧", "a"]);
  assert.deepEqual(wrapText("a  b", 1).join("").replaceAll(" ", ""), "ab");
});

Deno.test("wrapText() is quick with a line of a quarter of a megabyte, also of wide letters or of marks", () => {
  const startMs = performance.now();
  for (const unit of ["a", "日", "\u0301", "👧"]) {
    const text = unit.repeat(250_000);
    assert.equal(wrapText(text, 79).join(""), text);
  }
  assert(performance.now() - startMs < 10_000);
});
