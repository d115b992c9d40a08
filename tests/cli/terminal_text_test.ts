import assert from "node:assert/strict";
import {
  jsonLine,
  styledLine,
  terminalText,
  useColor,
} from "../../src/cli/terminal_text.ts";

Deno.test("terminalText() shows what a terminal would act on", () => {
  const cases: [string, string][] = [
    ["\x1b[31mred", "␛[31mred"],
    ["\x1b]0;title\x07", "␛]0;title␇"],
    ["\x9b2J", "\\x9b2J"],
    ["over\rwritten", "over␍written"],
    ["back\b", "back␈"],
    ["\x7f\x00", "␡␀"],
    ["a\u202eb\u200bc\ufeff", "a\\u{202e}b\\u{200b}c\\u{feff}"],
    ["hid\u{e0041}den", "hid\\u{e0041}den"],
    ["one\r\ntwo\tthree\n", "one\ntwo\tthree\n"],
    ["äöü 日本 👩‍💻", "äöü 日本 👩‍💻"],
  ];
  assert.deepEqual(cases.map(([text]) => [text, terminalText(text)]), cases);
});

Deno.test("jsonLine() escapes what a terminal or a reader of lines would act on, and means the same", () => {
  const value = {
    "k\x9b": "\x1b[2J\x7f\x9b2J\x85 a\u202eb\u2028c\ufeff hid\u{e0041}den 👩‍💻",
  };
  const line = jsonLine(value);
  assert.equal(
    line,
    '{"k\\u009b":"\\u001b[2J\\u007f\\u009b2J\\u0085 a\\u202eb\\u2028c\\ufeff hid\\udb40\\udc41den 👩‍💻"}\n',
  );
  assert.deepEqual(JSON.parse(line), value);
});

Deno.test("styledLine() keeps colours and ends them with the line", () => {
  assert.equal(styledLine("\x1b[1;32m+ new\x1b[0m"), "\x1b[1;32m+ new\x1b[0m");
  assert.equal(
    styledLine("\x1b[38;5;245mgrey\x1b[39m"),
    "\x1b[38;5;245mgrey\x1b[39m\x1b[0m",
  );
  assert.equal(styledLine("\x1b[38;2;1;2;3mx"), "\x1b[38;2;1;2;3mx\x1b[0m");
  assert.equal(styledLine("plain"), "plain");
});

Deno.test("styledLine() keeps no sequence that hides, moves or clears", () => {
  const hostile = [
    "\x1b[8mhidden",
    "\x1b[0;8mhidden",
    "\x1b[41mback",
    "\x1b[5mblink",
    "\x1b[2J",
    "\x1b[1A",
    "\x1b]8;;http://x\x07",
    "\x1b[38;5;1;8m",
    "\x1b[31",
    "\x1b[31;m",
  ];
  for (const line of hostile) {
    assert.ok(!styledLine(line).includes("\x1b"), JSON.stringify(line));
  }
  assert.equal(styledLine("\x1b[31mred\x1b[2J"), "\x1b[31mred␛[2J\x1b[0m");
});

Deno.test("styledLine() takes linear time on a line of beginnings", () => {
  const line = `\x1b[${"38;2;1;1;1;".repeat(20_000)}`.repeat(5);
  const startMs = performance.now();
  styledLine(line);
  assert.ok(performance.now() - startMs < 1000);
});

Deno.test("useColor() follows the terminal and the user's wish", () => {
  const cases: [boolean, Record<string, string>, boolean][] = [
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: "1" }, false],
    [true, { NO_COLOR: "" }, true],
    [true, { TERM: "dumb" }, false],
    [false, { FORCE_COLOR: "1" }, true],
    [true, { FORCE_COLOR: "0" }, false],
    [false, { FORCE_COLOR: "1", NO_COLOR: "1" }, false],
  ];
  assert.deepEqual(
    cases.map((
      [isTerminal, env],
    ) => [isTerminal, env, useColor(isTerminal, env)]),
    cases,
  );
});
