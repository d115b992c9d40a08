import type { DialogAnswer } from "../../protocol/kernel_messages.ts";
import type { Dialog } from "../../protocol/kernel_protocol.ts";
import { terminalText } from "../terminal_text.ts";

/** Shows questions. */
export interface DialogView {
  /** Safe for a terminal. */
  print(lines: string[]): void;
  /** A question waits with this prompt, and with this text to begin from; undefined when none does any more. */
  await(question: { prompt: string; prefill?: string } | undefined): void;
}

interface OpenDialog {
  dialog: Dialog;
  settle(answer: DialogAnswer): void;
}

const PROMPTS: Record<Dialog["kind"], string> = {
  confirm: "[y/N] ",
  select: "number: ",
  input: "answer: ",
  editor: "text: ",
};

/** Puts questions to the user, one after the other; a line that is typed answers the first. */
export class TerminalDialogs {
  readonly #view: DialogView;
  readonly #open: OpenDialog[] = [];

  constructor(view: DialogView) {
    this.#view = view;
  }

  /** True while a question waits for an answer. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Undefined when the question is dismissed; a confirmation is denied then. */
  ask(dialog: Dialog, dismissed: AbortSignal): Promise<DialogAnswer> {
    const answered = Promise.withResolvers<DialogAnswer>();
    const open = { dialog, settle: answered.resolve };
    this.#open.push(open);
    dismissed.addEventListener("abort", () => this.#close(open, undefined));
    if (dismissed.aborted) this.#close(open, undefined);
    else if (this.#open[0] === open) this.#show();
    return answered.promise;
  }

  /** Takes a line as the answer to the question that is shown. */
  answer(line: string): void {
    const open = this.#open[0];
    if (!open) return;
    const answer = answerOf(open.dialog, line);
    if ("problem" in answer) this.#view.print([answer.problem]);
    else this.#close(open, answer.value);
  }

  /** Leaves the question that is shown without an answer. */
  dismiss(): void {
    const open = this.#open[0];
    if (open) this.#close(open, undefined);
  }

  #close(open: OpenDialog, answer: DialogAnswer): void {
    const at = this.#open.indexOf(open);
    if (at === -1) return;
    this.#open.splice(at, 1);
    open.settle(answer);
    if (at === 0) this.#show();
  }

  #show(): void {
    const dialog = this.#open[0]?.dialog;
    if (!dialog) return this.#view.await(undefined);
    this.#view.print(["", ...linesOf(dialog)]);
    this.#view.await({
      prompt: PROMPTS[dialog.kind],
      ...(dialog.kind === "editor" && dialog.prefill !== undefined
        ? { prefill: dialog.prefill }
        : {}),
    });
  }
}

function linesOf(dialog: Dialog): string[] {
  const title = terminalText(dialog.title).split("\n");
  switch (dialog.kind) {
    case "confirm":
      return [
        ...title,
        ...(dialog.message === ""
          ? []
          : terminalText(dialog.message).split("\n")),
      ];
    case "select":
      return [
        ...title,
        ...dialog.options.map((option, index) =>
          `  ${index + 1}. ${terminalText(option).replaceAll("\n", " ")}`
        ),
      ];
    case "input":
      return dialog.placeholder === undefined
        ? title
        : [...title, `(${terminalText(dialog.placeholder)})`];
    case "editor":
      return [...title, "(Alt-Enter begins a new line)"];
  }
}

function answerOf(
  dialog: Dialog,
  line: string,
): { value: DialogAnswer } | { problem: string } {
  const word = line.trim();
  switch (dialog.kind) {
    case "confirm":
      if (/^(y|yes)$/i.test(word)) return { value: true };
      if (/^(n|no|)$/i.test(word)) return { value: false };
      return { problem: "Answer y or n" };
    case "select": {
      if (word === "") return { value: undefined };
      // A number is never the beginning of an option that begins with it.
      const option = /^\d+$/.test(word)
        ? dialog.options[Number(word) - 1]
        : dialog.options.find((one) =>
          one.toLowerCase().startsWith(word.toLowerCase())
        );
      return option === undefined
        ? { problem: `Choose a number from 1 to ${dialog.options.length}` }
        : { value: option };
    }
    case "input":
    case "editor":
      return { value: line };
  }
}
