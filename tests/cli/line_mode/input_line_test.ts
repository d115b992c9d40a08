import assert from "node:assert/strict";
import fc from "fast-check";
import { InputLine } from "../../../src/cli/line_mode/input_line.ts";
import type { KeyName } from "../../../src/cli/line_mode/key_decoder.ts";

/** What keys make of a text; `|` is the cursor. */
function typed(...keys: (KeyName | { text: string })[]): string {
  const line = new InputLine(["first", "second"]);
  for (const key of keys) {
    line.edit(typeof key === "string" ? { name: key } : key);
  }
  return `${line.before}|${line.after}`;
}

const text = (words: string) => ({ text: words });

Deno.test("InputLine.edit() moves and deletes by what people take for one character", () => {
  const family = "👩‍👩‍👧‍👦";
  const [flag, accent] = ["🇦🇹", "e\u0301"];
  for (const one of [family, flag, accent, "日", "a"]) {
    assert.equal(typed(text(`x${one}`), "backspace"), "x|");
    assert.equal(typed(text(`x${one}y`), "left", "left"), `x|${one}y`);
    assert.equal(typed(text(`x${one}y`), "home", "right", "delete"), "x|y");
  }
  assert.equal(typed("backspace", "delete", "left", "right"), "|");
});

Deno.test("InputLine.edit() knows words, lines and the rest", () => {
  assert.equal(typed(text("one two  "), "kill_word"), "one |");
  assert.equal(typed(text("one two  "), "word_left"), "one |two  ");
  assert.equal(typed(text("one two"), "home", "word_right"), "one| two");
  assert.equal(typed(text("one two"), "word_left", "kill_line"), "|two");
  assert.equal(typed(text("one two"), "word_left", "kill_rest"), "one |");
  assert.equal(typed(text("a"), "newline", text("b"), "home"), "|a\nb");
});

Deno.test("InputLine.edit() goes through the history and back to what was being typed", () => {
  assert.equal(typed(text("new"), "up"), "second|");
  assert.equal(typed(text("new"), "up", "up", "up"), "first|");
  assert.equal(typed(text("new"), "up", "up", "down", "down"), "new|");
  assert.equal(typed(text("new"), "down"), "new|");
});

Deno.test("InputLine.remember() keeps what is said twice in a row once", () => {
  const line = new InputLine();
  for (const one of ["a", "b", "b"]) line.remember(one);
  line.edit({ name: "up" });
  assert.equal(line.take(), "b");
  line.edit({ name: "up" });
  line.edit({ name: "up" });
  assert.equal(line.take(), "a");
  assert.equal(line.text, "");
});

Deno.test("InputLine.edit() takes a paste of megabytes, keeps the first of it, and stays quick with words in it", () => {
  const startMs = performance.now();
  const line = new InputLine();
  for (let i = 0; i < 600; i++) line.edit(text("word ".repeat(800)));
  line.edit(text("a".repeat(4096)));
  assert.equal(line.text.length, 1024 * 1024);
  for (const name of ["word_left", "word_left", "kill_word"] as const) {
    line.edit({ name });
  }
  line.take();
  line.edit(text(`${"a".repeat(1_000_000)} b`));
  line.edit({ name: "word_left" });
  line.edit({ name: "word_left" });
  assert.equal(line.before, "");
  assert(performance.now() - startMs < 10_000);
});

Deno.test("InputLine.edit() loses nothing whatever keys only move", () => {
  const moves: KeyName[] = [
    ...["left", "right", "home", "end"] as const,
    ...["word_left", "word_right"] as const,
  ];
  fc.assert(fc.property(
    fc.string({ unit: "grapheme" }),
    fc.array(fc.constantFrom(...moves)),
    (words, keys) => {
      const line = new InputLine();
      line.edit(text(words));
      for (const name of keys) line.edit({ name });
      assert.equal(line.text, words);
    },
  ));
});
