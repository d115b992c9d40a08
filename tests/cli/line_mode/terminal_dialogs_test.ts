import assert from "node:assert/strict";
import {
  type DialogView,
  TerminalDialogs,
} from "../../../src/cli/line_mode/terminal_dialogs.ts";
import type { Dialog } from "../../../src/protocol/kernel_protocol.ts";

const NEVER = new AbortController().signal;
const CONFIRM: Dialog = { kind: "confirm", title: "Go?", message: "" };

function dialogsOf(): {
  dialogs: TerminalDialogs;
  lines: string[];
  waiting(): Parameters<DialogView["await"]>[0];
} {
  const lines: string[] = [];
  let question: Parameters<DialogView["await"]>[0];
  const dialogs = new TerminalDialogs({
    print: (printed) => void lines.push(...printed),
    await: (asked) => question = asked,
  });
  return { dialogs, lines, waiting: () => question };
}

Deno.test("TerminalDialogs.answer() takes y and n, and says what it wants for anything else", async () => {
  for (
    const [line, answer] of [
      ["y", true],
      ["YES", true],
      ["n", false],
      ["", false],
    ] as const
  ) {
    const { dialogs, lines, waiting } = dialogsOf();
    const asked = dialogs.ask(CONFIRM, NEVER);
    assert.deepEqual(waiting(), { prompt: "[y/N] " });
    for (const wrong of ["yep", "1", "true"]) dialogs.answer(wrong);
    assert.equal(lines.filter((one) => one === "Answer y or n").length, 3);
    dialogs.answer(line);
    assert.equal(await asked, answer);
    assert.equal(waiting(), undefined);
    dialogs.answer("y");
    dialogs.dismiss();
  }
});

Deno.test("TerminalDialogs.answer() takes a number or the first letters of a choice", async () => {
  const options = ["Yes, this once", "Yes, for this session", "No"];
  for (
    const [line, answer] of [
      ["1", options[0]],
      [" 3 ", options[2]],
      ["y", options[0]],
      ["yes, for", options[1]],
      ["n", options[2]],
      ["", undefined],
    ] as const
  ) {
    const { dialogs, lines } = dialogsOf();
    const asked = dialogs.ask(
      { kind: "select", title: "Allow?", options },
      NEVER,
    );
    for (const wrong of ["0", "4", "1.5", "-1", "__proto__", "Infinity"]) {
      dialogs.answer(wrong);
    }
    assert.equal(lines.filter((one) => /from 1 to 3/.test(one)).length, 6);
    dialogs.answer(line);
    assert.equal(await asked, answer);
  }
});

Deno.test("TerminalDialogs.ask() puts one question after the other, and none that is dismissed before", async () => {
  const { dialogs, lines, waiting } = dialogsOf();
  const second = new AbortController();
  const asked = [
    dialogs.ask({ kind: "input", title: "One", placeholder: "a name" }, NEVER),
    dialogs.ask({ kind: "input", title: "Two" }, second.signal),
    dialogs.ask({ kind: "editor", title: "Three", prefill: "so\nfar" }, NEVER),
    dialogs.ask({ kind: "input", title: "Never" }, AbortSignal.abort()),
  ];
  second.abort();
  dialogs.answer("first answer ");
  assert.deepEqual(waiting(), { prompt: "text: ", prefill: "so\nfar" });
  dialogs.answer("so\nfar and further");
  assert.deepEqual(await Promise.all(asked), [
    "first answer ",
    undefined,
    "so\nfar and further",
    undefined,
  ]);
  assert.equal(dialogs.isOpen, false);
  assert(!lines.includes("Two") && !lines.includes("Never"));
});

Deno.test("TerminalDialogs.dismiss() leaves the question that is shown, and the next one is shown", async () => {
  const { dialogs } = dialogsOf();
  const first = dialogs.ask(CONFIRM, NEVER);
  const second = dialogs.ask(CONFIRM, NEVER);
  dialogs.dismiss();
  assert.equal(await first, undefined);
  dialogs.answer("y");
  assert.equal(await second, true);
});

Deno.test("TerminalDialogs.ask() shows control sequences as signs", () => {
  const { dialogs, lines } = dialogsOf();
  const hostile = "\x1b]0;owned\x07\u202e";
  dialogs.ask({ kind: "confirm", title: hostile, message: hostile }, NEVER);
  dialogs.answer("y");
  dialogs.ask(
    { kind: "select", title: hostile, options: [`${hostile}\nNo`] },
    NEVER,
  );
  dialogs.dismiss();
  dialogs.ask({ kind: "input", title: "", placeholder: hostile }, NEVER);
  // deno-lint-ignore no-control-regex -- what must not be there
  assert.doesNotMatch(lines.join(""), /[\x00-\x1f\u202e]/);
});

Deno.test("TerminalDialogs.answer() takes a number for the place of an option alone", async () => {
  const printed: string[] = [];
  const dialogs = new TerminalDialogs({
    print: (lines) => printed.push(...lines),
    await: () => {},
  });
  const answer = dialogs.ask(
    {
      kind: "select",
      title: "Which?",
      options: ["7c57  first", "1a2b  second"],
    },
    new AbortController().signal,
  );
  dialogs.answer("7");
  assert.equal(printed.at(-1), "Choose a number from 1 to 2");
  dialogs.answer("1");
  assert.equal(await answer, "7c57  first");
});
