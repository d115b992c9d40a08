import assert from "node:assert/strict";
import { AnswerLines } from "../../../src/cli/line_mode/answer_lines.ts";

function linesOf(pieces: readonly string[], width = 20): string[] {
  const lines: string[] = [];
  const answer = new AnswerLines((line) => lines.push(line), () => width);
  for (const piece of pieces) answer.push(piece);
  answer.end();
  return lines;
}

Deno.test("AnswerLines.push() tells the same lines wherever a text is cut", () => {
  const text =
    "Short.\r\n\nA line that is longer than the terminal is wide, 日本語 too.\n\tcode\nlast";
  const whole = linesOf([text]);
  assert.deepEqual(whole, [
    "Short.",
    "",
    "A line that is",
    "longer than the",
    "terminal is wide,",
    "日本語 too.",
    "    code",
    "last",
  ]);
  for (let cut = 1; cut < text.length; cut++) {
    assert.deepEqual(linesOf([text.slice(0, cut), text.slice(cut)]), whole);
  }
  assert.deepEqual(linesOf(text.split("")), whole);
});

Deno.test("AnswerLines.push() tells a line as soon as it is full", () => {
  const lines: string[] = [];
  const answer = new AnswerLines((line) => lines.push(line), () => 10);
  answer.push("one two three");
  assert.deepEqual(lines, ["one two"]);
  answer.push(" four\n");
  assert.deepEqual(lines, ["one two", "three four"]);
});

Deno.test("AnswerLines.push() shows control sequences as signs, also where they are cut", () => {
  assert.deepEqual(linesOf(["a\x1b", "]0;owned\x07b\rc"], 80), [
    "a␛]0;owned␇b␍c",
  ]);
});

Deno.test("AnswerLines.push() takes a line without an end in pieces of one letter", () => {
  const startMs = performance.now();
  const lines = linesOf(Array.from({ length: 30_000 }, () => "日"));
  assert.equal(lines.join("").length, 30_000);
  assert(performance.now() - startMs < 10_000);
});
